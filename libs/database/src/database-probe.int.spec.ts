import { createTestDatabase, type FaultProxy, startFaultProxy, type TestDatabase } from '@farebox/testing';
import type { Pool } from 'pg';
import { createDatabaseProbe, createPool } from './pool';

let database: TestDatabase;
let proxy: FaultProxy;
let pool: Pool;
let nowMs: number;
let probe: () => Promise<boolean>;
beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await startFaultProxy(Number(new URL(database.serviceUrl).port));
  pool = createPool({
    url: proxy.through(database.serviceUrl),
    max: 2,
    applicationName: 'probe',
    connectTimeoutMs: 500,
  });
  nowMs = 0;
  probe = createDatabaseProbe(pool, () => nowMs);
});
afterEach(async () => {
  await proxy.heal();
  await pool.end();
  await proxy.close();
  await database.drop();
});

/** Asks after the last result has expired. */
function askAfterExpiry(): Promise<boolean> {
  nowMs += 500;
  return probe();
}

it('notices that the database is gone, and that it is back', async () => {
  expect(await askAfterExpiry()).toBe(true);
  proxy.toTarget.set({ kind: 'reset', afterBytes: 0 });
  proxy.reset();
  expect(await askAfterExpiry()).toBe(false);
  await proxy.heal();
  // At once: a bad result is not cached.
  expect(await probe()).toBe(true);
});

it('does not wait for a database that does not respond', async () => {
  expect(await askAfterExpiry()).toBe(true);
  proxy.toTarget.set({ kind: 'hold' });
  expect(await askAfterExpiry()).toBe(false);
});

it('asks once for all callers within half a second of a good result', async () => {
  const queries = jest.spyOn(pool, 'query');
  expect(await Promise.all([probe(), probe(), probe()])).toEqual([true, true, true]);
  nowMs += 499;
  expect(await probe()).toBe(true);
  expect(queries).toHaveBeenCalledTimes(1);
  nowMs += 1;
  await probe();
  expect(queries).toHaveBeenCalledTimes(2);
});
