import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenAccount, givenApiKey, type TestDatabase } from '@farebox/testing';
import { listApiKeys, type ApiKeyStatus } from './api-keys';
import type { Queryable } from '@farebox/database';
import { readNow } from './open-accounts';

let db: TestDatabase;
let accountId: string;
beforeAll(async () => {
  db = await createTestDatabase();
  accountId = await givenAccount(db.pool);
  await givenApiKey(db.pool, accountId);
  // All newer than the one unrevoked key, and another account's newer still.
  for (const owner of [accountId, await givenAccount(db.pool)]) {
    await db.pool.query(
      `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint, revoked_at)
       SELECT id, $1, 'old', uuid_send(id), 1, 'hint', now() FROM unnest($2::uuid[]) AS id`,
      [owner, Array.from({ length: 5_000 }, uuidV7)],
    );
  }
  await db.pool.query('ANALYZE');
});
afterAll(() => db.drop());

/** PostgreSQL's plan for a page of the keys of a status. */
async function planOf(status: ApiKeyStatus): Promise<string> {
  let plan = '';
  const query = async (text: string, values: unknown[]) => {
    const { rows } = await db.accountPool.query<Record<string, string>>(`EXPLAIN ${text}`, values);
    plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return { rows: [] };
  };
  const page = { afterId: undefined, count: 21, status, withPlayground: false };
  await listApiKeys(accountId, { query } as unknown as Queryable, page, await readNow(db.pool));
  return plan;
}

it.each(['active', 'expired'] as const)(
  'finds keys that are %s among any number of revoked ones by an index',
  async (status) => {
    expect(await planOf(status)).toContain('api_key_live_idx');
  },
);

it('finds the newest revoked keys by scanning from the newest key', async () => {
  const plan = await planOf('revoked');
  expect(plan).toContain('Index Scan Backward');
  expect(plan).not.toContain('Sort Key: k.id');
});
