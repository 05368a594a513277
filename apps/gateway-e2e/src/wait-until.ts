import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

/** Polls until a state is reached; answers whether it was before the deadline. */
export async function waitUntil(
  isReached: () => boolean | Promise<boolean>,
  boundMs: number,
): Promise<boolean> {
  const deadlineMs = Date.now() + boundMs;
  while (!(await isReached())) {
    if (Date.now() > deadlineMs) return false;
    await sleep(POLL_MS);
  }
  return true;
}
