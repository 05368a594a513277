import { Rotation } from '@farebox/flow';

/** A count that waits for its turn. */
export interface Waiting {
  accountId: string;
  /** For a running request, so it goes first. */
  isPaid: boolean;
}

/** After this many, a free count has a turn, so that it is not starved by others' charges. */
const MOST_PAID_IN_A_ROW = 8;

/** Decides which count goes next: paid ones before free ones, and in each group one account after the other. */
export class CountingTurns<Count extends Waiting> {
  readonly #paid = new Rotation<Count>();
  readonly #free = new Rotation<Count>();
  #paidInARow = 0;

  add(count: Count): void {
    this.#rotationOf(count).add(count.accountId, count);
  }

  /** Whether it was waiting. */
  remove(count: Count): boolean {
    return this.#rotationOf(count).remove(count.accountId, count);
  }

  /** Removes and returns the next count. */
  next(): Count | undefined {
    const [first, second] =
      this.#paidInARow < MOST_PAID_IN_A_ROW ? [this.#paid, this.#free] : [this.#free, this.#paid];
    const next = (first.next() ?? second.next())?.item;
    this.#paidInARow = next?.isPaid ? this.#paidInARow + 1 : 0;
    return next;
  }

  #rotationOf({ isPaid }: Count): Rotation<Count> {
    return isPaid ? this.#paid : this.#free;
  }
}
