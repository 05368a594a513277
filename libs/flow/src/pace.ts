import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Longer texts are processed in turns of the event loop, so that nobody else waits for them. */
export const BYTES_AT_ONCE = 256 * 1024;
/**
 * How much of them in each turn. A quarter of what is processed at once: it may be the most expensive text of its
 * length, and its turn comes on top of what others do.
 */
export const BYTES_OF_TURN = 64 * 1024;

/** Maximum delay of timers. */
const LEAST_PAUSE_MS = 1;
/** A turn that took longer was not all its own: the machine was busy. */
const LONGEST_PAUSE_MS = 20;

/** The pace of long work in turns: it leaves everybody else as much time as it takes. */
export class Pace {
  #begunAtMs = performance.now();
  #owedMs = 0;

  /** Ends a turn. The next one begins when others have had as much time as it took. */
  async giveWay(): Promise<void> {
    this.#owedMs += performance.now() - this.#begunAtMs;
    if (this.#owedMs < LEAST_PAUSE_MS) await nextTurn();
    else {
      await sleep(Math.min(this.#owedMs, LONGEST_PAUSE_MS));
      this.#owedMs = 0;
    }
    this.#begunAtMs = performance.now();
  }
}

/** `Buffer.concat` in turns of the event loop. */
export async function joinInTurns(pieces: readonly Buffer[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  const pace = new Pace();
  let at = 0;
  let pauseAt = BYTES_OF_TURN;
  for (const piece of pieces) {
    if (at >= pauseAt) {
      pauseAt = at + BYTES_OF_TURN;
      await pace.giveWay();
    }
    at += piece.copy(joined, at);
  }
  return joined;
}
