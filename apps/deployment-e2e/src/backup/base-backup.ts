import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { passwordFrom, PostgresServer } from '@farebox/local-services';
import pg from 'pg';
import type { ArchivingPostgres } from './archiving-postgres';

/** Belongs to the running server, and to no backup. Source: PostgreSQL, "Making a Base Backup". */
const LEFT_OUT = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];
const LEFT_OUT_FILES = ['postmaster.pid', 'postmaster.opts'];

/**
 * Copies the data of a running server like `pg_basebackup`, between two calls to the server: the npm package
 * of the tests' PostgreSQL has no client programs. `meanwhile` runs between the two calls, too.
 */
export async function takeBaseBackup(
  source: ArchivingPostgres,
  name: string,
  meanwhile: () => Promise<void>,
): Promise<string> {
  const backup = join(source.folder, name);
  const client = new pg.Client({ connectionString: source.server.url() });
  await client.connect();
  try {
    await client.query('SELECT pg_backup_start($1, fast => true)', [name]);
    await copyFolder(source.dataFolder, backup, [...LEFT_OUT, ...LEFT_OUT_FILES]);
    await meanwhile();
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
    writeFileSync(join(backup, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  for (const folder of LEFT_OUT) mkdirSync(join(backup, folder), { mode: 0o700 });
  mkdirSync(join(backup, 'pg_wal/archive_status'), { mode: 0o700 });
  return backup;
}

/**
 * Starts a server on a backup, which replays the archive up to a restore point and then accepts connections.
 */
export async function restore(
  source: ArchivingPostgres,
  backup: string,
  restorePoint: string,
): Promise<PostgresServer> {
  writeFileSync(join(backup, 'recovery.signal'), '');
  giveTo(backup, source.owner);
  // The roles and their passwords are those of the backup.
  writeFileSync(`${backup}-password`, passwordFrom(`${source.dataFolder}-password`), { mode: 0o600 });
  return PostgresServer.start({
    dataFolder: backup,
    settings: {
      // At least that of the server that wrote the log, or the log is rejected.
      max_connections: '200',
      restore_command: `cp ${source.archive}/%f %p`,
      recovery_target_name: restorePoint,
      recovery_target_action: 'promote',
    },
  });
}

/** In steps, because the gateway and its lease run in this process too. */
async function copyFolder(from: string, to: string, leftOut: readonly string[] = []): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (leftOut.includes(entry.name)) continue;
    const [file, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(file, copy);
    else await copyFile(file, copy).catch(unlessGone);
  }
}

/** A file that the server deleted meanwhile: the log contains the deletion too. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

function giveTo(folder: string, owner: { uid: number; gid: number }): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, entry), owner.uid, owner.gid);
  chownSync(folder, owner.uid, owner.gid);
}
