import { uuidV7 } from '@farebox/auth';
import { verifyLedger } from '@farebox/ledger';
import { createLogger } from '@farebox/observability';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { purgeRequests, purgeUncharged } from './handlers';

let db: TestDatabase;
let lines: string[];
beforeEach(async () => {
  db = await createTestDatabase();
  lines = [];
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  const now = new Date();
  for (const months of [20, 14, 13, 0]) {
    const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
    await givenPastCharge(db.pool, { accountId, apiKeyId, at });
  }
  await verifyLedger(db.workerPool);
});
afterEach(async () => {
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

function runJob(months: number | undefined, purged: 'drop' | 'detach' = 'drop'): Promise<void> {
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'info', destination });
  return purgeRequests({ pool: db.workerPool, log, months, purged });
}
/** The first id of the months after the table that was there before partitioning. */
async function firstPartitionEnd(): Promise<string> {
  const { rows } = await db.pool.query<{ bound: string }>(
    `SELECT substring(pg_get_expr(relpartbound, oid) FROM 'TO \\(''([0-9a-f-]{36})') AS bound FROM pg_class
     WHERE oid = 'farebox_partition.ledger_entry_first'::regclass`,
  );
  return rows[0]?.bound ?? '';
}
const recordsLeft = async (): Promise<number | null> =>
  (await db.pool.query('SELECT FROM usage_record')).rowCount;

it('deletes the records of requests past their retention, once, and logs the number', async () => {
  await runJob(13);
  await runJob(13);
  expect(await recordsLeft()).toBe(2);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"event":"requests_purged","count":2');
});

it('removes whole partitions first, and deletes no single rows if they are detached for an archive', async () => {
  // As if the oldest two had been recorded in partitioned months.
  await db.pool.query(`
    ALTER TABLE usage_record DETACH PARTITION farebox_partition.usage_record_first;
    CREATE TABLE farebox_partition.usage_record_old (LIKE usage_record INCLUDING ALL);
    INSERT INTO farebox_partition.usage_record_old
      SELECT * FROM farebox_partition.usage_record_first ORDER BY id LIMIT 2;
    ALTER TABLE farebox_partition.usage_record_first DISABLE TRIGGER USER;
    DELETE FROM farebox_partition.usage_record_first
      WHERE id IN (SELECT id FROM farebox_partition.usage_record_old);
    ALTER TABLE farebox_partition.usage_record_first ENABLE TRIGGER USER`);
  const { rows } = await db.pool.query<{ between: string }>(
    `SELECT ledger_first_id_of(date_trunc('month', created_at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')::text AS between
     FROM farebox_partition.usage_record_first ORDER BY id LIMIT 1`,
  );
  const between = rows[0]?.between ?? '';
  await db.pool.query(`
    ALTER TABLE usage_record ATTACH PARTITION farebox_partition.usage_record_old
      FOR VALUES FROM (MINVALUE) TO ('${between}');
    ALTER TABLE usage_record ATTACH PARTITION farebox_partition.usage_record_first
      FOR VALUES FROM ('${between}') TO ('${await firstPartitionEnd()}')`);

  await runJob(12, 'detach');
  await runJob(12, 'detach');
  expect(lines.map((line) => (JSON.parse(line) as { partition: string }).partition)).toEqual([
    'usage_record_old',
  ]);
  expect((await db.pool.query('SELECT FROM farebox_archive.usage_record_old')).rowCount).toBe(2);
  // One more is past its retention, in a partition with others that are not.
  expect(await recordsLeft()).toBe(2);
});

it('deletes none if they are kept forever', async () => {
  await runJob(undefined);
  expect(await recordsLeft()).toBe(4);
  expect(lines).toEqual([]);
});

it('deletes refused and failed requests past their retention, once, and logs the number', async () => {
  const note = (id: string) =>
    db.pool.query(
      `INSERT INTO uncharged_request (id, account_id, api_key_id, request_id, outcome, streamed, latency_ms, created_at)
       VALUES ($1, gen_random_uuid(), gen_random_uuid(), 'req_1', 'failed', false, 1, now())`,
      [id],
    );
  await note('01900000-0000-7000-8000-000000000000');
  await note(uuidV7());
  const log = createLogger({
    service: 'worker',
    level: 'info',
    destination: { write: (line) => lines.push(line) },
  });
  await purgeUncharged({ pool: db.workerPool, log, days: 30 });
  await purgeUncharged({ pool: db.workerPool, log, days: 30 });
  expect((await db.pool.query('SELECT FROM uncharged_request')).rowCount).toBe(1);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"event":"uncharged_requests_purged","count":1');
});
