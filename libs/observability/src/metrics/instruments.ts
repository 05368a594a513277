/** A number that only grows. */
export class Counter {
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** What is no finite number above 0 changes nothing: a measurement must not fail what it measures. */
  add(amount = 1): void {
    if (amount > 0 && amount < Infinity) this.#total += amount;
  }
}

/** A number that is as it was last read. Until then, and while it is unknown, it is not shown. */
export class Gauge {
  #value: number | undefined;

  get value(): number | undefined {
    return this.#value;
  }

  set(value: number | boolean | undefined): void {
    this.#value = value === undefined ? undefined : +value;
  }
}

/** How many of the measured values fell below each bound. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** One for each bound, and one for what is above all of them. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  get bounds(): readonly number[] {
    return this.#bounds;
  }

  /** Of each bucket alone, not of it and all below. */
  get counts(): readonly number[] {
    return [...this.#counts];
  }

  get sum(): number {
    return this.#sum;
  }

  /** A clock that was set back gives a value below 0, which counts as 0. */
  observe(value: number): void {
    if (!(value < Infinity)) return;
    const measured = value > 0 ? value : 0;
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && measured > (bounds[bucket] ?? Infinity)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += measured;
  }
}
