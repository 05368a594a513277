import type { Admission, AdmissionResult } from '../hold';
import type { Era, Flusher } from './flusher';
import {
  isGivenUp,
  itemsOf,
  withoutAbandoned,
  type Batch,
  type WaitingAdmission,
  type WaitingSettlement,
} from './queue';

export interface UnflushedAnswersOptions {
  flusher: Flusher;
  /** A crash of the server lost an unreported result, so the item must be sent again. */
  onTakenAway(batch: Batch): void;
  onAbandonedHold: OnAbandonedHold;
  isClosing(): boolean;
}

/** A hold was placed for a caller who had already got a time-out. */
export type OnAbandonedHold = (admission: Admission) => void;

/** A request that was charged before. */
export interface Replayed {
  waiting: WaitingAdmission;
  result: AdmissionResult;
}

/** The answers to finished work of all lanes that is not known to be durable. Each is given when it is. */
export class UnflushedAnswers {
  readonly #options: UnflushedAnswersOptions;
  /** By call. No `Set`, which keeps deleted entries in memory: docs/design/architecture.md. */
  #waiting: (readonly (WaitingSettlement | WaitingAdmission)[])[] = [];
  readonly #flushing = new Set<Promise<void>>();

  constructor(options: UnflushedAnswersOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#flushing.size === 0;
  }

  /** The waiting callers. */
  get waiting(): readonly (WaitingSettlement | WaitingAdmission)[] {
    return this.#waiting.flat();
  }

  /**
   * Answers settlements, and requests that were charged before, once their result is durable. `era` is that of their
   * call.
   */
  add(settled: WaitingSettlement[], replayed: Replayed[], era: Era): void {
    if (settled.length + replayed.length === 0) return;
    const added = [...settled, ...replayed.map(({ waiting }) => waiting)];
    this.#waiting.push(added);
    const flushing = this.#flushThenAnswer(settled, replayed, era).finally(() => {
      this.#waiting = this.#waiting.filter((other) => other !== added);
      this.#flushing.delete(flushing);
    });
    this.#flushing.add(flushing);
  }

  /** Resolves when all current answers are given. */
  async drain(): Promise<void> {
    await Promise.all(this.#flushing);
  }

  async #flushThenAnswer(settled: WaitingSettlement[], replayed: Replayed[], era: Era): Promise<void> {
    const { flusher, onAbandonedHold } = this.#options;
    if (await flusher.flushed(era)) {
      for (const waiting of settled) waiting.resolve('resolved');
      for (const { waiting, result } of replayed) waiting.resolve(result);
      return;
    }
    const batch = { settlements: settled, admissions: replayed.map(({ waiting }) => waiting) };
    const states = await flusher.durableStates(
      settled.map(({ item }) => item.holdId),
      () => !this.#options.isClosing() || !itemsOf(batch).every(isGivenUp),
    );
    if (!states) return;
    // Whether a request that was charged before still is, is decided by the next call.
    const { settlements } = answerByStates({ settlements: settled, admissions: [] }, states, onAbandonedHold);
    this.#options.onTakenAway(withoutAbandoned({ ...batch, settlements }));
  }
}

/** Answers finished items by the holds that the database has, settlements first. Unfinished ones are left. */
export function answerByStates(
  batch: Batch,
  states: readonly string[],
  onAbandonedHold: OnAbandonedHold,
): Batch {
  return {
    settlements: batch.settlements.filter((waiting, i) => {
      const state = states[i];
      if (state === 'held') return true;
      const wanted = waiting.item.usage ? 'charged' : 'none';
      waiting.resolve(state === wanted ? 'resolved' : 'not_held');
      return false;
    }),
    admissions: batch.admissions.filter((waiting, i) => {
      const state = states[batch.settlements.length + i];
      if (state === 'none') return true;
      // Placed, and swept before this process knew of it.
      if (state === 'reviewed') waiting.resolve({ outcome: 'lease_lapsed' });
      else answerAdmitted(waiting, onAbandonedHold);
      return false;
    }),
  };
}

export function answerAdmitted(
  waiting: WaitingAdmission,
  onAbandonedHold: OnAbandonedHold,
  result: AdmissionResult = { outcome: 'admitted' },
): void {
  if (waiting.abandoned) onAbandonedHold(waiting.item);
  else waiting.resolve(result);
}
