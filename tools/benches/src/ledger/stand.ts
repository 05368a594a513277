import { createTemplateDatabase, startTemporaryPostgres } from '@farebox/local-services';
import { verifyLedger } from '@farebox/ledger';
import pg from 'pg';
import { createCustomers } from './customers';
import type { Customer } from './passengers';

/** A PostgreSQL for one bench, set as one in production is. */
export interface Stand {
  /** A migrated database with as many customers. */
  createLedger(customers: number): Promise<BenchLedger>;
  remove(): Promise<void>;
}

export interface BenchLedger {
  databaseUrl: string;
  pool: pg.Pool;
  customers: Customer[];
  /** Throws where the books are not right. */
  verify(): Promise<void>;
}

const TEMPLATE = 'farebox_bench';

export async function startStand({ fsync }: { fsync: boolean }): Promise<Stand> {
  const postgres = await startTemporaryPostgres({
    fsync: fsync ? 'on' : 'off',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    shared_buffers: '512MB',
    max_wal_size: '4GB',
  });
  const url = postgres.server.url();
  await createTemplateDatabase(url, TEMPLATE);
  const ledgers: BenchLedger[] = [];
  return {
    async createLedger(count) {
      const name = `bench_${String(ledgers.length)}`;
      await runOnce(url, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
      const databaseUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href;
      const pool = new pg.Pool({ connectionString: databaseUrl });
      const ledger: BenchLedger = {
        databaseUrl,
        pool,
        customers: await createCustomers(pool, count),
        async verify() {
          const { ok, differences } = await verifyLedger(pool);
          if (!ok) throw new Error(`the books are not right: ${JSON.stringify(differences)}`);
        },
      };
      ledgers.push(ledger);
      return ledger;
    },
    async remove() {
      await Promise.all(ledgers.map(({ pool }) => pool.end()));
      await postgres.remove();
    },
  };
}

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
