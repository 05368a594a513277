import { Resolver } from 'node:dns/promises';
import { imageHostOf, type ChatCompletionRequest } from '@farebox/api';
import ipaddr from 'ipaddr.js';
import { RefusalError } from '../refusals';

interface ImageHostOptions {
  /** The addresses of a name. Throws if it has none, or none can be found. */
  resolve: (host: string) => Promise<string[]>;
  /** Monotonic clock, in milliseconds. */
  now: () => number;
  limits?: ImageHostLimits;
}

export interface ImageHostLimits {
  /**
   * Concurrent look-ups of all requests. Names over the limit are not looked up: nobody waits for another's
   * names.
   */
  maxLookups: number;
  maxRemembered: number;
  rememberMs: number;
}

const DEFAULT_LIMITS: ImageHostLimits = { maxLookups: 64, maxRemembered: 10_000, rememberMs: 60_000 };

/** Image hosts per request. */
const MOST_IMAGE_HOSTS = 16;
const LOOK_UP_TIMEOUT_MS = 1_000;

/**
 * Finds out whether the host name of an image leads to a machine outside the public internet. This is a
 * safety net with gaps: a name may lead elsewhere when the upstream fetches the image, and one that cannot be
 * looked up in time passes. Operators must restrict the network access of their upstreams.
 */
export class ImageHosts {
  readonly #options: ImageHostOptions;
  readonly #limits: ImageHostLimits;
  readonly #known = new Map<string, { isNearby: boolean; untilMs: number }>();
  readonly #lookups = new Map<string, Promise<boolean>>();

  constructor(options: ImageHostOptions) {
    this.#options = options;
    this.#limits = options.limits ?? DEFAULT_LIMITS;
  }

  /** Takes about one second at most. Does not throw. */
  async isNearby(host: string): Promise<boolean> {
    const known = this.#known.get(host);
    if (known && known.untilMs > this.#options.now()) return known.isNearby;
    const running = this.#lookups.get(host);
    if (running) return running;
    if (this.#lookups.size >= this.#limits.maxLookups) return false;
    const lookup = this.#lookUp(host);
    this.#lookups.set(host, lookup);
    return lookup;
  }

  async #lookUp(host: string): Promise<boolean> {
    const addresses = await this.#options.resolve(host).catch(() => []);
    const isNearby = addresses.some((address) => !isPublic(address));
    this.#lookups.delete(host);
    this.#known.delete(host);
    this.#known.set(host, { isNearby, untilMs: this.#options.now() + this.#limits.rememberMs });
    for (const [oldest] of this.#known) {
      if (this.#known.size <= this.#limits.maxRemembered) break;
      this.#known.delete(oldest);
    }
    return isNearby;
  }
}

/** Whether the address is a public one; IPv4 in IPv6 is judged as IPv4. */
function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/** Queries the name servers directly: the system's look-ups share four threads with all of Node. */
export function createResolve(): ImageHostOptions['resolve'] {
  const resolver = new Resolver({ timeout: LOOK_UP_TIMEOUT_MS, tries: 1 });
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  };
}

/** The hosts of all images that an upstream fetches, without duplicates. */
export function imageHostsOf({ messages }: ChatCompletionRequest): string[] {
  const hosts = new Set<string>();
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      const host = part.type === 'image_url' ? imageHostOf(part.image_url.url) : undefined;
      if (host !== undefined) hosts.add(host);
    }
  }
  return [...hosts];
}

/**
 * Throws `invalid_request_error` if one of these hosts is a machine near the upstream, as far as that can be
 * known.
 */
export async function refuseNearbyImages(hosts: ImageHosts, names: readonly string[]): Promise<void> {
  if (names.length > MOST_IMAGE_HOSTS) {
    const message = `The images of a request are on at most ${String(MOST_IMAGE_HOSTS)} hosts.`;
    throw new RefusalError('body', 'invalid_request_error', { param: 'messages', message });
  }
  const areNearby = await Promise.all(names.map((name) => hosts.isNearby(name)));
  if (!areNearby.includes(true)) return;
  throw new RefusalError('body', 'invalid_request_error', {
    param: 'messages',
    message: "An image's URL must be of a public host.",
  });
}
