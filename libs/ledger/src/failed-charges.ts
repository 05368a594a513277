import type pg from 'pg';
import { refundWithheldAnswer } from './account-funds';
import { ChargeHandedOverError, LedgerUnavailableError, type FailedCharge } from './hold';
import { openReview } from './reviews';

export interface FailedChargesOptions {
  pool: pg.Pool;
  retryQueue: RetryQueue;
  /** See `GatewayLedgerOptions`. */
  handOver: ((charge: FailedCharge) => Promise<void>) | undefined;
  /** After this time since the hand-over, this process takes care of it as well: the receiver may have lost it. */
  handOverGraceMs: number;
}

/**
 * Turns a charge that the database did not take into a review, however late: it is handed over, or kept here and
 * retried. Returns the caller's error; never rejects.
 */
export async function passOnFailedCharge(
  { pool, retryQueue, handOver, handOverGraceMs }: FailedChargesOptions,
  charge: FailedCharge,
  failure: unknown,
): Promise<unknown> {
  const keepTrying = (): void => {
    retryQueue.add(() => concludeCharge(pool, charge));
  };
  if (!handOver) {
    keepTrying();
    return failure;
  }
  const told = failure instanceof Error ? failure.message : String(failure);
  try {
    await handOver(charge);
    setTimeout(keepTrying, handOverGraceMs).unref();
    return new ChargeHandedOverError(told, { cause: failure });
  } catch (cause) {
    keepTrying();
    const toldOfBoth = `${told}; nor could the charge be handed over`;
    return failure instanceof LedgerUnavailableError
      ? new LedgerUnavailableError(toldOfBoth, { cause })
      : new AggregateError([failure, cause], toldOfBoth);
  }
}

/**
 * Completes a charge of unknown outcome, and may be called any number of times. `review_opened`: it was not recorded,
 * and is in review now. `refunded`: it was recorded after all, for an answer that was withheld, and is refunded.
 * `nothing_left`: it was recorded, released, swept, reviewed or refunded before.
 */
export async function concludeCharge(
  pool: Pick<pg.Pool, 'query'>,
  charge: FailedCharge,
): Promise<'review_opened' | 'refunded' | 'nothing_left'> {
  if (await openReview(pool, charge)) return 'review_opened';
  return (await refundWithheldAnswer(pool, charge.holdId)) ? 'refunded' : 'nothing_left';
}

/**
 * Work that must be done, however late, because the database did not take it in time. Keeps it in memory and retries
 * one piece after the other. A piece that fails goes behind the others and ends the turn: usually nothing can be done
 * yet. Work that remains when the process ends is lost.
 */
export class RetryQueue {
  readonly #pauseMs: number;
  readonly #waiting: (() => Promise<unknown>)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor({ pauseMs }: { pauseMs: number }) {
    this.#pauseMs = pauseMs;
  }

  /** Tries it, after a pause, until it succeeds. The work must be idempotent. */
  add(work: () => Promise<unknown>): void {
    this.#waiting.push(work);
    this.#schedule();
  }

  /** Begins no further work. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped || this.#timer || this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => {
      void this.#takeTurn().then(() => {
        this.#timer = undefined;
        this.#schedule();
      });
    }, this.#pauseMs);
  }

  async #takeTurn(): Promise<void> {
    for (let left = this.#waiting.length; left > 0 && !this.#isStopped; left--) {
      const work = this.#waiting.shift();
      if (!work || (await isDone(work))) continue;
      this.#waiting.push(work);
      return;
    }
  }
}

async function isDone(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}
