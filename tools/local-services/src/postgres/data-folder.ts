import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { reachableFolderFor, removeReachable } from './reachable-folder';
import { canTraverse, type SystemUser } from './system-user';

/**
 * The folder that really holds the data for `dataFolder`: itself, or, where `user` cannot reach it, one outside the
 * checkout to which `dataFolder` then is a link.
 */
export function placeDataFolder(
  dataFolder: string,
  user: SystemUser | undefined,
  say: (line: string) => void,
): string {
  const parent = path.dirname(path.resolve(dataFolder));
  mkdirSync(parent, { recursive: true });
  const found = lstatSync(dataFolder, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) return linkTarget(dataFolder, parent);
  if (canTraverse(parent, user)) return path.join(realpathSync(parent), path.basename(dataFolder));
  if (found)
    throw new Error(`${dataFolder} is not reachable for PostgreSQL's user: move it away, or allow it.`);
  const target = path.join(reachableFolderFor(dataFolder), 'postgres');
  say(`PostgreSQL's user cannot reach ${dataFolder}: it is now a link to ${target}.`);
  symlinkSync(target, dataFolder);
  return target;
}

/** Deletes the data, the link to it where there is one, and the password. The server must not be running. */
export function removePostgresData(dataFolder: string): void {
  const found = lstatSync(dataFolder, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) {
    removeReachable(linkTarget(dataFolder, path.dirname(dataFolder)));
  }
  rmSync(dataFolder, { recursive: true, force: true });
  rmSync(passwordFileOf(dataFolder), { force: true });
}

/** The password is kept beside the data, and not in it: PostgreSQL's user need not read it. */
export function passwordFileOf(dataFolder: string): string {
  return `${path.resolve(dataFolder)}-password`;
}

function linkTarget(link: string, parent: string): string {
  const target = path.resolve(parent, readlinkSync(link));
  mkdirSync(path.dirname(target), { recursive: true });
  return existsSync(target) ? realpathSync(target) : target;
}
