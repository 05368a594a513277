import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';

/** The files whose functions read the clock for holds, charges, reviews, sums and limits. */
const FILES = ['entries.sql', 'limits.sql', 'place.sql', 'reviews.sql', 'settle.sql', 'usage.sql'];

/**
 * Gives the ledger of a test's own database a clock that the test sets, in one database for all of its gateways. Leases
 * keep the real one.
 */
export async function installClock(pool: pg.Pool): Promise<{ set(at: Date): Promise<void> }> {
  await pool.query(`
    CREATE TABLE test_clock (now timestamptz NOT NULL);
    INSERT INTO test_clock VALUES (clock_timestamp());
    CREATE FUNCTION test_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now FROM public.test_clock'`);
  for (const file of FILES) {
    const sql = readFileSync(join(__dirname, '../sql', file), 'utf8');
    await pool.query(
      sql
        .replaceAll('lease_expires_at > v_now', 'lease_expires_at > statement_timestamp()')
        .replaceAll(/\b(clock_timestamp|now)\(\)/g, 'public.test_now()'),
    );
  }
  return {
    async set(at) {
      await pool.query('UPDATE test_clock SET now = $1', [at]);
    },
  };
}
