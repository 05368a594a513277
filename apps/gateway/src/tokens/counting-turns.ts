/** A count that waits for its turn. */
export interface Waiting {
  accountId: string;
  /** Of a request that runs: it goes first. */
  isPaid: boolean;
}

/** Then what is free has a turn, so that it waits for no flood of others' charges for ever. */
const MOST_PAID_IN_A_ROW = 8;

/** Decides which count goes next: paid ones before free ones, and within each one account after the other. */
export class CountingTurns<Count extends Waiting> {
  readonly #paid = new Rotation<Count>();
  readonly #free = new Rotation<Count>();
  #paidInARow = 0;

  add(count: Count): void {
    this.#rotationOf(count).add(count);
  }

  /** Whether it was waiting. */
  remove(count: Count): boolean {
    return this.#rotationOf(count).remove(count);
  }

  /** Takes out whose turn it is. */
  next(): Count | undefined {
    const [first, second] =
      this.#paidInARow < MOST_PAID_IN_A_ROW ? [this.#paid, this.#free] : [this.#free, this.#paid];
    const next = first.next() ?? second.next();
    this.#paidInARow = next?.isPaid ? this.#paidInARow + 1 : 0;
    return next;
  }

  #rotationOf({ isPaid }: Count): Rotation<Count> {
    return isPaid ? this.#paid : this.#free;
  }
}

/** One of each account in turn: a flood of one account delays nobody but itself. */
class Rotation<Count extends Waiting> {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Count[]>();

  add(count: Count): void {
    const own = this.#waiting.get(count.accountId);
    if (own) own.push(count);
    else this.#waiting.set(count.accountId, [count]);
  }

  remove(count: Count): boolean {
    const own = this.#waiting.get(count.accountId) ?? [];
    const at = own.indexOf(count);
    if (at < 0) return false;
    own.splice(at, 1);
    if (own.length === 0) this.#waiting.delete(count.accountId);
    return true;
  }

  next(): Count | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [accountId, own] = first;
    const next = own.shift();
    // Taken out and put in again: its next turn is after all the others'.
    this.#waiting.delete(accountId);
    if (own.length > 0) this.#waiting.set(accountId, own);
    return next;
  }
}
