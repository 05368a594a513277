import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
const ATTEMPT_MS = 2_000;

/** Resolves when `url` answers 2xx. Throws after `boundMs`, saying what it answered last. */
export async function waitForHttp(url: string, boundMs = 15_000): Promise<void> {
  const deadline = Date.now() + boundMs;
  let last = 'nothing';
  while (Date.now() < deadline) {
    last = await statusOf(url);
    if (last.startsWith('2')) return;
    await sleep(POLL_MS);
  }
  throw new Error(`${url} was not ready after ${String(boundMs / 1000)} s; its last answer: ${last}.`);
}

async function statusOf(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ATTEMPT_MS) });
    await response.arrayBuffer();
    return String(response.status);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
