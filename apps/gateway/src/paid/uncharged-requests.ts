import { Coalescer, TokenBuckets, within } from '@farebox/flow';
import type { EndedRequest } from '@farebox/ledger';

export interface UnchargedSettings {
  /** Burst per account after a quiet time, */
  burst: number;
  /** and sustained rate per second. */
  perSecond: number;
  /** Accounts whose pace is remembered. */
  mostAccounts: number;
  /** Requests that wait to be written. */
  mostWaiting: number;
  /** Requests written by one statement. */
  mostTogether: number;
  /** How long a stopping process waits for unwritten requests. */
  closeTimeoutMs: number;
}

/** An account that is refused thousands of times a second sees that, and takes no more space than this. */
export const UNCHARGED_SETTINGS: UnchargedSettings = {
  burst: 60,
  perSecond: 1,
  mostAccounts: 10_000,
  mostWaiting: 2_000,
  mostTogether: 500,
  closeTimeoutMs: 2_000,
};

/** The fate of a request that was to be recorded. */
export type NoteResult = 'kept' | 'over_pace' | 'queue_full' | 'failed';

interface UnchargedDeps {
  insert: (requests: EndedRequest[]) => Promise<void>;
  onResult: (result: NoteResult, count: number) => void;
  onError: (error: unknown) => void;
  nowMs?: () => number;
}

interface Waiting {
  request: Omit<EndedRequest, 'ageMs'>;
  endedAtMs: number;
}

/**
 * Records free requests for their accounts to see. No request waits for it: ended requests go into a queue, which is
 * written by one statement at a time. Requests without room in the queue, or without a database, are counted and
 * dropped.
 */
export class UnchargedRequests {
  readonly #deps: UnchargedDeps;
  readonly #settings: UnchargedSettings;
  readonly #nowMs: () => number;
  readonly #pace: TokenBuckets;
  #waiting: Waiting[] = [];
  readonly #writing = new Coalescer({
    isDue: () => this.#waiting.length > 0,
    send: () => this.#write(),
    begins: 'soon',
  });

  constructor(deps: UnchargedDeps, settings: UnchargedSettings = UNCHARGED_SETTINGS) {
    this.#deps = deps;
    this.#settings = settings;
    this.#nowMs = deps.nowMs ?? (() => performance.now());
    this.#pace = new TokenBuckets({ ...settings, mostOwners: settings.mostAccounts }, this.#nowMs);
  }

  /** `describe` is called only if there is room. Does not throw. */
  note(accountId: string, describe: () => Omit<EndedRequest, 'ageMs'>): void {
    if (this.#pace.take(accountId) === undefined) {
      this.#deps.onResult('over_pace', 1);
    } else if (this.#waiting.length >= this.#settings.mostWaiting) {
      this.#deps.onResult('queue_full', 1);
    } else {
      this.#waiting.push({ request: describe(), endedAtMs: this.#nowMs() });
      this.#writing.start();
    }
  }

  /** Waits a short time for unwritten requests. */
  async close(): Promise<void> {
    try {
      await within(this.#settings.closeTimeoutMs, this.#writing.idle());
    } catch (error) {
      this.#deps.onError(error);
    }
  }

  /** Requests that ended during a statement go out with the next one. */
  async #write(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#settings.mostTogether);
    const nowMs = this.#nowMs();
    try {
      await this.#deps.insert(
        batch.map(({ request, endedAtMs }) => ({ ...request, ageMs: Math.max(0, nowMs - endedAtMs) })),
      );
      this.#deps.onResult('kept', batch.length);
    } catch (error) {
      this.#deps.onResult('failed', batch.length);
      this.#deps.onError(error);
    }
  }
}
