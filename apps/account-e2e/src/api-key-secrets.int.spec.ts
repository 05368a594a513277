import { identifyApiKey } from '@farebox/accounts';
import { createKeyHasher, fromPublicId } from '@farebox/auth';
import { apiKeyRecord, apiKeyWithSecret } from '@farebox/api';
import { expectError, openAccountHarness, type AccountHarness } from '../test/account-harness';
import { keyHolder, nowSeconds, withoutSecret, type KeyHolder } from '../test/holders';

let harness: AccountHarness;
let keys: KeyHolder;
const hasher = createKeyHasher([{ version: 1, secret: Buffer.alloc(32, 0x5a) }]);

beforeAll(async () => {
  harness = await openAccountHarness();
});
beforeEach(async () => {
  keys = keyHolder(await harness.givenCustomer());
});
afterAll(() => harness.close());

const invalid = (param: string) => ({ status: 400, code: 'invalid_request_error', param }) as const;

const changeRow = (id: string, columns: string): Promise<unknown> =>
  harness.pool.query(`UPDATE api_key SET ${columns} WHERE id = $1`, [fromPublicId('key', id)]);

describe('POST /v1/api-keys/{key_public_id}/rotate', () => {
  it('replaces the secret and keeps the rest', async () => {
    const created = await keys.create({ name: 'laptop', monthly_spend_limit: '5' });
    const answer = await keys.rotate(created.key_public_id);
    expect(answer.status).toBe(200);
    const rotated = apiKeyWithSecret.parse(answer.json);
    expect(rotated.key).not.toBe(created.key);
    expect(withoutSecret(rotated)).toEqual({ ...withoutSecret(created), hint: rotated.key.slice(-4) });
    expect(await identifyApiKey(harness.pool, hasher, created.key)).toBeUndefined();
    expect(await identifyApiKey(harness.pool, hasher, rotated.key)).toMatchObject({
      status: 'active',
      version: 2,
    });
  });

  it('keeps the expiry of a key that has not expired', async () => {
    const expires_at = nowSeconds() + 1_000;
    const { key_public_id } = await keys.create({ name: 'x', expires_at });
    expect((await keys.rotate(key_public_id, {})).json).toMatchObject({ status: 'active', expires_at });
  });

  it('gives an expired key its former lifetime again', async () => {
    const { key_public_id } = await keys.create();
    await changeRow(
      key_public_id,
      `lifetime_starts_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'`,
    );
    expect(await keys.get(key_public_id)).toMatchObject({ status: 'expired' });
    const rotated = apiKeyWithSecret.parse((await keys.rotate(key_public_id)).json);
    expect(rotated.status).toBe('active');
    expect(Math.abs((rotated.expires_at ?? 0) - (nowSeconds() + 3_600))).toBeLessThan(30);
  });

  it('sets a new expiry, or removes it', async () => {
    const { key_public_id } = await keys.create({ name: 'x', expires_at: nowSeconds() + 1_000 });
    const expires_at = nowSeconds() + 9_000;
    expect((await keys.rotate(key_public_id, { expires_at })).json).toMatchObject({ expires_at });
    expect((await keys.rotate(key_public_id, { expires_at: null })).json).toMatchObject({ expires_at: null });
  });

  it('refuses an expiry in the past and an unknown field, and leaves the key unchanged', async () => {
    const created = await keys.create();
    expectError(
      await keys.rotate(created.key_public_id, { expires_at: 1_700_000_000 }),
      invalid('expires_at'),
    );
    expectError(await keys.rotate(created.key_public_id, { name: 'other' }), invalid('name'));
    expect(await identifyApiKey(harness.pool, hasher, created.key)).toMatchObject({ version: 1 });
  });

  it('does not restore a revoked key', async () => {
    const created = await keys.create();
    await keys.revoke(created.key_public_id);
    expectError(await keys.rotate(created.key_public_id), { status: 409, code: 'api_key_revoked' });
    expect(await identifyApiKey(harness.pool, hasher, created.key)).toMatchObject({ status: 'revoked' });
  });

  it('leaves exactly one secret when rotations coincide', async () => {
    const { key_public_id } = await keys.create();
    const answers = await Promise.all(Array.from({ length: 4 }, () => keys.rotate(key_public_id)));
    const secrets = answers.map((answer) => apiKeyWithSecret.parse(answer.json).key);
    const found = await Promise.all(secrets.map((secret) => identifyApiKey(harness.pool, hasher, secret)));
    expect(found.filter((identity) => identity !== undefined)).toEqual([
      expect.objectContaining({ version: 5 }),
    ]);
  });
});

describe('DELETE /v1/api-keys/{key_public_id}', () => {
  it('revokes the key, and returns the same when repeated', async () => {
    const created = await keys.create();
    const first = await keys.revoke(created.key_public_id);
    expect(first.status).toBe(200);
    const revoked = apiKeyRecord.parse(first.json);
    expect(revoked).toEqual({
      ...withoutSecret(created),
      status: 'revoked',
      revoked_at: expect.any(Number) as number,
    });
    expect(await identifyApiKey(harness.pool, hasher, created.key)).toMatchObject({
      status: 'revoked',
      version: 2,
    });

    const second = await keys.revoke(created.key_public_id);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(await keys.get(created.key_public_id)).toEqual(revoked);
  });
});
