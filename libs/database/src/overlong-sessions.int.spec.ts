import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import pg from 'pg';
import { endOverlongSessions, type OverlongSession } from './overlong-sessions';

let db: TestDatabase;
let opened: pg.Client[];
beforeEach(async () => {
  db = await createTestDatabase();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((client) => client.end().catch(() => undefined)));
  await db.drop();
});

const LONG_MS = 3_600_000;
/** Less than the statements of a test take. */
const ENDED_AT_ONCE = { longestMs: 10, longestOfWorkerMs: 10 };
const WITHOUT_LIMITS =
  'SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0';

/** A session that has lifted its own limits. `lost` resolves when the server has ended it. */
async function openSession(url: string): Promise<{ client: pg.Client; lost: Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  opened.push(client);
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => {
      resolve();
    });
  });
  await client.connect();
  await client.query(WITHOUT_LIMITS);
  return { client, lost };
}

const servicesOf = (ended: OverlongSession[]): string[] => ended.map(({ service }) => service).sort();

describe.each([
  ['gateway', 'serviceUrl', 'farebox_test_service'],
  ['account', 'accountUrl', 'farebox_test_account'],
  ['worker', 'workerUrl', 'farebox_test_worker'],
] as const)('the login of the %s, without limits of its own', (service, url, login) => {
  const expectToEnd = async (lost: Promise<void>): Promise<void> => {
    const ended = await endOverlongSessions(db.workerPool, ENDED_AT_ONCE);
    expect(ended).toEqual([{ service, login, ranForMs: expect.any(Number) as number }]);
    await lost;
  };

  it('loses a transaction that keeps a lock, and the lock', async () => {
    const { client, lost } = await openSession(db[url]);
    await client.query('BEGIN; SELECT 1 FROM _prisma_migrations');
    await client.query('SELECT pg_sleep(0.05)');
    const lock = 'BEGIN; LOCK TABLE _prisma_migrations IN ACCESS EXCLUSIVE MODE NOWAIT; ROLLBACK';
    const other = await openSession(db.url);
    await expect(other.client.query(lock)).rejects.toMatchObject({ code: '55P03' });
    await other.client.query('ROLLBACK');

    await expectToEnd(lost);
    await other.client.query("SET lock_timeout = '60s'");
    await other.client.query(lock.replace(' NOWAIT', ''));
  });

  it('loses a statement that does not end', async () => {
    const { client, lost } = await openSession(db[url]);
    const asleep = client.query('SELECT pg_sleep(3600)').catch((error: unknown) => error);
    await db.pool.query('SELECT pg_sleep(0.05)');
    await expectToEnd(lost);
    expect(await asleep).toMatchObject({ code: '57P01' });
  });

  it('loses a statement that commits again and again', async () => {
    const { client, lost } = await openSession(db[url]);
    const endless = 'DO $$ BEGIN LOOP PERFORM pg_sleep(0.001); COMMIT; END LOOP; END $$';
    const looping = client.query(endless).catch((error: unknown) => error);
    await db.pool.query('SELECT pg_sleep(0.05)');
    await expectToEnd(lost);
    expect(await looping).toMatchObject({ code: '57P01' });
  });

  it('loses a lock that it keeps outside of a transaction', async () => {
    const { client, lost } = await openSession(db[url]);
    await client.query('SELECT pg_advisory_lock(33)');
    await db.pool.query('SELECT pg_sleep(0.05)');
    await expectToEnd(lost);
    await db.pool.query('SELECT pg_advisory_xact_lock(33)');
  });
});

it('does not end a session that is within its limit, that is idle, or that no service has opened', async () => {
  const young = await openSession(db.serviceUrl);
  await young.client.query('BEGIN; SELECT 1 FROM _prisma_migrations');
  const idle = await openSession(db.accountUrl);
  const worker = await openSession(db.workerUrl);
  await worker.client.query('BEGIN; SELECT 1 FROM _prisma_migrations');
  const owner = await openSession(db.url);
  await owner.client.query('BEGIN; SELECT 1 FROM _prisma_migrations; SELECT pg_advisory_lock(33)');
  await db.pool.query('SELECT pg_sleep(0.05)');

  expect(
    await endOverlongSessions(db.workerPool, { longestMs: LONG_MS, longestOfWorkerMs: LONG_MS }),
  ).toEqual([]);
  expect(
    servicesOf(await endOverlongSessions(db.workerPool, { longestMs: 10, longestOfWorkerMs: LONG_MS })),
  ).toEqual(['gateway']);
  for (const { client } of [idle, worker, owner]) await client.query('SELECT 1');
});

it('reports that the owner of the database may not end the sessions of others, and which right it lacks', async () => {
  const owner = `test_owner_${String(process.pid)}`;
  await db.pool.query(`CREATE ROLE ${owner}`);
  try {
    await db.pool.query(`ALTER FUNCTION database_end_overlong OWNER TO ${owner}`);
    const { client, lost } = await openSession(db.serviceUrl);
    await client.query('BEGIN; SELECT 1 FROM _prisma_migrations');
    await expect(endOverlongSessions(db.workerPool, ENDED_AT_ONCE)).rejects.toMatchObject({
      code: '42501',
      message: `the sessions of services have no limit: GRANT pg_read_all_stats, pg_signal_backend TO ${owner}`,
    });

    await db.pool.query(`GRANT pg_read_all_stats, pg_signal_backend TO ${owner}`);
    expect(servicesOf(await endOverlongSessions(db.workerPool, ENDED_AT_ONCE))).toEqual(['gateway']);
    await lost;
  } finally {
    await db.pool.query(`DROP OWNED BY ${owner}; DROP ROLE ${owner}`);
  }
});

it.each(['servicePool', 'accountPool'] as const)('%s cannot end the sessions of others', async (login) => {
  await expect(endOverlongSessions(db[login], ENDED_AT_ONCE)).rejects.toMatchObject({ code: '42501' });
});
