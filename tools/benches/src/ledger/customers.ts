import type pg from 'pg';
import type { Customer } from './passengers';

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
