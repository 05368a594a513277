import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {
  canTraverse,
  type PostgresBinaries,
  reachableFolderFor,
  removeReachable,
  type SystemUser,
} from './postgres-binaries';
import { runToEnd } from './service-process';

/**
 * The real folder of the data for `dataFolder`: itself, or, if `user` cannot reach it, one outside the checkout, to
 * which `dataFolder` is then a link.
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

/** Deletes the data, the link to it if there is one, and the password. The server must not be running. */
export function removePostgresData(dataFolder: string): void {
  const found = lstatSync(dataFolder, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) {
    removeReachable(linkTarget(dataFolder, path.dirname(dataFolder)));
  }
  rmSync(dataFolder, { recursive: true, force: true });
  rmSync(passwordFileOf(dataFolder), { force: true });
}

/** The password is kept beside the data, not in it: PostgreSQL's user need not read it. */
export function passwordFileOf(dataFolder: string): string {
  return `${path.resolve(dataFolder)}-password`;
}

function linkTarget(link: string, parent: string): string {
  const target = path.resolve(parent, readlinkSync(link));
  mkdirSync(path.dirname(target), { recursive: true });
  return existsSync(target) ? realpathSync(target) : target;
}

/** The password in `file`; if there is none, a new one is generated and kept, readable by this user only. */
export function passwordFrom(file: string): string {
  if (!existsSync(file))
    writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' });
  return readFileSync(file, 'utf8').trim();
}

export interface ClusterOptions {
  binaries: PostgresBinaries;
  /** The real folder of the data. */
  dataFolder: string;
  superuser: string;
  password: string;
  runAs: SystemUser | undefined;
  /** The data need not survive a power failure: nothing waits for the disk. */
  isTemporary: boolean;
}

/**
 * Creates the database cluster if there is none yet; an interrupted run leaves nothing half done. Throws if the
 * folder contains something else, or data of another major version.
 */
export async function initialiseCluster(options: ClusterOptions): Promise<void> {
  const { dataFolder, binaries } = options;
  if (existsSync(path.join(dataFolder, 'PG_VERSION'))) {
    assertVersion(dataFolder, binaries.majorVersion);
    return;
  }
  removeIfEmpty(dataFolder);
  const incoming = `${dataFolder}.incoming`;
  const passwordFile = `${dataFolder}.password`;
  rmSync(incoming, { recursive: true, force: true });
  mkdirSync(incoming, { mode: 0o700 });
  try {
    writeFileSync(passwordFile, options.password, { mode: 0o600 });
    if (options.runAs) {
      for (const file of [incoming, passwordFile]) chownSync(file, options.runAs.uid, options.runAs.gid);
    }
    await runInitdb(options, incoming, passwordFile);
    renameSync(incoming, dataFolder);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(incoming, { recursive: true, force: true });
  }
}

async function runInitdb(options: ClusterOptions, folder: string, passwordFile: string): Promise<void> {
  await runToEnd({
    name: 'initdb',
    command: path.join(options.binaries.folder, 'initdb'),
    args: [
      `--pgdata=${folder}`,
      `--username=${options.superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      ...(options.isTemporary ? ['--no-sync'] : []),
      '--encoding=UTF8',
      // The same on every machine, whatever its locales.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ],
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    runAs: options.runAs,
  });
}

function assertVersion(dataFolder: string, majorVersion: string): void {
  const found = readFileSync(path.join(dataFolder, 'PG_VERSION'), 'utf8').trim();
  if (found === majorVersion) return;
  throw new Error(
    `The data in ${dataFolder} is of PostgreSQL ${found}, and this is PostgreSQL ${majorVersion}: start once with --reset, which deletes it.`,
  );
}

function removeIfEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (readdirSync(folder).length > 0) {
    throw new Error(`${folder} is not empty and holds no PostgreSQL data: move it away.`);
  }
  rmdirSync(folder);
}
