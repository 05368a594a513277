import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP port of 127.0.0.1 that nobody listens on. Another process may still take it before the caller does. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('The operating system gave no port.');
  return port;
}

/** Free ports, no two the same. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenAnywhere));
  const ports = servers.map(portOf);
  await Promise.all(servers.map(close));
  return ports;
}

function listenAnywhere(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The operating system gave no port.');
  return address.port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}

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
