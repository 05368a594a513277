import { uuidV7 } from '@farebox/auth';
import { createPool } from '@farebox/database';
import { postToOutbox } from '@farebox/mail';
import { createTestDatabase, type TestDatabase, PATIENT_POOL } from '@farebox/testing';
import type { Pool } from 'pg';
import { openOutboxRelay, RELAY_BATCH } from './outbox-relay';

let db: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  db = await createTestDatabase();
  pool = createPool({ ...PATIENT_POOL, url: db.workerUrl, max: 4, applicationName: 'relay-test' });
});
afterEach(async () => {
  await pool.end();
  await db.drop();
});

async function givenRows(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidV7());
  for (const id of ids) await postToOutbox(db.pool, 'send-mail', { mailId: id }, id);
  return ids;
}

const left = async () => (await db.pool.query('SELECT FROM outbox')).rowCount;

/** A relay to a queue that records the ids, after running `meanwhile` for each. */
function relayTo(sent: string[], meanwhile: (id: string) => Promise<unknown> = () => Promise.resolve()) {
  const unreadable: string[] = [];
  const { relay } = openOutboxRelay({
    pool,
    sender: {
      send: async (_job, id) => {
        await meanwhile(id);
        sent.push(id);
      },
    },
    onUnreadable: (id) => unreadable.push(id),
  });
  return { relay, unreadable };
}

it('everything is handed over under the id of its row, in batches, and the outbox is empty', async () => {
  const ids = await givenRows(2 * RELAY_BATCH + 1);
  const sent: string[] = [];
  expect(await relayTo(sent).relay()).toBe(ids.length);
  expect(sent.sort()).toEqual(ids);
  expect(await left()).toBe(0);
});

it('two concurrent relays hand every row over once', async () => {
  const ids = await givenRows(4 * RELAY_BATCH);
  const sent: string[] = [];
  const counts = await Promise.all([1, 2, 3].map(() => relayTo(sent).relay()));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
  expect(sent.sort()).toEqual(ids);
});

it('if the queue accepts only one of two jobs, both stay and are added again under the same ids', async () => {
  const ids = await givenRows(2);
  const sent: string[] = [];
  const half = relayTo(sent, (id) =>
    id === ids[1] ? Promise.reject(new Error('no queue')) : Promise.resolve(),
  );
  await expect(half.relay()).rejects.toThrow('no queue');
  expect(sent).toEqual([ids[0]]);
  expect(await left()).toBe(2);
  expect(await relayTo(sent).relay()).toBe(2);
  expect(sent.sort()).toEqual([ids[0], ...ids].sort());
});

it('a worker that dies between adding a job and the commit leaves the row', async () => {
  const [id = ''] = await givenRows(1);
  const sent: string[] = [];
  const dying = relayTo(sent, () =>
    db.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction'`,
    ),
  );
  await expect(dying.relay()).rejects.toThrow();
  expect(sent).toEqual([id]);
  expect(await left()).toBe(1);
  expect(await relayTo(sent).relay()).toBe(1);
  expect(sent).toEqual([id, id]);
});

it('a row of a newer version is left, reported once, and blocks nothing', async () => {
  const foreign = uuidV7();
  await db.pool.query(`INSERT INTO outbox (id, job, payload) VALUES ($1, 'send-mail', '{"later": 1}')`, [
    foreign,
  ]);
  const ids = await givenRows(RELAY_BATCH);
  const sent: string[] = [];
  const { relay, unreadable } = relayTo(sent);
  expect([await relay(), await relay()]).toEqual([RELAY_BATCH, 0]);
  expect(sent.sort()).toEqual(ids);
  expect(unreadable).toEqual([foreign]);
  expect(await left()).toBe(1);
});
