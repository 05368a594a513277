import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

async function functionsOf(): Promise<Record<string, string>> {
  const { rows } = await db.pool.query<{ name: string; definition: string }>(
    `SELECT p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS definition
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'public' AND p.proname LIKE 'payment\\_%' ORDER BY 1`,
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.definition]));
}

it('the functions that the migrations install are those of the readable file', async () => {
  const installed = await functionsOf();
  expect(Object.keys(installed)).toHaveLength(3);
  for (const name of Object.keys(installed)) await db.pool.query(`DROP FUNCTION ${name}`);
  await db.pool.query(readFileSync(join(__dirname, '../postgres/stripe-events.sql'), 'utf8'));
  expect(await functionsOf()).toEqual(installed);
});
