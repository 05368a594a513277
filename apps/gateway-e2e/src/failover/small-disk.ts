import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { OptionsError } from '../command-line';

const SIZE = '1g';
const PIECES_BYTES = [1_048_576, 4_096];
/** A server frees space meanwhile, for example old parts of its log. */
const REFILL_MS = 50;

/** A file system of its own, in memory, that can be filled. */
export interface SmallDisk {
  /** Leaves no byte to others, until `free`. */
  fill(): void;
  free(): void;
  remove(): void;
}

/** Mounts it on an existing folder. Throws `OptionsError` if this process may not. */
export function mountSmallDisk(folder: string): SmallDisk {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (cause) {
    throw new OptionsError(`No small disk could be mounted on ${folder}: this fault needs root.`, { cause });
  }
  const filler = join(folder, 'filler');
  let refilling: NodeJS.Timeout | undefined;
  const free = (): void => {
    clearInterval(refilling);
    rmSync(filler, { force: true });
  };
  return {
    fill() {
      fillUp(filler);
      refilling = setInterval(fillUp, REFILL_MS, filler);
    },
    free,
    remove() {
      free();
      execFileSync('umount', [folder]);
    },
  };
}

function fillUp(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (const bytes of PIECES_BYTES) writeUntilFull(file, Buffer.alloc(bytes));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) === piece.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
