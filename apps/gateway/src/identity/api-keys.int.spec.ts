import { createApiKeySecret, createKeyHasher } from '@farebox/auth';
import { createPool } from '@farebox/database';
import { createTestDatabase, givenAccount, givenApiKey, type TestDatabase } from '@farebox/testing';
import { createKeyDirectory } from './api-keys';

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

/** Remembers a key for a second of a clock that the test sets, and counts its look-ups. */
function aDirectory() {
  const clock = { ms: 0 };
  let lookUps = 0;
  const pool = new Proxy(db.servicePool, {
    get(target, name, receiver) {
      if (name === 'query') lookUps++;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const keys = createKeyDirectory({ pool, hasher, rememberMs: 1_000, maxEntries: 10, now: () => clock.ms });
  return { keys, clock, asked: () => lookUps };
}

describe('the key directory', () => {
  it('remembers a live key, reads it again while it serves the remembered entry, and forgets it after that', async () => {
    const { keys, clock } = aDirectory();
    const { secret, apiKeyId } = await givenKey();
    const other = await givenKey();
    expect((await keys.identify(secret))?.status).toBe('active');
    await keys.identify(other.secret);
    await db.pool.query('UPDATE api_key SET revoked_at = now()');
    clock.ms = 999;
    expect((await keys.identify(secret))?.status).toBe('active');
    clock.ms = 1_000;
    expect((await keys.identify(secret))?.status).toBe('active');
    while ((await keys.identify(secret))?.status === 'active') {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect((await keys.identify(secret))?.apiKeyId).toBe(apiKeyId);
    clock.ms = 2_000;
    expect((await keys.identify(other.secret))?.status).toBe('revoked');
  });

  it('queries the database once for everyone who comes with a key at once', async () => {
    const { keys, clock, asked } = aDirectory();
    const { secret } = await givenKey();
    await Promise.all(Array.from({ length: 20 }, async () => await keys.identify(secret)));
    expect(asked()).toBe(1);
    clock.ms = 1_500;
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => await keys.identify(secret)));
    expect(statuses.map((identity) => identity?.status)).toEqual(Array(20).fill('active'));
    expect(asked()).toBe(2);
  });

  it('needs a few queries for any number of keys, and assigns each to its owner', async () => {
    const { keys, asked } = aDirectory();
    const known = [await givenKey(), await givenKey()];
    const unknown = Array.from({ length: 500 }, createApiKeySecret);
    const identities = await Promise.all(
      [...unknown, ...known.map(({ secret }) => secret)].map(async (secret) => await keys.identify(secret)),
    );
    expect(identities.map((identity) => identity?.apiKeyId)).toEqual([
      ...unknown.map(() => undefined),
      ...known.map(({ apiKeyId }) => apiKeyId),
    ]);
    expect(asked()).toBeLessThan(6);
  });

  it('forgets a key that is reported as no longer live', async () => {
    const keys = createKeyDirectory({ pool: db.servicePool, hasher, rememberMs: 60_000, maxEntries: 10 });
    const { secret, apiKeyId } = await givenKey();
    await keys.identify(secret);
    await db.pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [apiKeyId]);
    expect((await keys.identifyNow(secret))?.status).toBe('revoked');
    expect((await keys.identify(secret))?.status).toBe('revoked');
  });

  it('remembers no more keys than its limit', async () => {
    const keys = createKeyDirectory({ pool: db.servicePool, hasher, rememberMs: 60_000, maxEntries: 1 });
    const [first, second] = [await givenKey(), await givenKey()];
    await keys.identify(first.secret);
    await keys.identify(second.secret);
    await db.pool.query('UPDATE api_key SET revoked_at = now()');
    expect((await keys.identify(second.secret))?.status).toBe('active');
    expect((await keys.identify(first.secret))?.status).toBe('revoked');
  });

  it('throws service_unavailable if the database is not available', async () => {
    const pool = createPool({ url: 'postgresql://nobody@127.0.0.1:9/none', max: 1, applicationName: 'test' });
    const keys = createKeyDirectory({ pool, hasher, rememberMs: 1_000, maxEntries: 10 });
    await expect(keys.identify(createApiKeySecret())).rejects.toMatchObject({ code: 'service_unavailable' });
    await pool.end();
  });
});
