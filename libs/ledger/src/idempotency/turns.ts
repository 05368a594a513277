/** Work of many owners, of which only so much is done at once. */
export interface Turns {
  /** Does the work when it is its turn. One owner after the other has a turn, however much each of them asks for. */
  take<Result>(owner: string, work: () => Promise<Result>): Promise<Result>;
}

export function createTurns(maxAtOnce: number): Turns {
  /** What waits, by owner. A Map keeps the order of insertion: who had a turn goes to its end. */
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;

  function next(): void {
    const [first] = waiting;
    if (!first || running >= maxAtOnce) return;
    const [owner, queue] = first;
    const begin = queue.shift();
    waiting.delete(owner);
    if (queue.length > 0) waiting.set(owner, queue);
    running++;
    begin?.();
  }

  return {
    async take(owner, work) {
      await new Promise<void>((resolve) => {
        const queue = waiting.get(owner);
        if (queue) queue.push(resolve);
        else waiting.set(owner, [resolve]);
        next();
      });
      try {
        return await work();
      } finally {
        running--;
        next();
      }
    },
  };
}
