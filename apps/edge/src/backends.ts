const GATEWAY_PATH = /^\/v1\/(?:models|chat\/completions|embeddings|messages|responses|quotes)(?:[/?]|$)/;

/** How long a service that could not be reached is asked last. */
const REST_MS = 2_000;

/** A process that requests are passed on to. */
export interface Backend {
  readonly url: URL;
  /** Until when it is asked last, on the clock of `Backends`. */
  restsUntilMs: number;
}

/** Which processes a request may go to: the gateways, in turn, for the traffic paths, and the account service for the rest. */
export class Backends {
  private readonly gateways: readonly Backend[];
  private readonly account: readonly Backend[];
  private readonly nowMs: () => number;
  private next = 0;

  constructor(urls: { gatewayUrls: readonly string[]; accountUrl: string }, nowMs: () => number) {
    const backendOf = (url: string): Backend => ({ url: new URL(url), restsUntilMs: -Infinity });
    this.gateways = urls.gatewayUrls.map(backendOf);
    this.account = [backendOf(urls.accountUrl)];
    this.nowMs = nowMs;
  }

  /**
   * In the order in which they are to be tried. `target` is the request target as it stands in the request line.
   */
  candidates(target: string): readonly Backend[] {
    if (!GATEWAY_PATH.test(target)) return this.account;
    const first = this.next;
    this.next = (first + 1) % this.gateways.length;
    const inTurn = [...this.gateways.slice(first), ...this.gateways.slice(0, first)];
    const nowMs = this.nowMs();
    const rests = (backend: Backend): boolean => backend.restsUntilMs > nowMs;
    return [...inTurn.filter((backend) => !rests(backend)), ...inTurn.filter(rests)];
  }

  /** For a while, others are tried before it. Answers whether that is new. */
  rest(backend: Backend): boolean {
    const nowMs = this.nowMs();
    const isNew = backend.restsUntilMs <= nowMs;
    backend.restsUntilMs = nowMs + REST_MS;
    return isNew;
  }
}
