import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { runToEnd } from '../process/run-to-end';
import { type PostgresBinaries } from './postgres-binaries';
import { type SystemUser } from './system-user';

export interface ClusterOptions {
  binaries: PostgresBinaries;
  /** The folder that really holds the data. */
  dataFolder: string;
  superuser: string;
  password: string;
  runAs: SystemUser | undefined;
}

/**
 * Makes the database cluster where there is none yet, so that a run that was cut short leaves nothing half made.
 * Throws where the folder holds something else, or data of another major version.
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
      '--encoding=UTF8',
      // The same on every machine, whatever locales it has.
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
