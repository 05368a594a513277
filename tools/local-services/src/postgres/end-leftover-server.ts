import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLineOf, isAlive } from '../process/process-table';

const STEPS: readonly [NodeJS.Signals, number][] = [
  ['SIGINT', 10_000], // PostgreSQL's fast shutdown
  ['SIGQUIT', 5_000], // its immediate shutdown
  ['SIGKILL', 5_000],
];
const POLL_MS = 20;

/**
 * Ends a server that a killed process has left on `dataFolder`, and removes a lock file whose process id another
 * program has by now, which PostgreSQL itself would take for a live server. The caller vouches that nobody else uses
 * the folder.
 */
export async function endLeftoverServer(dataFolder: string): Promise<void> {
  const lockFile = path.join(dataFolder, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10);
  if (!Number.isSafeInteger(pid) || pid <= 1 || commandLineOf(pid)?.includes(dataFolder) !== true) {
    rmSync(lockFile, { force: true });
    return;
  }
  for (const [signal, boundMs] of STEPS) {
    process.kill(pid, signal);
    if (await endsWithin(pid, boundMs)) return;
  }
  throw new Error(`A PostgreSQL server from an earlier run (process ${String(pid)}) cannot be ended.`);
}

async function endsWithin(pid: number, boundMs: number): Promise<boolean> {
  const deadline = Date.now() + boundMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
