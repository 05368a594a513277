import { createServer, type AddressInfo } from 'node:net';
import { createTestDatabase, PATIENT_POOL, type TestDatabase } from '@farebox/testing';
import { Client, type Pool } from 'pg';
import { isConflict, isDatabaseUnavailable, isRetryable, isUniqueViolation } from './transaction';
import { createPool, createPrismaClient } from './pool';

const account = { id: '01990000-0000-7000-8000-000000000001', email: 'ada@example.com', name: 'Ada' };
const INSERT = `INSERT INTO account (id, email, name) VALUES ($1, $2, $3)`;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({
    ...PATIENT_POOL,
    ...{ url: database.url, max: 3, applicationName: 'errors-test', statementTimeoutMs: 300 },
  });
  await pool.query(INSERT, Object.values(account));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe.each(['pg', 'Prisma'])('an error of %s', (client) => {
  const run = (viaPool: Pool, sql: string): Promise<unknown> =>
    client === 'pg' ? viaPool.query(sql) : createPrismaClient(viaPool).$queryRawUnsafe(sql);

  it('is a unique violation', async () => {
    const failure = await failureOf(() =>
      client === 'pg'
        ? pool.query(INSERT, Object.values(account))
        : createPrismaClient(pool).account.create({ data: account }),
    );
    expect(isUniqueViolation(failure)).toBe(true);
    expect(isRetryable(failure)).toBe(false);
  });

  it.each(['40001', '40P01'])('is the conflict %s', async (state) => {
    const failure = await failureOf(() =>
      run(pool, `DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '${state}'; END $$`),
    );
    expect(isConflict(failure)).toBe(true);
    expect(isRetryable(failure)).toBe(true);
    expect(isDatabaseUnavailable(failure)).toBe(false);
  });

  it('is a statement time-out', async () => {
    const failure = await failureOf(() => run(pool, 'SELECT pg_sleep(30)::text'));
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect(isConflict(failure)).toBe(false);
  });

  it('is a server that takes no writes: a standby, or a primary that was demoted', async () => {
    const readers = createPool({
      ...PATIENT_POOL,
      ...{ url: database.url, max: 1, applicationName: 'errors-test', readOnly: true },
    });
    const failure = await failureOf(() => run(readers, "UPDATE account SET name = 'Eve' RETURNING name"));
    expect(isDatabaseUnavailable(failure)).toBe(true);
    await readers.end();
  });

  it('is a connection time-out', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const url = `postgres://u:p@127.0.0.1:${String(port)}/d`;
    const [lone, pooled] = [
      new Client({ connectionString: url, connectionTimeoutMillis: 50 }),
      createPool({ url, max: 1, applicationName: 'errors-test', connectTimeoutMs: 50 }),
    ];
    const failure = await failureOf(() => (client === 'pg' ? lone.connect() : run(pooled, 'SELECT 1')));
    expect(isDatabaseUnavailable(failure)).toBe(true);
    await pooled.end();
    silent.close();
  });

  it('is a missing server', async () => {
    const nowhere = createPool({
      url: 'postgres://nobody@localhost:1/none',
      max: 1,
      applicationName: 'errors-test',
    });
    const failure = await failureOf(() => run(nowhere, 'SELECT 1'));
    expect(isDatabaseUnavailable(failure)).toBe(true);
    await nowhere.end();
  });

  it('is none of these if the statement is wrong', async () => {
    const failure = await failureOf(() => run(pool, 'SELECT nonsense'));
    expect(isRetryable(failure)).toBe(false);
    expect(isUniqueViolation(failure)).toBe(false);
  });
});
