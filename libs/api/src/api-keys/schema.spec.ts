import { toPublicId, uuidV7 } from '@farebox/auth';
import { createApiKeyBody, listApiKeysQuery, rotateApiKeyBody, updateApiKeyBody } from './schema';

interface Refusing {
  safeParse(value: unknown): { error?: { issues: { path: PropertyKey[] }[] } };
}

/** The invalid fields. */
function wrongIn(schema: Refusing, value: unknown): unknown[] {
  const { error } = schema.safeParse(value);
  return [...new Set(error?.issues.map((issue) => issue.path[0]))];
}

describe('createApiKeyBody', () => {
  it('reads a full body', () => {
    expect(
      createApiKeyBody.parse({
        name: '  laptop ',
        monthly_spend_limit: '5.00',
        expires_at: 1_800_000_000,
        model_policy: { mode: 'allow', models: ['a', 'b', 'a'] },
      }),
    ).toEqual({
      name: 'laptop',
      monthly_spend_limit: 5_000_000_000n,
      expires_at: new Date(1_800_000_000_000),
      model_policy: { mode: 'allow', models: ['a', 'b'] },
    });
  });

  it('needs only a name', () => {
    expect(createApiKeyBody.parse({ name: 'ключ 🔑' })).toEqual({ name: 'ключ 🔑' });
    expect(wrongIn(createApiKeyBody, {})).toEqual(['name']);
  });

  it.each([null, 1, '', '   ', 'a\u0000b', 'line\nbreak', 'half \ud83d', 'x'.repeat(101)])(
    'refuses the name %j',
    (name) => {
      expect(wrongIn(createApiKeyBody, { name })).toEqual(['name']);
    },
  );

  it.each([5, 0, -1, '0', '0.00', '-1', '', 'five', '1e3', '0.0000000001', '9999999999', ['1'], true])(
    'refuses the limit %j',
    (monthly_spend_limit) => {
      expect(wrongIn(createApiKeyBody, { name: 'x', monthly_spend_limit })).toEqual(['monthly_spend_limit']);
      expect(wrongIn(updateApiKeyBody, { monthly_spend_limit })).toEqual(['monthly_spend_limit']);
    },
  );

  it.each(['1800000000', 1.5, -1, 2 ** 53, 253_402_300_800, '2030-01-01T00:00:00', Infinity])(
    'refuses the expiry %j',
    (expires_at) => {
      expect(wrongIn(createApiKeyBody, { name: 'x', expires_at })).toEqual(['expires_at']);
      expect(wrongIn(rotateApiKeyBody, { expires_at })).toEqual(['expires_at']);
      expect(wrongIn(updateApiKeyBody, { expires_at })).toEqual(['expires_at']);
    },
  );

  it.each([
    'allow',
    {},
    { mode: 'allow' },
    { mode: 'deny', models: [] },
    { mode: 'allow', models: 'gpt' },
    { mode: 'allow', models: [1] },
    { mode: 'allow', models: [''] },
    { mode: 'allow', models: ['a b'] },
    { mode: 'allow', models: Array.from({ length: 101 }, (_, i) => `m${String(i)}`) },
    { mode: 'allow', models: [], extra: 1 },
  ])('refuses the policy %j', (model_policy) => {
    expect(wrongIn(createApiKeyBody, { name: 'x', model_policy })[0]).toBe('model_policy');
    expect(wrongIn(updateApiKeyBody, { model_policy })[0]).toBe('model_policy');
  });
});

describe('updateApiKeyBody', () => {
  it('distinguishes a missing setting from a removed one', () => {
    expect(updateApiKeyBody.parse({ monthly_spend_limit: null, name: ' ci ' })).toEqual({
      monthly_spend_limit: null,
      name: 'ci',
    });
  });

  it('refuses a missing name, and an empty change', () => {
    expect(wrongIn(updateApiKeyBody, { name: null })).toEqual(['name']);
    expect(updateApiKeyBody.safeParse({}).error?.issues).toMatchObject([{ code: 'custom', path: [] }]);
  });

  it.each(['key', 'status', 'version', 'account_id', 'key_public_id'])('refuses the field %s', (field) => {
    expect(updateApiKeyBody.safeParse({ [field]: 'x' }).error?.issues[0]).toMatchObject({ keys: [field] });
  });
});

describe('listApiKeysQuery', () => {
  it('has defaults', () => {
    expect(listApiKeysQuery.parse({})).toEqual({ limit: 20 });
  });

  it('parses the cursor into its UUID', () => {
    const uuid = uuidV7();
    expect(listApiKeysQuery.parse({ limit: '100', after: toPublicId('key', uuid) })).toEqual({
      limit: 100,
      after: uuid,
    });
  });

  it.each(['0', '-1', '101', '1000000000', '1.5', '', '[]', '01', ' 1', 'all'])(
    'refuses the limit "%s"',
    (limit) => {
      expect(wrongIn(listApiKeysQuery, { limit })).toEqual(['limit']);
    },
  );

  it.each(['', 'key_', 'x', toPublicId('txn', uuidV7()), `${toPublicId('key', uuidV7())}0`])(
    'refuses the cursor "%s"',
    (after) => {
      expect(wrongIn(listApiKeysQuery, { after })).toEqual(['after']);
    },
  );
});
