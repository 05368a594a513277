import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';

const folder = join(__dirname, '../postgres');
const files = readdirSync(folder).sort();

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function functionsOf(): Promise<Record<string, string>> {
  const { rows } = await db.pool.query<{ name: string; definition: string }>(
    `SELECT p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS definition
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'public' AND p.proname LIKE 'sign\\_in\\_%' ORDER BY 1`,
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.definition]));
}

it('the functions that the migrations install are those of the readable files', async () => {
  const installed = await functionsOf();
  const names = Object.keys(installed);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) await db.pool.query(`DROP FUNCTION ${name}`);
  expect(await functionsOf()).toEqual({});
  for (const file of files) await db.pool.query(readFileSync(join(folder, file), 'utf8'));
  expect(await functionsOf()).toEqual(installed);
});
