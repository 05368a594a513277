/** Things that wait, by owner: one of each owner in turn, so that whoever has many of them waits for themselves. */
export class Rotation<Item> {
  /** A Map keeps the order of insertion, which is the order of the turns: whoever had one goes to its end. */
  readonly #waiting = new Map<string, Item[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  has(owner: string): boolean {
    return this.#waiting.has(owner);
  }

  add(owner: string, item: Item): void {
    const own = this.#waiting.get(owner);
    if (own) own.push(item);
    else this.#waiting.set(owner, [item]);
  }

  /** Returns whether it was waiting. */
  remove(owner: string, item: Item): boolean {
    const own = this.#waiting.get(owner) ?? [];
    const at = own.indexOf(item);
    if (at < 0) return false;
    own.splice(at, 1);
    if (own.length === 0) this.#waiting.delete(owner);
    return true;
  }

  /** Takes out the item whose turn it is, of the first owner who may have one. */
  next(mayTake: (owner: string) => boolean = () => true): { owner: string; item: Item } | undefined {
    for (const [owner, own] of this.#waiting) {
      if (!mayTake(owner)) continue;
      const item = own.shift() as Item;
      this.#waiting.delete(owner);
      if (own.length > 0) this.#waiting.set(owner, own);
      return { owner, item };
    }
    return undefined;
  }
}

/** How much work runs at once: without a limit, any amount. */
export interface TurnsLimits {
  /** Of all owners together. */
  atOnce?: number;
  atOnceOfOwner?: number;
  /** Whether an owner, before their next work begins, leaves others, if there are any, as much time as the last one took. */
  pauses?: boolean;
}

/** The longest that an owner is kept waiting for the others' sake. */
const LONGEST_PAUSE_MS = 250;

/** Runs the work of many owners, one owner after the other, however much each of them asks for. */
export class Turns {
  readonly #atOnce: number;
  readonly #atOnceOfOwner: number;
  readonly #pauses: boolean;
  readonly #waiting = new Rotation<() => void>();
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  constructor({ atOnce = Infinity, atOnceOfOwner = Infinity, pauses = false }: TurnsLimits) {
    this.#atOnce = atOnce;
    this.#atOnceOfOwner = atOnceOfOwner;
    this.#pauses = pauses;
  }

  /** Runs the work at once if there is room, and otherwise when its owner's turn comes. Throws what the work throws. */
  async take<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    // Nobody is overtaken: if there is room for this owner, nothing that could run is waiting.
    if (this.#running < this.#atOnce && this.#hasRoom(owner)) this.#enter(owner);
    else await new Promise<void>((begin) => this.#waiting.add(owner, begin));
    const begunAtMs = performance.now();
    try {
      return await work();
    } finally {
      this.#leave(owner, performance.now() - begunAtMs);
    }
  }

  readonly #hasRoom = (owner: string): boolean => (this.#runningOf.get(owner) ?? 0) < this.#atOnceOfOwner;

  #enter(owner: string): void {
    this.#running++;
    this.#runningOf.set(owner, (this.#runningOf.get(owner) ?? 0) + 1);
  }

  /** The place is kept while the owner pauses. */
  #leave(owner: string, tookMs: number): void {
    if (!this.#pauses || !this.#waiting.has(owner)) this.#handOn(owner);
    else if (this.#runningOf.size === 1) setImmediate(this.#handOn, owner);
    else setTimeout(this.#handOn, Math.min(tookMs, LONGEST_PAUSE_MS), owner);
  }

  readonly #handOn = (owner: string): void => {
    this.#running--;
    const own = (this.#runningOf.get(owner) ?? 1) - 1;
    if (own > 0) this.#runningOf.set(owner, own);
    else this.#runningOf.delete(owner);
    while (this.#running < this.#atOnce) {
      const next = this.#waiting.next(this.#hasRoom);
      if (!next) return;
      this.#enter(next.owner);
      next.item();
    }
  };
}
