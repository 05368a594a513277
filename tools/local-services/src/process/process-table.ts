import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The command line of a running process; undefined where there is none. */
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
