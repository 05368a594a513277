import type { TestDatabase } from '@farebox/testing';
import type pg from 'pg';
import { verifyLedger, type Difference } from './verify';

const GUARDED = ['ledger_entry', 'funding', 'adjustment', 'usage_record', 'billing_review'];

/** What the check of the books finds where `sql` was done, with all triggers out of the way. Nothing of it stays. */
export async function differencesAfter(db: TestDatabase, sql: string): Promise<Difference[]> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    for (const table of GUARDED) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    const { rowCount } = await client.query(sql);
    expect(rowCount).toBeGreaterThan(0);
    return (await verifyLedger(asPool(client))).differences;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** The check runs in a transaction of its own; here it is to see what is not committed. */
function asPool(client: pg.PoolClient): pg.Pool {
  const query = (sql: string): Promise<unknown> =>
    /^(BEGIN|ROLLBACK)/.test(sql) ? Promise.resolve({ rows: [] }) : client.query(sql);
  return { connect: () => Promise.resolve({ query, release: () => undefined }) } as unknown as pg.Pool;
}
