/** Somebody who waits for the ledger's answer to one item. */
export interface Waiting<Item, Result> {
  item: Item;
  deadlineAtMs: number;
  queuedAtMs: number;
  /** The caller was told that there was no answer in time. What becomes of the item is undone where it can be. */
  abandoned: boolean;
  resolve(result: Result): void;
  reject(error: Error): void;
}

interface Together<Item> {
  max: number;
  keyOf: (item: Item) => string;
  maxBytes: number;
  bytesOf: (item: Item) => number;
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

  /** Takes the first ones, at most `max`. */
  take(max: number): Waiting<Item, Result>[] {
    return this.#waiting.splice(0, max);
  }

  /**
   * Takes the first ones that go together: at most `max`, one of each key, and no more bytes than there is room for.
   * The first one goes whatever its size. What is passed over waits, in its order, for the next turn.
   */
  takeTogether({ max, keyOf, maxBytes, bytesOf }: Together<Item>): Waiting<Item, Result>[] {
    const taken: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const keys = new Set<string>();
    let bytes = 0;
    for (const waiting of this.#waiting) {
      const key = keyOf(waiting.item);
      const bytesWithIt = bytes + bytesOf(waiting.item);
      if (taken.length < max && !keys.has(key) && (bytesWithIt <= maxBytes || taken.length === 0)) {
        keys.add(key);
        bytes = bytesWithIt;
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
}
