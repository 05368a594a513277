import { createApiKeySecret, createKeyHasher } from '@farebox/auth';
import { createPool } from '@farebox/database';
import { toNanoUsd } from '@farebox/money';
import { createTestDatabase, givenAccount, type TestDatabase, PATIENT_POOL } from '@farebox/testing';
import type { Pool } from 'pg';
import { issueApiKey } from './api-key-changes';
import { identifyApiKey, type ApiKeySettings } from './api-keys';

const older = { version: 1, secret: Buffer.alloc(32, 1) };
const newer = { version: 2, secret: Buffer.alloc(32, 2) };
const hasher = createKeyHasher([older]);
const settings: ApiKeySettings = {
  name: 'laptop',
  monthlySpendLimitNano: null,
  expiresAt: null,
  modelPolicy: null,
  allowedOrigins: null,
  showsAccountLimits: null,
};
const now = new Date();
const doing = { actor: { kind: 'operator', name: 'ada' }, now } as const;

let database: TestDatabase;
let pool: Pool;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ ...PATIENT_POOL, url: database.url, max: 3, applicationName: 'auth-test' });
});
beforeEach(async () => {
  accountId = await givenAccount(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('identifyApiKey', () => {
  it('identifies an active key', async () => {
    const { secret, apiKeyId } = await issueApiKey(
      accountId,
      pool,
      hasher,
      {
        ...settings,
        monthlySpendLimitNano: toNanoUsd(5n),
        modelPolicy: { mode: 'block', models: ['gpt-x'] },
      },
      doing,
    );
    expect(await identifyApiKey(pool, hasher, secret)).toEqual({
      apiKeyId,
      accountId,
      version: 1,
      status: 'active',
      expiresAt: null,
      inviteStatus: 'active',
      cohortName: 'beta',
      modelPolicy: { mode: 'block', models: ['gpt-x'] },
      allowedOrigins: null,
      showsAccountLimits: true,
    });
  });

  it('reports expired and revoked keys, revoked first', async () => {
    const past = new Date(now.getTime() - 1_000);
    const { secret, apiKeyId } = await issueApiKey(
      accountId,
      pool,
      hasher,
      { ...settings, expiresAt: past },
      doing,
    );
    expect(await identifyApiKey(pool, hasher, secret)).toMatchObject({ status: 'expired', expiresAt: past });

    await pool.query('UPDATE api_key SET revoked_at = $2 WHERE id = $1', [apiKeyId, now]);
    expect(await identifyApiKey(pool, hasher, secret)).toMatchObject({ status: 'revoked' });
  });

  it('finds keys of an older pepper, but not those of a removed one', async () => {
    const { secret, apiKeyId } = await issueApiKey(accountId, pool, hasher, settings, doing);
    expect((await identifyApiKey(pool, createKeyHasher([older, newer]), secret))?.apiKeyId).toBe(apiKeyId);
    expect(await identifyApiKey(pool, createKeyHasher([newer]), secret)).toBeUndefined();
  });

  it('does not find an invented key', async () => {
    expect(await identifyApiKey(pool, hasher, createApiKeySecret())).toBeUndefined();
  });

  it('does not query the database for a malformed key', async () => {
    const closed = createPool({
      url: 'postgres://nobody@127.0.0.1:1/none',
      max: 1,
      applicationName: 'auth-test',
    });
    expect(await identifyApiKey(closed, hasher, `ak-${'a'.repeat(38)}`)).toBeUndefined();
    await closed.end();
  });

  it('stores neither the key nor a plain hash of it', async () => {
    const { secret, apiKeyId } = await issueApiKey(accountId, pool, hasher, settings, doing);
    const { rows } = await pool.query<{ row: string }>('SELECT k::text AS row FROM api_key k WHERE id = $1', [
      apiKeyId,
    ]);
    expect(rows[0]?.row).not.toContain(secret.slice(3, -4));
    expect(rows[0]?.row).toContain(hasher.hash(secret).hmac.toString('hex'));
    const { rows: hints } = await pool.query<{ hint: string }>('SELECT hint FROM api_key WHERE id = $1', [
      apiKeyId,
    ]);
    expect(hints).toEqual([{ hint: secret.slice(-4) }]);
  });
});
