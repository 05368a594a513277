import type { Socket } from 'node:net';
import { createTestDatabase, PATIENT_POOL, type TestDatabase } from '@farebox/testing';
import type { Pool } from 'pg';
import { isDatabaseUnavailable } from './transaction';
import { createPool, createPrismaClient } from './pool';

let database: TestDatabase;
let pool: Pool;
let lost: Error[];

beforeAll(async () => {
  database = await createTestDatabase();
  // A server whose default time zone is not UTC, as on most laptops.
  const name = new URL(database.url).pathname.slice(1);
  await database.pool.query(`ALTER DATABASE ${name} SET timezone = 'America/St_Johns'`);
});
afterAll(() => database.drop());

beforeEach(() => {
  lost = [];
  pool = createPool({
    url: database.url,
    max: 3,
    applicationName: 'pool-test',
    statementTimeoutMs: 2_000,
    connectTimeoutMs: 5_000,
    onConnectionLost: (error) => lost.push(error),
  });
});
afterEach(() => pool.end());

async function killAllOf(pid: number): Promise<void> {
  await database.pool.query('SELECT pg_terminate_backend($1, 2000)', [pid]);
}

async function ownPid(queryable: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await queryable.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

describe('values', () => {
  it('come back exact', async () => {
    const { rows } = await pool.query(
      `SELECT 9223372036854775807::int8 AS big, ARRAY[1, NULL, -2]::int8[] AS bigs, '2026-03-29'::date AS day,
              ARRAY['2026-03-29']::date[] AS days, '2026-03-29T01:30:00Z'::timestamptz AS at, count(*) AS count
       FROM generate_series(1, 3)`,
    );
    expect(rows).toEqual([
      {
        big: 9223372036854775807n,
        bigs: [1n, null, -2n],
        day: '2026-03-29',
        days: ['2026-03-29'],
        at: new Date('2026-03-29T01:30:00Z'),
        count: 3n,
      },
    ]);
  });

  it('agree between pg and Prisma in a database with another time zone', async () => {
    const prisma = createPrismaClient(pool);
    const expiresAt = new Date('2026-11-21T04:05:06.789Z');
    await prisma.account.create({
      data: {
        id: '01990000-0000-7000-8000-000000000001',
        email: 'tz@example.com',
        name: 'TZ',
        createdAt: expiresAt,
      },
    });
    const { rows } = await pool.query('SELECT created_at FROM account');
    expect(rows).toEqual([{ created_at: expiresAt }]);
    expect(await prisma.account.findFirst()).toMatchObject({ createdAt: expiresAt });
  });

  it('keeps the options of the URL', async () => {
    const url = new URL(database.url);
    url.searchParams.set('options', '-c work_mem=5MB');
    const other = createPool({ ...PATIENT_POOL, url: url.href, max: 1, applicationName: 'pool-test' });
    const { rows } = await other.query(
      `SELECT current_setting('work_mem') AS memory, current_setting('TimeZone') AS zone`,
    );
    expect(rows).toEqual([{ memory: '5MB', zone: 'UTC' }]);
    await other.end();
  });
});

describe('a lost connection', () => {
  it('while idle is reported and replaced', async () => {
    await killAllOf(await ownPid(pool));
    while (lost.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('between two statements of a transaction fails the next one, not the process', async () => {
    const client = await pool.connect();
    const pid = await ownPid(client);
    await client.query('BEGIN');
    await killAllOf(pid);
    const failure = await client.query('SELECT 1').catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    client.release(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});

describe('limits', () => {
  it('cancels a statement that runs too long', async () => {
    const failure = await pool.query('SELECT pg_sleep(30)').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: '57014' });
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  it('limits the wait for a free connection', async () => {
    const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    const failure = await pool.query('SELECT 1').catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    for (const client of clients) client.release();
  });
});

describe('a pool for short queries', () => {
  it('plans them without compilation or parallel workers, in UTC like any other', async () => {
    const short = createPool({
      ...PATIENT_POOL,
      url: database.url,
      max: 1,
      applicationName: 'short',
      shortQueries: true,
    });
    const { rows } = await short.query(
      `SELECT current_setting('jit') AS jit, current_setting('max_parallel_workers_per_gather') AS workers,
              current_setting('TimeZone') AS zone`,
    );
    await short.end();
    expect(rows).toEqual([{ jit: 'off', workers: '0', zone: 'UTC' }]);
  });
});

describe('a session', () => {
  it('limits waits for locks, the run time of statements, and idle time in a transaction', async () => {
    const { rows } = await pool.query(
      `SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
              current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    expect(rows).toEqual([{ lock: '2s', statement: '2s', idle: '10s' }]);
  });

  it('whose wait for a lock times out gets a retryable error', async () => {
    const url = database.url;
    const impatient = createPool({
      ...PATIENT_POOL,
      url,
      max: 1,
      applicationName: 'impatient',
      lockTimeoutMs: 50,
    });
    const holder = await pool.connect();
    await holder.query('SELECT pg_advisory_lock(8)');
    const waited = await impatient.query('SELECT pg_advisory_lock(8)').catch((error: unknown) => error);
    expect(waited).toMatchObject({ code: '55P03' });
    expect(isDatabaseUnavailable(waited)).toBe(true);
    holder.release(true);
    await impatient.end();
  });

  it('for long statements has no limit from its login either', async () => {
    const url = database.serviceUrl;
    const long = createPool({ ...PATIENT_POOL, url, max: 1, applicationName: 'long', statementTimeoutMs: 0 });
    expect((await long.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
    await long.end();
  });
});

describe('a pool whose statements end with their client', () => {
  it('leaves no statement and no lock behind when the process is gone', async () => {
    const long = createPool({
      ...PATIENT_POOL,
      url: database.url,
      max: 1,
      applicationName: 'gone',
      statementTimeoutMs: 0,
      endsWithClient: true,
    });
    const client = await long.connect();
    const answer = client
      .query(`SELECT pg_advisory_lock(7), pg_sleep(3600)`)
      .catch((error: unknown) => error);
    await untilRunning('gone', 1);
    // As if the process had been killed.
    (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    expect(isDatabaseUnavailable(await answer)).toBe(true);
    client.release(true);
    await untilRunning('gone', 0);
    expect((await pool.query('SELECT pg_try_advisory_lock(7) AS free')).rows).toEqual([{ free: true }]);
    await long.end();
  });
});

describe('a pool of readers', () => {
  it('cannot write, whatever its login may do', async () => {
    const readers = createPool({
      ...PATIENT_POOL,
      url: database.url,
      max: 1,
      applicationName: 'readers',
      readOnly: true,
    });
    expect((await readers.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await expect(readers.query(`INSERT INTO cohort VALUES ('new', 1, 1)`)).rejects.toMatchObject({
      code: '25006',
    });
    await readers.end();
  });
});

const LONGEST_WAIT_MS = 60_000;

async function untilRunning(applicationName: string, count: number): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  const sql = `SELECT FROM pg_stat_activity WHERE application_name = $1 AND state = 'active'`;
  while ((await pool.query(sql, [applicationName])).rowCount !== count) {
    if (Date.now() > deadlineMs) throw new Error(`${applicationName} is not as it should be`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
