export interface CoalescerOptions {
  /** Whether anything waits. */
  isDue: () => boolean;
  /** Takes as much of the queue as fits into one call, and sends it. Must not reject. */
  send: () => Promise<void>;
  /**
   * When the first call leaves after a quiet time: right after the running code (`soon`), or at the end of this turn
   * of the event loop, so that it includes requests read from several sockets in the same turn.
   */
  begins: 'at_once' | 'soon' | 'end_of_turn';
  /** Concurrent calls. Default 1. */
  atOnce?: number;
}

/**
 * Sends everything that waits as one call, and the next call when the former has been answered: load forms batches,
 * an idle queue forms none. No timer is involved.
 *
 * Its owner keeps and bounds the queue, and decides how much of it goes into one call. This class decides when a call
 * leaves.
 */
export class Coalescer {
  readonly #options: CoalescerOptions;
  readonly #atOnce: number;
  #underWay = 0;
  #onIdle: (() => void)[] = [];

  constructor(options: CoalescerOptions) {
    this.#options = options;
    this.#atOnce = options.atOnce ?? 1;
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** Call this whenever something was added to the queue. */
  start(begins = this.#options.begins): void {
    if (this.#underWay >= this.#atOnce || !this.#options.isDue()) return;
    this.#underWay++;
    if (begins === 'at_once') this.#begin();
    else if (begins === 'soon') queueMicrotask(this.#begin);
    else setImmediate(this.#begin);
  }

  /** Resolves when nothing waits and no call is running. */
  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  readonly #begin = (): void => {
    void this.#run();
  };

  async #run(): Promise<void> {
    try {
      while (this.#options.isDue()) await this.#options.send();
    } finally {
      this.#underWay--;
      if (this.isIdle) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }
}
