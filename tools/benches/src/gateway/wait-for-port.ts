import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_WAIT_MS = 60_000;
const POLL_MS = 50;

/** Resolves when something listens there. */
export async function waitForPort(port: number): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  while (!(await isOpen(port))) {
    if (Date.now() > deadlineMs) throw new Error(`nothing listens on port ${String(port)}`);
    await sleep(POLL_MS);
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
