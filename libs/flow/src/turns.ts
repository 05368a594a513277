/**
 * Waiting items by owner. Each owner has one turn after the other, so an owner with many items delays only
 * themselves.
 */
export class Rotation<Item> {
  /** A Map keeps the order of insertion, which is the order of the turns: an owner who had one goes to the end. */
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

  /** Removes and returns the next item, of the first owner who may have one. */
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

/** Maximum concurrent work; unlimited by default. */
export interface TurnsLimits {
  /** For all owners together. */
  atOnce?: number;
  atOnceOfOwner?: number;
  /**
   * Whether an owner pauses before their next work, if there are other owners, for as long as their last work took.
   */
  pauses?: boolean;
}

/** The longest pause of an owner for the sake of others. */
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

  /** Runs the work at once if there is room, and otherwise in its owner's turn. Throws any error of the work. */
  async take<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    // Nobody is overtaken: if there is room for this owner, no runnable work is waiting.
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

  /** The owner keeps the place during the pause. */
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
