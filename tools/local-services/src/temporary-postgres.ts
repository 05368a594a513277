import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
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
  /** Stops the server and deletes its data. */
  remove(): Promise<void>;
}

/** A PostgreSQL of one's own for tests: fast, not safe against a power failure, in a temporary folder. */
export async function startTemporaryPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<TemporaryPostgres> {
  const folder = temporaryFolder();
  const removeFolder = (): void => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const server = await PostgresServer.start({
      dataFolder: path.join(folder, 'postgres'),
      settings: { ...FOR_TESTS, ...settings },
    });
    return {
      server,
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
