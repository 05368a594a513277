import { SECOND_MS } from './times';

export interface TokenBucketsSettings {
  /** Takes at once after a quiet time. */
  burst: number;
  perSecond: number;
  /** Owners whose pace is remembered; the least recently used is forgotten. Default: any number. */
  mostOwners?: number;
}

interface Bucket {
  /** Below 0 while takes wait for their time. */
  room: number;
  filledAtMs: number;
}

/** The pace of each owner: a burst after a quiet time, then a steady rate. Source: RFC 2697, section 3, token buckets. */
export class TokenBuckets {
  readonly #settings: TokenBucketsSettings;
  readonly #nowMs: () => number;
  /** The most recently used last. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(settings: TokenBucketsSettings, nowMs: () => number = () => performance.now()) {
    this.#settings = settings;
    this.#nowMs = nowMs;
  }

  /** Takes one, and returns how long to wait for it; undefined if that is over `longestMs`, and then takes none. */
  take(owner: string, longestMs = 0): number | undefined {
    const bucket = this.#filled(owner);
    const waitMs = Math.max(0, ((1 - bucket.room) * SECOND_MS) / this.#settings.perSecond);
    if (waitMs > longestMs) return undefined;
    bucket.room--;
    return waitMs;
  }

  #filled(owner: string): Bucket {
    const { burst, perSecond, mostOwners = Infinity } = this.#settings;
    const nowMs = this.#nowMs();
    const bucket = this.#buckets.get(owner) ?? { room: burst, filledAtMs: nowMs };
    bucket.room = Math.min(burst, bucket.room + ((nowMs - bucket.filledAtMs) * perSecond) / SECOND_MS);
    bucket.filledAtMs = nowMs;
    this.#buckets.delete(owner);
    const [leastUsed] = this.#buckets.keys();
    if (this.#buckets.size >= mostOwners && leastUsed !== undefined) this.#buckets.delete(leastUsed);
    this.#buckets.set(owner, bucket);
    return bucket;
  }
}
