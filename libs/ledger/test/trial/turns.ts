/** Lets one at a time do what concerns everybody. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Waits for those that asked before, whatever became of them. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
