import { readLastCheck } from '@farebox/ledger';
import { createLogger } from '@farebox/observability';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { checkBooksOnce } from './handlers';

let db: TestDatabase;
let lines: string[];
beforeEach(async () => {
  db = await createTestDatabase();
  lines = [];
});
afterEach(() => db.drop());

async function runJob(): Promise<Record<string, unknown>[]> {
  lines = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'info', destination });
  await checkBooksOnce({ longWork: db.workerPool, log });
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('reports nothing if the books are right, and records that it looked', async () => {
  await givenAccount(db.pool, { balanceNano: 5n });
  expect(await runJob()).toEqual([]);
  expect(await readLastCheck(db.workerPool)).toMatchObject({ differences: 0 });
});

it('logs an error each time while the books differ, names the account, and stops when they are right again', async () => {
  const id = await givenAccount(db.pool, { balanceNano: 5n });
  await db.pool.query('UPDATE account_funds SET balance_nano = 6');
  for (let runs = 0; runs < 2; runs++) {
    const [first, ...differences] = await runJob();
    expect(first).toMatchObject({ level: 'error', event: 'books_differ', count: differences.length });
    expect(differences).toContainEqual(
      expect.objectContaining({
        level: 'error',
        event: 'books_difference',
        check: 'the balance of an account is the sum of its entries',
        account_id: expect.stringMatching(/^acct_/) as string,
        difference: expect.stringMatching(/^balance 6 /) as string,
      }),
    );
    expect(await readLastCheck(db.workerPool)).toMatchObject({ differences: differences.length });
  }
  await db.pool.query('UPDATE account_funds SET balance_nano = 5 WHERE account_id = $1', [id]);
  expect(await runJob()).toEqual([]);
  expect(await readLastCheck(db.workerPool)).toMatchObject({ differences: 0 });
});

it('names a few of many differences, in lines of a bounded length', async () => {
  for (let accounts = 0; accounts < 30; accounts++) await givenAccount(db.pool, { balanceNano: 5n });
  await db.pool.query(`
    UPDATE account_funds SET balance_nano = 9, held_nano = 1, last_seq = 7;
    INSERT INTO account_day (account_id, day, requests) SELECT account_id, '2026-01-01', 1 FROM account_funds;
    UPDATE account SET name = repeat('x', 5000)`);
  const written = await runJob();
  expect(written[0]).toMatchObject({ event: 'books_differ' });
  expect(Number(written[0]?.['count'])).toBeGreaterThan(20);
  expect(written).toHaveLength(1 + 20);
  for (const line of lines) expect(line.length).toBeLessThan(1_000);
});
