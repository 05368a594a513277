import type { TestDatabase } from '@farebox/testing';
import type pg from 'pg';
import type { Difference } from '../src/books/check-slice';
import { verifyLedger, type VerifyOptions } from '../src/books/verify-ledger';

const GUARDED = ['ledger_entry', 'funding', 'adjustment', 'usage_record', 'billing_review'];

/** The findings of the check of the books after `sql`, which runs without triggers and is rolled back. */
export async function differencesAfter(
  db: TestDatabase,
  sql: string,
  options: VerifyOptions = {},
): Promise<Difference[]> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    for (const table of GUARDED) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    const { rowCount } = await client.query(sql);
    expect(rowCount).toBeGreaterThan(0);
    return (await verifyLedger(asPool(client), options)).differences;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** The check starts its own transactions; here it must see uncommitted changes. */
function asPool(client: pg.PoolClient): Pick<pg.Pool, 'connect'> {
  const query = (sql: string, values?: unknown[]): Promise<unknown> =>
    /^(BEGIN|COMMIT|ROLLBACK)/.test(sql) ? Promise.resolve({ rows: [] }) : client.query(sql, values);
  return { connect: () => Promise.resolve({ query, release: () => undefined }) } as unknown as pg.Pool;
}
