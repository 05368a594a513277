import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import type { PoolClient } from 'pg';
import { postToOutbox, takeFromOutbox } from './mail-queue';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const post = (id: string) => postToOutbox(db.pool, 'send-mail', { mailId: id }, id);

async function givenRows(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidV7());
  // Newest first, so that the table's order differs from theirs.
  for (const id of [...ids].reverse()) await post(id);
  return ids;
}

/** Runs `work` in a transaction of the worker and ends it as given. */
async function inTransaction<Result>(
  end: 'COMMIT' | 'ROLLBACK',
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await db.workerPool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query(end);
    return result;
  } finally {
    client.release();
  }
}

const idsIn = ({ jobs }: { jobs: { id: string }[] }) => jobs.map(({ id }) => id);
const idsLeft = async () =>
  (await db.pool.query<{ id: string }>('SELECT id FROM outbox ORDER BY id')).rows.map(({ id }) => id);

it('work posted in a transaction exists only after its commit', async () => {
  const client = await db.pool.connect();
  for (const end of ['ROLLBACK', 'COMMIT']) {
    await client.query('BEGIN');
    await postToOutbox(client, 'send-mail', { mailId: uuidV7() });
    expect(await idsLeft()).toEqual([]);
    await client.query(end);
  }
  client.release();
  expect(await idsLeft()).toHaveLength(1);
});

it('a payload is written in the form of the queue and read in the form of a handler', async () => {
  const charge = {
    holdId: uuidV7(),
    accountId: uuidV7(),
    usage: {
      ...{ measuredCostNano: 9_007_199_254_740_993n as never, promptTokens: 1, completionTokens: 2 },
      ...{ outcome: 'completed' as const, streamed: true, estimated: false, latencyMs: 3 },
    },
  };
  await postToOutbox(db.pool, 'reconcile-charge', charge, charge.holdId);
  const { jobs } = await inTransaction('COMMIT', (client) => takeFromOutbox(client, { limit: 10 }));
  expect(jobs).toEqual([{ id: charge.holdId, job: 'reconcile-charge', payload: charge }]);
});

it('rows are taken oldest first, up to a limit, and deleted with the commit', async () => {
  const ids = await givenRows(5);
  const take = (limit: number) => inTransaction('COMMIT', (client) => takeFromOutbox(client, { limit }));
  expect(idsIn(await take(2))).toEqual(ids.slice(0, 2));
  expect(await idsLeft()).toEqual(ids.slice(2));
  expect(idsIn(await take(10))).toEqual(ids.slice(2));
  expect(idsIn(await take(10))).toEqual([]);
});

it('rows taken in a transaction that rolled back remain', async () => {
  const ids = await givenRows(3);
  await inTransaction('ROLLBACK', (client) => takeFromOutbox(client, { limit: 10 }));
  expect(await idsLeft()).toEqual(ids);
});

it('concurrent workers neither wait for nor take the same rows', async () => {
  const ids = await givenRows(4);
  await inTransaction('COMMIT', async (one) => {
    expect(idsIn(await takeFromOutbox(one, { limit: 2 }))).toEqual(ids.slice(0, 2));
    await inTransaction('COMMIT', async (other) => {
      expect(idsIn(await takeFromOutbox(other, { limit: 10 }))).toEqual(ids.slice(2));
    });
  });
  expect(await idsLeft()).toEqual([]);
});

it('jobs of a newer version are left for its worker; an unreadable payload is reported, and skipped on demand', async () => {
  const [newJob, newPayload] = [uuidV7(), uuidV7()];
  const [known] = await givenRows(1);
  await db.pool.query(
    `INSERT INTO outbox (id, job, payload) VALUES ($1, 'brew-tea', '{}'), ($2, 'send-mail', '{"to": "x"}')`,
    [newJob, newPayload],
  );
  const taken = await inTransaction('ROLLBACK', (client) => takeFromOutbox(client, { limit: 10 }));
  expect(taken).toMatchObject({ jobs: [{ id: known }], unreadableIds: [newPayload] });
  const again = { limit: 10, passOverIds: [newPayload] };
  const rest = await inTransaction('COMMIT', (client) => takeFromOutbox(client, again));
  expect(rest).toMatchObject({ jobs: [{ id: known }], unreadableIds: [] });
  expect(await idsLeft()).toEqual([newJob, newPayload].sort());
});

it.each([
  ['a payload that fills the disk', 'send-mail', { mailId: 'x'.repeat(9_000) }],
  ['a payload that is no object', 'send-mail', [1]],
  ['a job without a name', '', {}],
])('%s is refused', async (_, job, payload) => {
  const insert = db.pool.query('INSERT INTO outbox (id, job, payload) VALUES ($1, $2, $3)', [
    uuidV7(),
    job,
    JSON.stringify(payload),
  ]);
  await expect(insert).rejects.toMatchObject({ code: '23514' });
});
