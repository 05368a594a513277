import { NoAnswerInTimeError, singleFlight, within } from '@farebox/flow';
import { HoldLostError, LedgerUnavailableError } from '../hold';
import { NO_ERA, type Era, type Flusher } from './flusher';

/** A hold that is in force, but may still be lost in a crash of the server. */
interface UnflushedHold {
  /** The flusher's era when the hold was requested. */
  era: Era;
  isLost: boolean;
  onLost: (() => void) | undefined;
  /** Resolves when it is durable. */
  waited: Promise<void> | undefined;
}

export interface PlacedHoldsOptions {
  flusher: Flusher;
  /** Longest wait of a caller for the disk. */
  timeoutMs: number;
  isClosing: () => boolean;
}

/**
 * The holds that were placed without waiting for the disk, until they are known to be on it, or are ended. One that
 * the server has lost in a crash is found as soon as the server is back.
 */
export class PlacedHolds {
  readonly #options: PlacedHoldsOptions;
  readonly #unflushed = new Map<string, UnflushedHold>();

  constructor(options: PlacedHoldsOptions) {
    this.#options = options;
  }

  /** How many there are. */
  get size(): number {
    return this.#unflushed.size;
  }

  /** Adds a hold that was placed, and is not known to be durable. */
  add(holdId: string, era: Era): void {
    this.#unflushed.set(holdId, { era, isLost: false, onLost: undefined, waited: undefined });
    // The flusher's connection was lost before this was added.
    if (this.#isDoubtful(era)) void this.check();
  }

  /** A charge or a release of it was answered. */
  delete(holdId: string): void {
    const hold = this.#unflushed.get(holdId);
    if (!hold) return;
    this.#unflushed.delete(holdId);
    // A deleted entry of a Map may stay in memory until a full collection, and must not keep its request alive.
    hold.onLost = undefined;
    hold.waited = undefined;
  }

  /**
   * Resolves when the hold is durable; undefined if it already is. Throws `HoldLostError` if the server has lost it,
   * and `LedgerUnavailableError` if that is not known in time.
   */
  durable(holdId: string): Promise<void> | undefined {
    const hold = this.#unflushed.get(holdId);
    return hold && (hold.waited ??= this.#inTime(this.#becomeDurable(holdId, hold)));
  }

  /** Calls back if the server is found to have lost the hold. */
  onLost(holdId: string, listener: () => void): void {
    const hold = this.#unflushed.get(holdId);
    if (hold?.isLost) listener();
    else if (hold) hold.onLost = listener;
  }

  /** Looks for holds that a crash of the server may have lost. Does not reject. */
  readonly check = singleFlight(() => this.#checkAll());

  /** Whether a flush no longer proves anything about a hold of that era. */
  #isDoubtful(era: Era): boolean {
    return era === NO_ERA || era !== this.#options.flusher.era;
  }

  async #checkAll(): Promise<void> {
    const { flusher, isClosing } = this.#options;
    for (;;) {
      const holds = [...this.#unflushed].filter(([, { era, isLost }]) => !isLost && this.#isDoubtful(era));
      if (holds.length === 0) return;
      const states = await flusher.durableStates(
        holds.map(([holdId]) => holdId),
        () => !isClosing(),
      );
      if (!states) return;
      holds.forEach(([holdId, hold], i) => {
        if (this.#unflushed.get(holdId) === hold) this.#note(holdId, hold, states[i] === 'none');
      });
    }
  }

  #note(holdId: string, hold: UnflushedHold, isLost: boolean): void {
    if (!isLost) {
      this.delete(holdId);
      return;
    }
    hold.isLost = true;
    hold.onLost?.();
  }

  async #becomeDurable(holdId: string, hold: UnflushedHold): Promise<void> {
    const { flusher, isClosing } = this.#options;
    if (!hold.isLost && (await flusher.flushed(hold.era))) {
      this.delete(holdId);
      return;
    }
    // Again, if this hold came too late for a running check.
    while (!hold.isLost && this.#unflushed.get(holdId) === hold) {
      if (isClosing()) throw new LedgerUnavailableError('the ledger is closed');
      await this.check();
    }
    if (hold.isLost) throw new HoldLostError();
  }

  async #inTime(durable: Promise<void>): Promise<void> {
    try {
      await within(this.#options.timeoutMs, durable);
    } catch (error) {
      if (!(error instanceof NoAnswerInTimeError)) throw error;
      throw new LedgerUnavailableError('the disk did not take a hold in time');
    }
  }
}
