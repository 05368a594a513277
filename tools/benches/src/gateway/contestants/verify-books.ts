import { setTimeout as sleep } from 'node:timers/promises';
import { verifyLedger } from '@farebox/ledger';
import pg from 'pg';

const LONGEST_WAIT_MS = 15_000;
const POLL_MS = 100;

/** To be asked when nothing runs any more. Throws where a hold is left, or the books are not right. */
export async function verifyBooks(databaseUrl: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  try {
    await untilNoHoldIsLeft(pool);
    const { ok, differences } = await verifyLedger(pool);
    if (!ok) throw new Error(`the books are not right: ${JSON.stringify(differences)}`);
  } finally {
    await pool.end();
  }
}

/** The last charges may still be on their way when the load is over. */
async function untilNoHoldIsLeft(pool: pg.Pool): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM hold');
    const count = rows[0]?.count ?? 0;
    if (count === 0) return;
    if (Date.now() > deadlineMs) throw new Error(`${String(count)} holds are left`);
    await sleep(POLL_MS);
  }
}
