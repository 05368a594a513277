import { toPublicId } from '@farebox/auth';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { openAdminHarness, runInside, type AdminHarness } from '../test/admin-harness';
import { runAttempt, runChange } from '@farebox/verbs';
import { runOnDatabase } from './command-run';

let harness: AdminHarness;
beforeEach(async () => {
  harness = await openAdminHarness();
});
afterEach(() => harness.close());

const acting = { operator: 'grace', via: 'shell', network: null, action: 'account fund' } as const;
const report = { json: {}, text: '' };

async function readOutcomes(): Promise<unknown[]> {
  const { rows } = await harness.pool.query<{ action: string; outcome: string }>(
    'SELECT action, outcome FROM operator_action ORDER BY id',
  );
  return rows.map(({ action, outcome }) => `${action}: ${outcome}`);
}

async function cohortNames(): Promise<string[]> {
  const { rows } = await harness.pool.query<{ name: string }>('SELECT name FROM cohort ORDER BY name');
  return rows.map(({ name }) => name);
}

describe('a change', () => {
  const addCohort = `INSERT INTO cohort VALUES ('new', 1, 1)`;

  it('is committed together with its row', async () => {
    await runChange(harness.pool, acting, async ({ client, record }) => {
      await client.query(addCohort);
      await record('new', { daily_request_cap: 1 });
      expect(await readOutcomes()).toEqual([]);
      return report;
    });
    expect(await cohortNames()).toEqual(['beta', 'new']);
    expect(await readOutcomes()).toEqual(['account fund: done']);
  });

  it.each([
    ['does not say what it did', undefined],
    ['says that it did nothing, and what it did', true as const],
  ])('changes nothing if it %s', async (_, unchanged) => {
    const run = runChange(harness.pool, acting, async ({ client, record }) => {
      await client.query(addCohort);
      if (unchanged) await record('new');
      return { ...report, ...(unchanged && { unchanged }) };
    });
    await expect(run).rejects.toThrow('"account fund" does not say what it changed');
    expect(await cohortNames()).toEqual(['beta']);
    expect(await readOutcomes()).toEqual([]);
  });

  it('changes nothing if its row is refused', async () => {
    const run = runChange(harness.pool, acting, async ({ client, record }) => {
      await client.query(addCohort);
      await record('new', { note: 'x'.repeat(9_000) });
      return report;
    });
    await expect(run).rejects.toThrow('operator_action_details_are_short');
    expect(await cohortNames()).toEqual(['beta']);
  });

  it('has no row if it is refused or unnecessary', async () => {
    const id = toPublicId('acct', await givenAccount(harness.pool));
    expect((await harness.admin('account', 'activate', id)).exitCode).toBe(0);
    expect((await harness.admin('account', 'activate', 'acct_01jd0000000000000000000000')).exitCode).toBe(1);
    const payment = ['account', 'fund', id, '--amount', '1', '--reference', 'wire-1', '--yes'];
    expect((await harness.admin(...payment)).exitCode).toBe(0);
    expect((await harness.admin(...payment)).exitCode).toBe(0);
    expect(await readOutcomes()).toEqual(['account fund: done']);
  });
});

describe('an attempt', () => {
  const retry = { ...acting, action: 'job retry', target: 'job-1' };

  it('is recorded before it begins and when it has ended', async () => {
    await runAttempt(harness.pool, retry, async () => {
      expect(await readOutcomes()).toEqual(['job retry: attempted']);
      return report;
    });
    expect(await readOutcomes()).toEqual(['job retry: attempted', 'job retry: done']);
  });

  it('is recorded even if it fails', async () => {
    const failing = runAttempt(harness.pool, retry, () => Promise.reject(new Error('no queue')));
    await expect(failing).rejects.toThrow('no queue');
    expect(await readOutcomes()).toEqual(['job retry: attempted', 'job retry: failed']);
  });
});

it('a reading command cannot write', async () => {
  const write = runOnDatabase(harness.environment, 'read', async (pool) => {
    await pool.query(`INSERT INTO cohort VALUES ('new', 1, 1)`);
    return report;
  });
  await expect(write).rejects.toMatchObject({ code: '25006' });
});

it('operators without a name on this machine pass one with --by', async () => {
  const create = (...more: string[]) =>
    runInside(
      harness.environment,
      ['account', 'create', '--email', 'ada@example.com', '--name', 'Ada', ...more],
      () => undefined,
    );
  expect(await create()).toMatchObject({
    exitCode: 1,
    err: 'The operating system has no name for you: say who it is with --by.\n',
  });
  expect(await create('--by', 'ada')).toMatchObject({ exitCode: 0, err: '' });
  expect((await harness.pool.query('SELECT operator FROM operator_action')).rows).toEqual([
    { operator: 'ada' },
  ]);
});

describe('the audit log', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await database.pool.query(
      `INSERT INTO operator_action (id, operator, action, outcome, details)
       VALUES (gen_random_uuid(), 'grace', 'account fund', 'done', '{}')`,
    );
  });
  afterEach(() => database.drop());

  it.each([
    ['changes', `UPDATE operator_action SET operator = 'eve'`],
    ['deletes', 'DELETE FROM operator_action'],
    ['empties', 'TRUNCATE operator_action'],
  ])('is append-only: even its owner cannot %s it', async (_, sql) => {
    await expect(database.pool.query(sql)).rejects.toThrow('operator_action is append-only');
  });

  it.each(['servicePool', 'accountPool', 'workerPool'] as const)('is inaccessible to %s', async (service) => {
    for (const sql of ['SELECT FROM operator_action', 'INSERT INTO operator_action DEFAULT VALUES']) {
      await expect(database[service].query(sql)).rejects.toMatchObject({ code: '42501' });
    }
  });
});
