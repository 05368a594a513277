import type { Turns } from '@farebox/flow';

/**
 * The place of one long non-streamed response among those that a process works on. Reading, parsing and
 * writing it takes several times its length in memory. So only a few are worked on at once, in turn by
 * account; the others stay with their upstreams until then.
 */
export class LongAnswer {
  readonly #turns: Turns;
  readonly #accountId: string;
  #entered: Promise<void> | undefined;
  #leave: (() => void) | undefined;
  #hasLeft = false;

  constructor(turns: Turns, accountId: string) {
    this.#turns = turns;
    this.#accountId = accountId;
  }

  /** Resolves when it has a place: at once if it has one, or needs none any longer. */
  enter(): Promise<void> {
    this.#entered ??= new Promise((onEntered) => {
      const work = (): Promise<void> =>
        new Promise((onLeft) => {
          onEntered();
          if (this.#hasLeft) onLeft();
          else this.#leave = onLeft;
        });
      void this.#turns.take(this.#accountId, work);
    });
    return this.#entered;
  }

  /** Gives up the place: the response was delivered or has failed. */
  leave(): void {
    this.#hasLeft = true;
    this.#leave?.();
  }
}
