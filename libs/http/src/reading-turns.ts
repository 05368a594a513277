import { Rotation } from '@farebox/flow';

/** What is read: a request, or the connection of one that was refused. */
export interface Readable {
  readonly destroyed: boolean;
  pause(): unknown;
  resume(): unknown;
}

interface Turn {
  /** How much all together may deliver in a turn, in bytes. */
  bytes: number;
  /** How long a turn lasts; 0: one round of the event loop. */
  ms: number;
}

/** For what is wanted: about a millisecond's work in each round, beside everything else. */
const OF_BODIES: Turn = { bytes: 512 * 1024, ms: 0 };
/** For what is dropped: nobody waits for it, so that it may not keep the process busy. */
export const OF_WHAT_IS_DROPPED: Turn = { bytes: 128 * 1024, ms: 2 };

/** The most that Node delivers at once. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Lets all that is read together deliver only so much in a turn. What is read beyond that is paused until its owner's
 * turn comes. Otherwise each connection would deliver up to 2 MiB in each round of the event loop, and a few hundred of
 * them would keep everybody else waiting for a tenth of a second.
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
