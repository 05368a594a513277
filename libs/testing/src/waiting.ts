const LONGEST_WAIT_MS = 60_000;
const POLL_MS = 20;

/** Waits until a condition holds; on failure, reports what it waited for. */
export async function waitUntil(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  while (!(await isSo())) {
    if (Date.now() > deadlineMs) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Blocks the whole process: afterwards all timers are due before a socket is read. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Runs some work, and counts the turns of the event loop that others get meanwhile. */
export async function turnsBeside<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; turns: number }> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const result = await work();
    return { result, turns };
  } finally {
    isOver = true;
  }
}
