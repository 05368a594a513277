import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Below the ports that operating systems assign to connections and to servers that ask for any port: a port that is
 * free at the request is still free when a service has started, and while a test keeps one down.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const BLOCK_PORTS = 25;

/** Ports that this process may still give out. */
const ours: number[] = [];

/** A TCP port of 127.0.0.1 without a listener, reserved for this process as long as it runs. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = ours.shift();
    if (port === undefined) ours.push(...(await claimBlock()));
    else if (await isFree(port)) return port;
  }
}

/**
 * The ports of a block that no other process has. A process reserves a block until it ends, by listening on its first
 * port: a single port could not be reserved while its service is down.
 */
async function claimBlock(): Promise<number[]> {
  const blocks = PORTS / BLOCK_PORTS;
  const start = randomInt(blocks);
  for (let tries = 0; tries < blocks; tries += 1) {
    const first = FIRST_PORT + ((start + tries) % blocks) * BLOCK_PORTS;
    const holder = await listenOn(first);
    if (holder === undefined) continue;
    holder.unref();
    return Array.from({ length: BLOCK_PORTS - 1 }, (_none, index) => first + 1 + index);
  }
  throw new Error('No port is free.');
}

/** Free ports, no two the same. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port);
  if (server === undefined) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** Undefined if the port is taken. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen(port, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

const POLL_MS = 50;
const ATTEMPT_MS = 2_000;

/** Resolves when `url` returns 2xx. Throws after `boundMs`, with the last response. */
export async function waitForHttp(url: string, boundMs = 60_000): Promise<void> {
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

/** The command line of a running process; undefined if there is none. */
export function commandLineOf(pid: number): string | undefined {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return (
        readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
          .replaceAll('\0', ' ')
          .trim() || undefined
      );
    } catch {
      return undefined;
    }
  }
  const answer = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return answer.stdout.trim() || undefined;
}

export function isAlive(pid: number): boolean {
  return commandLineOf(pid) !== undefined;
}

let guard: ChildProcess | undefined;

/**
 * Makes sure that `pid` is stopped with `signal` when this process ends without having stopped it, even by `kill -9`.
 */
export function guardProcess(pid: number, signal: NodeJS.Signals): void {
  guard ??= startGuard();
  guard.stdin?.write(`watch ${String(pid)} ${signal}\n`);
}

/** Undoes `guardProcess`. Call it as soon as the process is known to have ended, since its id may be reused. */
export function forgetProcess(pid: number): void {
  guard?.stdin?.write(`forget ${String(pid)}\n`);
}

function startGuard(): ChildProcess {
  const script = path.join(workspaceRoot(), 'tools/local-services/guard.cjs');
  const child = spawn(process.execPath, [script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  // The pipe must not keep this process alive: its end is the guard's signal.
  (child.stdin as typeof child.stdin & { unref?: () => void }).unref?.();
  return child;
}

/** The checkout that contains this file or its bundle. */
export function workspaceRoot(): string {
  let folder = __dirname;
  while (!existsSync(path.join(folder, 'nx.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error(`${__dirname} is not inside a Farebox checkout.`);
    folder = parent;
  }
  return folder;
}
