import type { Turns } from '@farebox/flow';

/**
 * The place of one long response in one piece among those that a process works on. Read, parsed and written it takes several
 * times its length of memory, so that few are worked on at once, of one account after the other; all others are left with
 * their upstreams until it is their turn.
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

  /** Resolves when there is a place for it: at once if it has one, or wants none any more. */
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

  /** It has been handed over, or there is none. */
  leave(): void {
    this.#hasLeft = true;
    this.#leave?.();
  }
}
