import pg from 'pg';
import { verifyLedger } from '@farebox/ledger';
import { startBenchPostgres } from '../postgres';
import type { Customer } from './passengers';

/** Databases for one bench of the ledger. */
export interface Harness {
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

export async function startHarness({ fsync }: { fsync: boolean }): Promise<Harness> {
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
