import { identifyApiKey } from '@farebox/accounts';
import { createKeyHasher, fromPublicId } from '@farebox/auth';
import { apiKeyRecord, apiKeyWithSecret } from '@farebox/api';
import { expectError, openAccountHarness, type AccountHarness } from '../test/account-harness';
import { givenModels } from '../test/usage-fixtures';
import { keyHolder, nowSeconds, withoutSecret, type KeyHolder } from '../test/holders';

let harness: AccountHarness;
let keys: KeyHolder;
const hasher = createKeyHasher([{ version: 1, secret: Buffer.alloc(32, 0x5a) }]);

beforeAll(async () => {
  harness = await openAccountHarness();
  await givenModels(harness.pool, { 'gpt-a': 'public', 'gpt-b': 'public' });
});
beforeEach(async () => {
  keys = keyHolder(await harness.givenCustomer());
});
afterAll(() => harness.close());

const invalid = (param: string | null) => ({ status: 400, code: 'invalid_request_error', param }) as const;
const anHourOn = (): number => nowSeconds() + 3_600;

describe('PATCH /v1/api-keys/{key_public_id}', () => {
  it('changes only the named fields', async () => {
    const created = await keys.create({
      name: 'laptop',
      monthly_spend_limit: '5',
      expires_at: anHourOn(),
      model_policy: { mode: 'allow', models: ['gpt-a'] },
    });
    let record = withoutSecret(created);
    for (const change of [
      { name: 'ci 🔑' },
      { monthly_spend_limit: '0.000000001' },
      { expires_at: anHourOn() + 60 },
      { model_policy: { mode: 'block', models: ['gpt-b'] } },
      { name: 'all', monthly_spend_limit: '7.000000000', expires_at: anHourOn(), model_policy: null },
    ]) {
      const answer = await keys.update(created.key_public_id, change);
      expect(answer.status).toBe(200);
      record = { ...record, ...(change as Partial<typeof record>) };
      expect(apiKeyRecord.parse(answer.json)).toEqual(record);
    }
    expect(await keys.get(created.key_public_id)).toEqual(record);
    expect(await identifyApiKey(harness.pool, hasher, created.key)).toMatchObject({
      status: 'active',
      version: 6,
    });
  });

  it('removes limit, expiry and policy with null', async () => {
    const { key_public_id } = await keys.create({
      name: 'laptop',
      monthly_spend_limit: '5',
      expires_at: anHourOn(),
      model_policy: { mode: 'allow', models: ['gpt-a'] },
    });
    const nothing = { monthly_spend_limit: null, expires_at: null, model_policy: null };
    expect((await keys.update(key_public_id, nothing)).json).toMatchObject({ name: 'laptop', ...nothing });
    expect(await keys.get(key_public_id)).toMatchObject(nothing);
  });

  it('restores an expired key through its expiry, and through nothing else', async () => {
    const created = await keys.create({ name: 'laptop', expires_at: anHourOn() });
    await harness.pool.query(`UPDATE api_key SET expires_at = now() WHERE id = $1`, [
      fromPublicId('key', created.key_public_id),
    ]);
    expect((await keys.update(created.key_public_id, { name: 'x' })).json).toMatchObject({
      status: 'expired',
    });
    const expires_at = anHourOn();
    expect((await keys.update(created.key_public_id, { expires_at })).json).toMatchObject({
      status: 'active',
      expires_at,
    });
    expect(await identifyApiKey(harness.pool, hasher, created.key)).toMatchObject({ status: 'active' });
  });

  it('sets the lifetime that a rotation of the expired key renews', async () => {
    const { key_public_id } = await keys.create({ name: 'laptop', expires_at: nowSeconds() + 60 });
    await keys.update(key_public_id, { expires_at: nowSeconds() + 7_200 });
    await harness.pool.query(
      `UPDATE api_key SET expires_at = expires_at - interval '1 day', lifetime_starts_at = lifetime_starts_at - interval '1 day'
       WHERE id = $1`,
      [fromPublicId('key', key_public_id)],
    );
    const rotated = apiKeyWithSecret.parse((await keys.rotate(key_public_id)).json);
    expect(Math.abs((rotated.expires_at ?? 0) - (nowSeconds() + 7_200))).toBeLessThan(30);
  });

  it.each<[string, object, string | null]>([
    ['nothing to change', {}, null],
    ['no name', { name: null }, 'name'],
    ['an empty name', { name: ' ' }, 'name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['a limit of nothing', { monthly_spend_limit: '0' }, 'monthly_spend_limit'],
    ['a limit beyond 64 bits', { monthly_spend_limit: '9223372037' }, 'monthly_spend_limit'],
    ['an expiry in the past', { expires_at: 1_700_000_000 }, 'expires_at'],
    ['an expiry in milliseconds', { expires_at: 1_900_000_000_000 }, 'expires_at'],
    ['a secret', { key: 'ak-1' }, 'key'],
    ['a status', { name: 'y', status: 'active' }, 'status'],
    [
      'an unknown model',
      { model_policy: { mode: 'block', models: ['gpt-a', 'gpt-x'] } },
      'model_policy.models',
    ],
  ])('refuses %s, and leaves the key unchanged', async (_, change, param) => {
    const created = await keys.create();
    expectError(await keys.update(created.key_public_id, change), invalid(param));
    expect(await keys.get(created.key_public_id)).toEqual(withoutSecret(created));
    expect(await identifyApiKey(harness.pool, hasher, created.key)).toMatchObject({ version: 1 });
  });

  it('needs a body', async () => {
    const { key_public_id } = await keys.create();
    expectError(await keys.update(key_public_id, undefined), invalid(null));
    expectError(await keys.update(key_public_id, []), invalid(null));
  });

  it('changes nothing of a revoked key', async () => {
    const { key_public_id } = await keys.create();
    const revoked = apiKeyRecord.parse((await keys.revoke(key_public_id)).json);
    expectError(await keys.update(key_public_id, { name: 'x' }), { status: 409, code: 'api_key_revoked' });
    expect(await keys.get(key_public_id)).toEqual(revoked);
  });

  it('loses no change made at the same moment as others', async () => {
    const { key_public_id } = await keys.create();
    const expires_at = anHourOn();
    const changes = [{ name: 'ci' }, { monthly_spend_limit: '3.000000000' }, { expires_at }];
    const answers = await Promise.all([
      ...changes.map((change) => keys.update(key_public_id, change)),
      keys.rotate(key_public_id),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect(await keys.get(key_public_id)).toMatchObject(Object.assign({}, ...changes) as object);
  });

  it('never restores a key that is revoked at the same moment', async () => {
    const created = await Promise.all(Array.from({ length: 5 }, () => keys.create()));
    const both = created.flatMap(({ key_public_id }) => [
      keys.update(key_public_id, { name: 'x', expires_at: null }),
      keys.revoke(key_public_id),
    ]);
    for (const { status } of await Promise.all(both)) expect([200, 409]).toContain(status);
    for (const { key_public_id } of created) {
      expect(await keys.get(key_public_id)).toMatchObject({ status: 'revoked' });
    }
  });
});
