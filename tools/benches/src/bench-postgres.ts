import { createTemplateDatabase, startTemporaryPostgres } from '@farebox/local-services';
import pg from 'pg';

/** A PostgreSQL for one bench, set as one in production is. */
export interface BenchPostgres {
  /** A migrated database of this name; answers with the owner's URL of it. */
  createDatabase(name: string): Promise<string>;
  remove(): Promise<void>;
}

const TEMPLATE = 'farebox_bench';

export async function startBenchPostgres({ fsync }: { fsync: boolean }): Promise<BenchPostgres> {
  const postgres = await startTemporaryPostgres({
    fsync: fsync ? 'on' : 'off',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    shared_buffers: '512MB',
    max_wal_size: '4GB',
  });
  const url = postgres.server.url();
  await createTemplateDatabase(url, TEMPLATE);
  return {
    async createDatabase(name) {
      await runOnce(url, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
      return Object.assign(new URL(url), { pathname: `/${name}` }).href;
    },
    remove: () => postgres.remove(),
  };
}

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
