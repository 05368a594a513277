import { setTimeout as sleep } from 'node:timers/promises';

/** A database that stalls for a moment is answered with 503, as it must be. More than that is a fault. */
const MOST = 100;
/** As the answers ask for. */
const RETRY_AFTER_MS = 1_000;

/** Answers that were not a 200, or broke off: they are told and counted, and asked for again. */
export class Refusals {
  count = 0;
  readonly #onRefusal: (message: string) => void;
  readonly #retryAfterMs: number;

  constructor(onRefusal: (message: string) => void, retryAfterMs = RETRY_AFTER_MS) {
    this.#onRefusal = onRefusal;
    this.#retryAfterMs = retryAfterMs;
  }

  /** Waits for answers. Throws where too many have failed by now. */
  async during(answers: Promise<void>): Promise<void> {
    try {
      await answers;
    } catch (error) {
      this.count++;
      if (this.count > MOST) throw error;
      this.#onRefusal(error instanceof Error ? error.message : String(error));
      await sleep(this.#retryAfterMs);
    }
  }
}
