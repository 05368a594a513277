import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { monthsAgo } from '../test/long-history';
import { watchPlans } from '../test/plans';
import { purgeUsageRecords } from './retention';

const OLD = 6_000;
const BATCH = 500;

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  const accountId = await givenAccount(db.pool);
  // The rest of the books does not contain these requests.
  await db.pool.query(
    `INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                               completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms, created_at)
     SELECT uuidv7(at - now()), $1, $2, 'small', $2, 'req_1', 1, 2, 3, 'completed', false, false, at, 1, at
     FROM generate_series(1, $3 + 40000) i
     CROSS JOIN LATERAL (SELECT CASE WHEN i <= $3 THEN $4::timestamptz ELSE $5 END + i * interval '1 second') t(at)`,
    [accountId, uuidV7(), OLD, monthsAgo(4), monthsAgo(1)],
  );
  await db.pool.query('INSERT INTO ledger_checkpoint VALUES (1, now(), now(), now())');
  await db.pool.query('ANALYZE');
});
afterAll(() => db.drop());

it.each(['custom', 'generic'] as const)(
  'a step reads only its own range of the key, %s plan',
  async (kind) => {
    const { result, scans } = await watchPlans(db.pool, kind, async (client) => {
      await client.query('BEGIN');
      const count = await purgeUsageRecords(client, { months: 2, batch: BATCH });
      await client.query('ROLLBACK');
      return count;
    });
    expect(result).toBe(OLD);
    // The deletion itself is also part of the plan, and reads nothing.
    const ofRecords = scans.filter(({ table, rowsRead }) => table === 'usage_record' && rowsRead > 0);
    expect(new Set(ofRecords.map(({ index }) => index))).toEqual(new Set(['usage_record_pkey']));
    // Once to find it, once to delete it.
    expect(ofRecords.reduce((sum, { rowsRead }) => sum + rowsRead, 0)).toBe(2 * OLD);
    expect(Math.max(...ofRecords.map(({ rowsRead }) => rowsRead))).toBe(BATCH);
    const ofEntries = scans.filter(({ table }) => table === 'ledger_entry');
    expect(new Set(ofEntries.map(({ index }) => index))).toEqual(new Set(['ledger_entry_refunds_idx']));
  },
);
