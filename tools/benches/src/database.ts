import pg from 'pg';
import { verifyLedger } from '@farebox/ledger';
import {
  applyMigrations,
  createTemplateDatabase,
  PostgresServer,
  startTemporaryPostgres,
} from '@farebox/local-services';

/** A PostgreSQL for one bench, set as one in production is. */
export interface BenchPostgres {
  /** A migrated database of this name; answers with the owner's URL of it. */
  createDatabase(name: string): Promise<string>;
  remove(): Promise<void>;
}

/** How a bench's PostgreSQL is run. */
export interface PostgresMachine {
  fsync: boolean;
  /** What its processes have in their environment besides. */
  env?: Readonly<Record<string, string>> | undefined;
}

const SETTINGS = {
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
};

const TEMPLATE = 'farebox_bench';

export async function startBenchPostgres({ fsync, env }: PostgresMachine): Promise<BenchPostgres> {
  const settings = { ...SETTINGS, fsync: fsync ? 'on' : 'off' };
  const postgres = await startTemporaryPostgres(settings, undefined, env);
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

/** The same, on data that stay in a folder for the next run. A database that is there already is brought up to date. */
export async function startKeptBenchPostgres(dataFolder: string): Promise<BenchPostgres> {
  const server = await PostgresServer.start({ dataFolder, settings: SETTINGS });
  return {
    async createDatabase(name) {
      const url = server.url(name);
      await applyMigrations(url);
      return url;
    },
    remove: () => server.stop('fast'),
  };
}

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** An account with a key, and money enough for the whole bench. */
export interface Customer {
  accountId: string;
  apiKeyId: string;
}

/** Databases for one bench of the ledger. */
interface LedgerHarness {
  createLedger(customers: number): Promise<BenchLedger>;
  remove(): Promise<void>;
}

export interface BenchLedger {
  databaseUrl: string;
  pool: pg.Pool;
  customers: Customer[];
  /** Throws if the books are not right. */
  verify(): Promise<void>;
}

export async function startLedgerHarness({ fsync }: { fsync: boolean }): Promise<LedgerHarness> {
  const postgres = await startBenchPostgres({ fsync });
  const ledgers: BenchLedger[] = [];
  return {
    async createLedger(count) {
      const databaseUrl = await postgres.createDatabase(`bench_${String(ledgers.length)}`);
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

/** Accounts with a key each, without limits that a bench would reach, and a million dollars on each. */
export async function createCustomers(pool: pg.Pool, count: number): Promise<Customer[]> {
  await pool.query(
    `INSERT INTO account (id, email, name, invite_status, daily_request_cap, daily_spend_cap_nano)
     SELECT id, id || '@example.com', 'bench', 'active', 2000000000, 1000000000000000
     FROM (SELECT uuidv7() AS id FROM generate_series(1, $1)) new`,
    [count],
  );
  await pool.query('SELECT ledger_open_account(id) FROM account');
  await pool.query(
    `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint)
     SELECT uuidv7(), id, 'bench', sha256(id::text::bytea), 1, 'abcd' FROM account`,
  );
  await pool.query(
    `SELECT ledger_top_up(uuidv7(), id, 1000000000000000, 'manual', 'bench-' || id) FROM account`,
  );
  const { rows } = await pool.query<{ account_id: string; id: string }>('SELECT account_id, id FROM api_key');
  return rows.map((row) => ({ accountId: row.account_id, apiKeyId: row.id }));
}
