import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from './workspace-root';

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

/** Has `pid` stopped with `signal` when this process ends without having stopped it, even by `kill -9`. */
export function guardProcess(pid: number, signal: NodeJS.Signals): void {
  guard ??= startGuard();
  guard.stdin?.write(`watch ${String(pid)} ${signal}\n`);
}

/** Takes back `guardProcess`. Due as soon as the process is known to have ended, since its id may be given again. */
export function forgetProcess(pid: number): void {
  guard?.stdin?.write(`forget ${String(pid)}\n`);
}

function startGuard(): ChildProcess {
  const script = path.join(workspaceRoot(), 'tools/local-services/guard.cjs');
  const child = spawn(process.execPath, [script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  // The pipe must not keep this process alive: its end is what the guard waits for.
  (child.stdin as typeof child.stdin & { unref?: () => void }).unref?.();
  return child;
}
