const GATEWAY_PATH = /^\/v1\/(?:models|chat\/completions)(?:[/?]|$)/;

/** Which process a request is for: the gateways, in turn, serve the traffic paths, and the account service the rest. */
export class Backends {
  private readonly gateways: readonly URL[];
  private readonly account: URL;
  private next = 0;

  constructor(urls: { gatewayUrls: readonly string[]; accountUrl: string }) {
    this.gateways = urls.gatewayUrls.map((url) => new URL(url));
    this.account = new URL(urls.accountUrl);
  }

  /** `target` is the request target as it stands in the request line. */
  choose(target: string): URL {
    if (!GATEWAY_PATH.test(target)) return this.account;
    const gateway = this.gateways[this.next % this.gateways.length];
    this.next = (this.next + 1) % this.gateways.length;
    return gateway ?? this.account;
  }
}
