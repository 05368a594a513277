import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

export interface SystemUser {
  uid: number;
  gid: number;
}

/**
 * Whom PostgreSQL runs as: undefined stands for this process's own user. PostgreSQL refuses to run as root, so as
 * root it is the owner of the data folder where there is one, else `postgres`, else `nobody`.
 */
export function postgresUser(dataFolder: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataFolder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = lookUp('postgres') ?? lookUp('nobody');
  if (!user) {
    throw new Error(
      'PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody": run this as a normal user.',
    );
  }
  return user;
}

/** Whether `user` may reach what is inside `folder`. */
export function canTraverse(folder: string, user: SystemUser | undefined): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { cwd: '/', ...user }).status === 0;
}

function lookUp(name: string): SystemUser | undefined {
  const id = (flag: string): number =>
    Number.parseInt(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }).toString(), 10);
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}
