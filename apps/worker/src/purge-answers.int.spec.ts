import { verifyLedger } from '@farebox/ledger';
import { createLogger } from '@farebox/observability';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { openAnswersHarness, type AnswersHarness } from '../test/kept-answers-harness';
import { purgeAnswers } from './handlers';

let db: TestDatabase;
let harness: AnswersHarness;
let lines: string[];

beforeEach(async () => {
  db = await createTestDatabase();
  harness = await openAnswersHarness(db);
  lines = [];
});
afterEach(async () => {
  await harness.close();
  await db.drop();
});

async function runJob(): Promise<void> {
  const destination = { write: (line: string) => lines.push(line) };
  await purgeAnswers({
    pool: db.workerPool,
    log: createLogger({ service: 'worker', level: 'info', destination }),
  });
}

it('deletes expired responses, keeps the others, and logs the number', async () => {
  const lapsed = { one: await harness.givenAnswer('one'), two: await harness.givenAnswer('two') };
  const kept = await harness.givenAnswer('three');
  const { result: underWay } = await harness.admit('under-way');
  await harness.lapse('one', 'two');
  await runJob();

  expect(await harness.readAnswer(lapsed.one, 'one')).toBeUndefined();
  expect(await harness.readAnswer(lapsed.two, 'two')).toBeUndefined();
  expect(await harness.readAnswer(kept, 'three')).toBe('answer of three');
  expect(underWay).toEqual({ outcome: 'admitted' });
  expect((await harness.admit('under-way')).result).toEqual({ outcome: 'idempotency_in_progress' });
  expect(lines.join('')).toContain('"event":"answers_purged","count":2');
});

it('makes the key of a purged response available again', async () => {
  const holdId = await harness.givenAnswer('again');
  expect((await harness.admit('again')).result).toEqual({ outcome: 'replay', holdId });
  await harness.lapse('again');
  await runJob();
  expect((await harness.admit('again')).result).toEqual({ outcome: 'admitted' });
});

it('moves no money, and finds nothing left the second time', async () => {
  await harness.givenAnswer('once');
  await harness.lapse('once');
  await runJob();
  await runJob();
  expect(lines).toHaveLength(1);
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
});

it('may run twice concurrently', async () => {
  const keys = ['a', 'b', 'c', 'd'];
  for (const key of keys) await harness.givenAnswer(key);
  await harness.lapse(...keys);
  await Promise.all([runJob(), runJob()]);
  const { rows } = await db.pool.query('SELECT key FROM idempotency_claim');
  expect(rows).toEqual([]);
  const counts = lines.map((line) => (JSON.parse(line) as { count: number }).count);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(keys.length);
});
