import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startTemporaryPostgres, type TemporaryPostgres } from './migrated-database';

const started: TemporaryPostgres[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'farebox-test-'));
});

afterEach(async () => {
  for (const postgres of started.splice(0)) await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function start(kept?: string): Promise<TemporaryPostgres> {
  const postgres = await startTemporaryPostgres({}, kept);
  started.push(postgres);
  return postgres;
}

async function query({ server }: TemporaryPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

it('starts with the kept data of another one, and each has its own from then on', async () => {
  const kept = path.join(folder, 'kept');
  const first = await start();
  await query(first, 'CREATE TABLE kept AS SELECT 1 AS value');
  await first.keepAs(kept);
  const second = await start(kept);
  await query(second, 'INSERT INTO kept VALUES (2)');

  expect(await query(second, 'SELECT value FROM kept')).toEqual([{ value: 1 }, { value: 2 }]);
  expect(await query(first, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
  expect(await query(await start(kept), 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
});
