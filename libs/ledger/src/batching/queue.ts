/** Somebody who waits for the ledger's answer to one item. */
export interface Waiting<Item, Result> {
  item: Item;
  deadlineAtMs: number;
  /** The caller was told that there was no answer in time. What becomes of the item is undone where it can be. */
  abandoned: boolean;
  resolve(result: Result): void;
  reject(error: Error): void;
}

/** A bounded queue of callers, in order of arrival. */
export class WaitingQueue<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  readonly #maxLength: number;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#maxLength;
  }

  add(waiting: Waiting<Item, Result>): void {
    this.#waiting.push(waiting);
  }

  /** Puts back, first in line, what was taken and not done. */
  putBack(waiting: Waiting<Item, Result>[]): void {
    this.#waiting.unshift(...waiting);
  }

  /** Takes the first ones, at most `max`, one of each `key`: a second one with the same key waits for the next turn. */
  take(max: number, key?: (item: Item) => string): Waiting<Item, Result>[] {
    if (!key) return this.#waiting.splice(0, max);
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const keys = new Set<string>();
    for (const waiting of this.#waiting) {
      const itemKey = key(waiting.item);
      if (taken.length < max && !keys.has(itemKey)) {
        keys.add(itemKey);
        taken.push(waiting);
      } else left.push(waiting);
    }
    this.#waiting = left;
    return taken;
  }

  /** Removes and returns those whose time is over. */
  takeExpired(nowMs: number): Waiting<Item, Result>[] {
    const expired = this.#waiting.filter((waiting) => waiting.deadlineAtMs <= nowMs);
    if (expired.length > 0) this.#waiting = this.#waiting.filter((waiting) => waiting.deadlineAtMs > nowMs);
    return expired;
  }

  takeAll(): Waiting<Item, Result>[] {
    return this.#waiting.splice(0);
  }
}
