import { verifyLedger } from '@farebox/ledger';
import { createLogger } from '@farebox/observability';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { openAnswersStand, type AnswersStand } from './answers.stand';
import { forgetAnswers } from './forget-answers';

let db: TestDatabase;
let stand: AnswersStand;
let lines: string[];

beforeEach(async () => {
  db = await createTestDatabase();
  stand = await openAnswersStand(db);
  lines = [];
});
afterEach(async () => {
  await stand.close();
  await db.drop();
});

async function runJob(): Promise<void> {
  const destination = { write: (line: string) => lines.push(line) };
  await forgetAnswers({
    pool: db.workerPool,
    log: createLogger({ service: 'worker', level: 'info', destination }),
  });
}

it('deletes the answers that have had their time, keeps the others, and logs how many', async () => {
  const lapsed = { one: await stand.givenAnswer('one'), two: await stand.givenAnswer('two') };
  const kept = await stand.givenAnswer('three');
  const { result: underWay } = await stand.admit('under-way');
  await stand.lapse('one', 'two');
  await runJob();

  expect(await stand.readAnswer(lapsed.one, 'one')).toBeUndefined();
  expect(await stand.readAnswer(lapsed.two, 'two')).toBeUndefined();
  expect(await stand.readAnswer(kept, 'three')).toBe('answer of three');
  expect(underWay).toEqual({ outcome: 'admitted' });
  expect((await stand.admit('under-way')).result).toEqual({ outcome: 'idempotency_in_progress' });
  expect(lines.join('')).toContain('"event":"answers_forgotten","count":2');
});

it('lets the key of a forgotten answer be used again', async () => {
  const holdId = await stand.givenAnswer('again');
  expect((await stand.admit('again')).result).toEqual({ outcome: 'replay', holdId });
  await stand.lapse('again');
  await runJob();
  expect((await stand.admit('again')).result).toEqual({ outcome: 'admitted' });
});

it('moves no money, and finds nothing left the second time', async () => {
  await stand.givenAnswer('once');
  await stand.lapse('once');
  await runJob();
  await runJob();
  expect(lines).toHaveLength(1);
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
});

it('may run twice at once', async () => {
  const keys = ['a', 'b', 'c', 'd'];
  for (const key of keys) await stand.givenAnswer(key);
  await stand.lapse(...keys);
  await Promise.all([runJob(), runJob()]);
  const { rows } = await db.pool.query('SELECT key FROM idempotency_claim');
  expect(rows).toEqual([]);
  const counts = lines.map((line) => (JSON.parse(line) as { count: number }).count);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(keys.length);
});
