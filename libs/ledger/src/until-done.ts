/** Work that must be done, however late: what the database did not take in time. */
export interface UntilDone {
  /** Tries it, after a pause, until it succeeds. Done twice it must be the same as done once. */
  add(work: () => Promise<unknown>): void;
  /** Begins nothing more. */
  stop(): void;
}

/**
 * Keeps work in memory and tries it again, one piece after the other, while there is any. A piece that fails goes
 * behind the others and ends the turn: usually nothing can be done yet. What is left when the process ends is lost.
 */
export function createUntilDone({ pauseMs }: { pauseMs: number }): UntilDone {
  const waiting: (() => Promise<unknown>)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function takeTurn(): Promise<void> {
    for (let left = waiting.length; left > 0 && !isStopped; left--) {
      const work = waiting.shift();
      if (!work || (await isDone(work))) continue;
      waiting.push(work);
      return;
    }
  }

  function schedule(): void {
    if (isStopped || timer || waiting.length === 0) return;
    timer = setTimeout(() => {
      void takeTurn().then(() => {
        timer = undefined;
        schedule();
      });
    }, pauseMs);
  }

  return {
    add(work) {
      waiting.push(work);
      schedule();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function isDone(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}
