import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canTraverse, postgresUser } from './postgres-binaries';
import { PostgresServer } from './postgres-server';

const FOR_TESTS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
};

export interface TemporaryPostgres {
  server: PostgresServer;
  /** Copies the data as they are now into a new folder, to start others from. Restarts the server. */
  keepAs(folder: string): Promise<void>;
  /** Stops the server and deletes its data. */
  remove(): Promise<void>;
}

/**
 * A PostgreSQL of one's own for tests: fast, not safe against a power failure, in a temporary folder. It begins with the
 * data that were kept in the folder `kept`, if that is given. Its processes have `env` in their environment besides.
 */
export async function startTemporaryPostgres(
  settings: Readonly<Record<string, string>> = {},
  kept?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<TemporaryPostgres> {
  const folder = temporaryFolder();
  const removeFolder = (): void => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    if (kept !== undefined) copyData(kept, folder);
    const server = await PostgresServer.start({
      dataFolder: path.join(folder, 'postgres'),
      settings: { ...FOR_TESTS, ...settings },
      env,
    });
    return {
      server,
      async keepAs(target) {
        await server.stop('fast');
        keepData(folder, target);
        await server.restart();
      },
      async remove() {
        await server.stop('immediate');
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** A folder that PostgreSQL's user can pass through, which the usual one of a root shell need not be. */
function temporaryFolder(): string {
  const user = postgresUser('/nonexistent');
  const base = [tmpdir(), '/tmp', '/var/tmp'].find((candidate) => canTraverse(candidate, user)) ?? tmpdir();
  const folder = mkdtempSync(path.join(base, 'farebox-postgres-'));
  chmodSync(folder, 0o711);
  return folder;
}

/** In one step: another run may be at it too, and then its copy is as good. */
function keepData(folder: string, target: string): void {
  const incoming = `${target}.${String(process.pid)}`;
  mkdirSync(incoming, { recursive: true, mode: 0o711 });
  copyData(folder, incoming);
  if (existsSync(target)) rmSync(incoming, { recursive: true });
  else renameSync(incoming, target);
}

/** With their owner: as root, the data are PostgreSQL's user's. */
function copyData(from: string, to: string): void {
  const files = ['postgres', 'postgres-password'].map((name) => path.join(from, name));
  const { status, stderr } = spawnSync('cp', ['-a', ...files, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The data in ${from} cannot be copied: ${stderr.trim()}`);
}
