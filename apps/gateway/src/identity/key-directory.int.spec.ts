import { createApiKeySecret, createKeyHasher } from '@farebox/auth';
import { createPool } from '@farebox/database';
import { createTestDatabase, givenAccount, givenApiKey, type TestDatabase } from '@farebox/testing';
import { createKeyDirectory } from './key-directory';

const hasher = createKeyHasher([{ version: 1, secret: Buffer.alloc(32, 7) }]);

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(async () => {
  await db.drop();
});

async function givenKey(): Promise<{ secret: string; apiKeyId: string }> {
  const secret = createApiKeySecret();
  const accountId = await givenAccount(db.pool);
  return {
    secret,
    apiKeyId: await givenApiKey(db.pool, accountId, { secretHmac: hasher.hash(secret).hmac }),
  };
}

describe('the key directory', () => {
  it('remembers a live key for a while, and looks again after that', async () => {
    const clock = { ms: 0 };
    const keys = createKeyDirectory({
      pool: db.servicePool,
      hasher,
      rememberMs: 1_000,
      maxEntries: 10,
      now: () => clock.ms,
    });
    const { secret, apiKeyId } = await givenKey();
    expect((await keys.identify(secret))?.status).toBe('active');
    await db.pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [apiKeyId]);
    clock.ms = 999;
    expect((await keys.identify(secret))?.status).toBe('active');
    clock.ms = 1_000;
    expect((await keys.identify(secret))?.status).toBe('revoked');
  });

  it('forgets what it was told is no longer live', async () => {
    const keys = createKeyDirectory({ pool: db.servicePool, hasher, rememberMs: 60_000, maxEntries: 10 });
    const { secret, apiKeyId } = await givenKey();
    await keys.identify(secret);
    await db.pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [apiKeyId]);
    expect((await keys.identifyNow(secret))?.status).toBe('revoked');
    expect((await keys.identify(secret))?.status).toBe('revoked');
  });

  it('remembers no more keys than it may', async () => {
    const keys = createKeyDirectory({ pool: db.servicePool, hasher, rememberMs: 60_000, maxEntries: 1 });
    const [first, second] = [await givenKey(), await givenKey()];
    await keys.identify(first.secret);
    await keys.identify(second.secret);
    await db.pool.query('UPDATE api_key SET revoked_at = now()');
    expect((await keys.identify(second.secret))?.status).toBe('active');
    expect((await keys.identify(first.secret))?.status).toBe('revoked');
  });

  it('says that the service is not available where the database is not', async () => {
    const pool = createPool({ url: 'postgresql://nobody@127.0.0.1:9/none', max: 1, applicationName: 'test' });
    const keys = createKeyDirectory({ pool, hasher, rememberMs: 1_000, maxEntries: 10 });
    await expect(keys.identify(createApiKeySecret())).rejects.toMatchObject({ code: 'service_unavailable' });
    await pool.end();
  });
});
