import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const BASES = ['/var/lib/farebox', '/var/tmp/farebox'];

/**
 * A folder outside the checkout for what belongs to `folder`, which PostgreSQL's user cannot reach (a clone under
 * /root, say). Always the same one for the same folder. Only for root.
 */
export function reachableFolderFor(folder: string): string {
  const name = createHash('sha256').update(path.resolve(folder)).digest('hex').slice(0, 16);
  const problems: string[] = [];
  for (const base of BASES) {
    try {
      return ownFolder(path.join(ownFolder(base), name));
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(`No folder that PostgreSQL's user can reach could be made: ${problems.join('; ')}`);
}

/** Deletes `folder` and the folder that `reachableFolderFor` made around it. */
export function removeReachable(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const around = path.dirname(folder);
  if (BASES.includes(path.dirname(around)) && existsSync(around) && readdirSync(around).length === 0) {
    rmdirSync(around);
  }
}

/** Makes a folder that anybody can pass through; refuses one that somebody else has put there. */
function ownFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== 0) throw new Error(`${folder} belongs to somebody else`);
  chmodSync(folder, 0o755);
  return folder;
}
