interface Line {
  running: number;
  waiting: (() => void)[];
}

/** The longest that one who waits for themselves waits for the others' sake. */
const LONGEST_PAUSE_MS = 50;

/**
 * Lets everybody do so much at once. What goes beyond waits for one's own, in order, and for nobody else's; and before
 * it begins, it leaves the others as much time as the one before it took.
 */
export class InTurn {
  readonly #atOnce: number;
  readonly #lines = new Map<string, Line>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async run<T>(who: string, act: () => Promise<T>): Promise<T> {
    const line = this.#lineOf(who);
    if (line.running < this.#atOnce) line.running++;
    // Whoever ends hands on their place.
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    const begunAtMs = performance.now();
    try {
      return await act();
    } finally {
      const next = line.waiting.shift();
      if (next) setTimeout(next, Math.min(performance.now() - begunAtMs, LONGEST_PAUSE_MS));
      else if (--line.running === 0) this.#lines.delete(who);
    }
  }

  #lineOf(who: string): Line {
    let line = this.#lines.get(who);
    if (!line) {
      line = { running: 0, waiting: [] };
      this.#lines.set(who, line);
    }
    return line;
  }
}
