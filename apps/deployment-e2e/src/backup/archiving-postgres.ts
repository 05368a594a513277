import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTemporaryPostgres, workspaceRoot, type PostgresServer } from '@farebox/local-services';
import pg from 'pg';

export interface ArchivingPostgres {
  server: PostgresServer;
  dataFolder: string;
  /** The folder for every finished segment of the write-ahead log. */
  archive: string;
  /** The folder for copies of its data. */
  folder: string;
  /** The owner of the files. */
  owner: { uid: number; gid: number };
  remove(): Promise<void>;
}

/** A PostgreSQL that archives its write-ahead log, set up as in docs/operate/operating.md. */
export async function startArchivingPostgres(): Promise<ArchivingPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-backup-'));
  chmodSync(folder, 0o711);
  const archive = join(folder, 'archive');
  mkdirSync(archive);
  const postgres = await startTemporaryPostgres({
    archive_mode: 'on',
    archive_command: readArchiveCommand().replaceAll('/archive/', `${archive}/`),
    full_page_writes: 'on',
  });
  const { server } = postgres;
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  await client.end();
  const dataFolder = rows[0]?.data_directory ?? '';
  const { uid, gid } = statSync(dataFolder);
  chownSync(archive, uid, gid);
  return {
    server,
    dataFolder,
    archive,
    folder,
    owner: { uid, gid },
    async remove() {
      await postgres.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The command from the guide. */
function readArchiveCommand(): string {
  const guide = readFileSync(join(workspaceRoot(), 'docs/operate/operating.md'), 'utf8');
  const command = /^ +- archive_command=(.+?)(?: #.*)?$/m.exec(guide)?.[1];
  if (command === undefined) throw new Error('docs/operate/operating.md has no archive_command');
  return command;
}
