import { createTestDatabase, type TestDatabase, PATIENT_POOL } from '@farebox/testing';
import type { Pool, PoolClient } from 'pg';
import { createPool } from './pool';
import { withTransaction } from './transaction';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ ...PATIENT_POOL, url: database.url, max: 4, applicationName: 'transaction-test' });
  await pool.query('CREATE TABLE counter (id int PRIMARY KEY, value int NOT NULL)');
});
beforeEach(async () => {
  await pool.query('TRUNCATE counter');
  await pool.query('INSERT INTO counter VALUES (1, 0), (2, 0)');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function values(): Promise<number[]> {
  const { rows } = await pool.query<{ value: number }>('SELECT value FROM counter ORDER BY id');
  return rows.map((row) => row.value);
}

const add = (client: PoolClient, id: number) =>
  client.query('UPDATE counter SET value = value + 1 WHERE id = $1', [id]);

describe('withTransaction', () => {
  it('commits and returns the result', async () => {
    expect(
      await withTransaction(pool, async (client) => {
        await add(client, 1);
        return 'done';
      }),
    ).toBe('done');
    expect(await values()).toEqual([1, 0]);
  });

  it('rolls back on an error and releases the connection', async () => {
    const work = withTransaction(pool, async (client) => {
      await add(client, 1);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await values()).toEqual([0, 0]);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  it('does not take a rolled-back transaction for a committed one', async () => {
    const work = withTransaction(pool, async (client) => {
      await add(client, 1);
      await client.query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(work).rejects.toThrow('rolled back by the server');
    expect(await values()).toEqual([0, 0]);
  });

  it('resolves a deadlock: both transactions succeed', async () => {
    let arrived = 0;
    let openGate = (): void => undefined;
    const gate = new Promise<void>((resolve) => (openGate = resolve));
    let runs = 0;
    const crosswise = (first: number, second: number): Promise<void> =>
      withTransaction(pool, async (client) => {
        runs++;
        await add(client, first);
        if (++arrived === 2) openGate();
        await gate;
        await add(client, second);
      });
    await Promise.all([crosswise(1, 2), crosswise(2, 1)]);
    expect(runs).toBeGreaterThan(2);
    expect(await values()).toEqual([2, 2]);
  });

  it('gives up after four attempts', async () => {
    let runs = 0;
    const work = withTransaction(pool, async (client) => {
      runs++;
      await client.query(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`);
    });
    await expect(work).rejects.toMatchObject({ code: '40001' });
    expect(runs).toBe(4);
  });

  it('discards a lost connection', async () => {
    const work = withTransaction(pool, async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await database.pool.query('SELECT pg_terminate_backend($1, 2000)', [rows[0]?.pid]);
      await add(client, 1);
    });
    await expect(work).rejects.toThrow();
    expect(await values()).toEqual([0, 0]);
  });
});
