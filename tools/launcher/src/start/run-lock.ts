import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { commandLineOf } from '@farebox/local-services';
import { LaunchError } from '../launch-error';
import { codeOf } from './error-code';

const ATTEMPTS = 3;

/**
 * Takes the lock that lets one Farebox run on a state folder, and returns what gives it back. A lock that a killed
 * process has left is taken over. Throws LaunchError where another one runs.
 */
export function takeRunLock(lockFile: string): () => void {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (createLock(lockFile)) return () => rmSync(lockFile, { force: true });
    const owner = ownerOf(lockFile);
    if (owner !== undefined) {
      throw new LaunchError(
        `Farebox already runs from this checkout (process ${String(owner)}): stop that one first.`,
      );
    }
    rmSync(lockFile, { force: true });
  }
  throw new LaunchError(`The lock ${lockFile} cannot be taken: somebody else is starting Farebox here.`);
}

function createLock(lockFile: string): boolean {
  try {
    const command = commandLineOf(process.pid) ?? '';
    writeFileSync(lockFile, JSON.stringify({ pid: process.pid, command }), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The process that holds the lock; its command line tells it from another one that got the same id later. */
function ownerOf(lockFile: string): number | undefined {
  try {
    const { pid, command } = JSON.parse(readFileSync(lockFile, 'utf8')) as { pid: number; command: string };
    return pid !== process.pid && commandLineOf(pid) === command ? pid : undefined;
  } catch {
    return undefined; // gone meanwhile, or cut short by a crash
  }
}
