import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const QUERIES = ['alerts.md', 'operating.md', 'webhooks.md']
  .map((page) => readFileSync(join(__dirname, '../../../docs/operate', page), 'utf8'))
  .flatMap((text) => [...text.matchAll(/"(SELECT [^"…]*)"|`(SELECT [^`…]*)`/g)])
  .map(([, block, span]) => block ?? span ?? '');

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('the guides have queries', () => {
  expect(QUERIES.length).toBeGreaterThan(5);
});

it.each(QUERIES)('PostgreSQL takes the query of a guide: %s', async (query) => {
  await expect(database.pool.query(query)).resolves.toHaveProperty('rows');
});
