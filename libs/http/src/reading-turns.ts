import { Rotation } from '@farebox/flow';

/** The source: a request, or the connection of a refused one. */
export interface Readable {
  readonly destroyed: boolean;
  pause(): unknown;
  resume(): unknown;
}

interface Turn {
  /** Bytes that all sources together may deliver in a turn. */
  bytes: number;
  /** Length of a turn; 0: one round of the event loop. */
  ms: number;
}

/** For bodies in use: about a millisecond's work in each round, beside everything else. */
const OF_BODIES: Turn = { bytes: 512 * 1024, ms: 0 };
/** The most that Node delivers at once. */
const CHUNK_BYTES = 64 * 1024;
/**
 * For discarded bodies, 4 to 8 MiB a second: nobody waits for them. V8 collects all garbage, which holds up the
 * process for tens of milliseconds, after each 64 MiB of buffers.
 */
export const OF_WHAT_IS_DROPPED: Turn = { bytes: CHUNK_BYTES, ms: 16 };

/**
 * Limits how much all sources together deliver in a turn. A source beyond that is paused until its owner's turn
 * comes. Otherwise each connection would deliver up to 2 MiB in each round of the event loop, and a few hundred of
 * them would delay everybody else by a tenth of a second.
 */
export class ReadingTurns {
  readonly #turn: Turn;
  readonly #paused = new Rotation<Readable>();
  #bytes = 0;
  #isRunning = false;

  constructor(turn: Turn = OF_BODIES) {
    this.#turn = turn;
  }

  /** `readable` has delivered this many bytes. It is paused if the turn has no more. */
  delivered(owner: string, readable: Readable, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#turn.bytes) {
      readable.pause();
      this.#paused.add(owner, readable);
    }
    if (!this.#isRunning) this.#run();
  }

  #run(): void {
    this.#isRunning = true;
    if (this.#turn.ms === 0) setImmediate(this.#end);
    else setTimeout(this.#end, this.#turn.ms);
  }

  readonly #end = (): void => {
    this.#bytes = 0;
    for (let left = this.#turn.bytes; left > 0 && !this.#paused.isEmpty; left -= CHUNK_BYTES) {
      const next = this.#paused.next();
      if (next?.item.destroyed === false) next.item.resume();
    }
    if (this.#bytes > 0 || !this.#paused.isEmpty) this.#run();
    else this.#isRunning = false;
  };
}
