interface Line {
  running: number;
  waiting: (() => void)[];
}

/** Lets everybody do so much at once. What goes beyond waits for one's own, in order, and for nobody else's. */
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
    try {
      return await act();
    } finally {
      const next = line.waiting.shift();
      if (next) next();
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
