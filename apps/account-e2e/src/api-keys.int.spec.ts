import { identifyApiKey } from '@farebox/accounts';
import { createKeyHasher, fromPublicId, uuidV7 } from '@farebox/auth';
import { apiKeyList } from '@farebox/api';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { givenModels } from '../test/usage-fixtures';
import { keyHolder, nowSeconds, withoutSecret, type KeyHolder } from '../test/holders';

let harness: AccountHarness;
let ada: Customer;
let keys: KeyHolder;
const hasher = createKeyHasher([{ version: 1, secret: Buffer.alloc(32, 0x5a) }]);

beforeAll(async () => {
  harness = await openAccountHarness();
});
beforeEach(async () => {
  ada = await harness.givenCustomer();
  keys = keyHolder(ada);
});
afterAll(() => harness.close());

const invalid = (param: string) => ({ status: 400, code: 'invalid_request_error', param }) as const;

describe('POST /v1/api-keys', () => {
  it('creates a key that identifies its account', async () => {
    const before = nowSeconds();
    const created = await keys.create();
    expect(created).toMatchObject({
      object: 'api_key',
      name: 'laptop',
      hint: created.key.slice(-4),
      status: 'active',
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      monthly_spend_limit: null,
      monthly_spend: '0.000000000',
      currency: 'usd',
      model_policy: null,
    });
    expect(created.created_at).toBeGreaterThanOrEqual(before - 5);
    expect(await identifyApiKey(harness.pool, hasher, created.key)).toMatchObject({
      accountId: ada.accountId,
      apiKeyId: fromPublicId('key', created.key_public_id),
      status: 'active',
    });
  });

  it('accepts an expiry in ISO 8601', async () => {
    const { key_public_id, expires_at } = await keys.create({
      name: 'ci',
      expires_at: '2100-01-01T01:00+0100',
    });
    expect(expires_at).toBe(Date.UTC(2100, 0, 1) / 1_000);
    const changed = await keys.update(key_public_id, { expires_at: '2100-01-02' });
    expect(changed.json).toMatchObject({ expires_at: Date.UTC(2100, 0, 2) / 1_000 });
  });

  it('keeps every setting', async () => {
    await givenModels(harness.pool, { 'gpt-a': 'public', 'gpt-b': 'public' });
    const settings = {
      name: 'ci 🔑',
      monthly_spend_limit: '12.5',
      expires_at: nowSeconds() + 3_600,
      model_policy: { mode: 'allow', models: ['gpt-a', 'gpt-b'] },
    };
    const created = await keys.create(settings);
    expect(created).toMatchObject({ ...settings, monthly_spend_limit: '12.500000000' });
    expect(await keys.get(created.key_public_id)).toEqual(withoutSecret(created));
  });

  it.each<[string, object, string]>([
    ['no name', {}, 'name'],
    ['a name of another type', { name: 7 }, 'name'],
    ['an unknown field', { name: 'x', limit: '5' }, 'limit'],
    ['a limit that is a number', { name: 'x', monthly_spend_limit: 5 }, 'monthly_spend_limit'],
    ['a limit of nothing', { name: 'x', monthly_spend_limit: '0' }, 'monthly_spend_limit'],
    ['an expiry in the past', { name: 'x', expires_at: 1_700_000_000 }, 'expires_at'],
    ['an expiry beyond 2^53', { name: 'x', expires_at: 2 ** 53 + 2 }, 'expires_at'],
    ['an unknown mode', { name: 'x', model_policy: { mode: 'deny', models: [] } }, 'model_policy.mode'],
    [
      'a model that is not a text',
      { name: 'x', model_policy: { mode: 'allow', models: [1] } },
      'model_policy.models[0]',
    ],
  ])('refuses %s', async (_, body, param) => {
    expectError(await ada.send('POST', '/v1/api-keys', { body }), invalid(param));
    expect((await ada.send('GET', '/v1/api-keys')).json).toMatchObject({ data: [] });
  });

  it('stops at a thousand live keys', async () => {
    await harness.pool.query(
      `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint)
       SELECT gen_random_uuid(), $1, 'bulk', uuid_send(gen_random_uuid()), 1, 'bulk' FROM generate_series(1, 999)`,
      [ada.accountId],
    );
    const last = await keys.create();
    const refused = await ada.send('POST', '/v1/api-keys', { body: { name: 'one too many' } });
    expectError(refused, { status: 400, code: 'invalid_request_error' });
    await keys.revoke(last.key_public_id);
    await keys.create();
  });

  it('stops at ten thousand keys per day, including revoked ones, and says how long to wait', async () => {
    await harness.pool.query(
      `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint, created_at, revoked_at)
       SELECT id, $1, 'bulk', uuid_send(id), 1, 'bulk', now() - interval '23 hours', now()
       FROM unnest($2::uuid[]) AS id`,
      [ada.accountId, Array.from({ length: 9_999 }, uuidV7)],
    );
    await keys.create();
    const answer = await ada.send('POST', '/v1/api-keys', { body: { name: 'one too many' } });
    expect([answer.status, answer.json]).toMatchObject([429, { error: { code: 'rate_limit_error' } }]);
    expect(answer.headers['x-should-retry']).toBe('false');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(3_600);
  });
});

describe('GET /v1/api-keys', () => {
  const list = async (query = '') => apiKeyList.parse((await ada.send('GET', `/v1/api-keys${query}`)).json);

  it('is empty at first', async () => {
    expect(await list()).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  it("lists the account's own keys, newest first, without their secrets", async () => {
    const stranger = await harness.givenCustomer();
    await keyHolder(stranger).create({ name: 'foreign' });
    const created = [
      await keys.create({ name: 'a' }),
      await keys.create({ name: 'b' }),
      await keys.create({ name: 'c' }),
    ];
    expect((await list()).data).toEqual(created.reverse().map(withoutSecret));
  });

  it('switches a key off and on again, which its holder sees as a revocation', async () => {
    const { key, key_public_id } = await keys.create();
    const rightsOf = async () => (await identifyApiKey(harness.pool, hasher, key))?.status;
    const listed = async (status: string) =>
      (await list(`?status=${status}`)).data.map((record) => record.key_public_id);
    const off = await keys.update(key_public_id, { disabled: true });
    expect(off.json).toMatchObject({ status: 'disabled', revoked_at: null });
    expect(await rightsOf()).toBe('revoked');
    expect([await listed('disabled'), await listed('active')]).toEqual([[key_public_id], []]);
    // Other changes do not switch it on.
    const renamed = await keys.update(key_public_id, { name: 'renamed' });
    expect(renamed.json).toMatchObject({ status: 'disabled', name: 'renamed' });
    expect((await keys.update(key_public_id, { disabled: false })).json).toMatchObject({ status: 'active' });
    expect([await rightsOf(), await listed('disabled')]).toEqual(['active', []]);
    await keys.update(key_public_id, { disabled: true });
    expect((await keys.revoke(key_public_id)).json).toMatchObject({ status: 'revoked' });
    const refused = await keys.update(key_public_id, { disabled: false });
    expectError(refused, { status: 409, code: 'api_key_revoked' });
  });

  it('lists the keys of one status', async () => {
    const of = async (status: string) =>
      (await list(`?status=${status}`)).data.map((record) => [record.name, record.status]);
    await keys.create({ name: 'a' });
    const { key_public_id: expiring } = await keys.create({ name: 'b' });
    const { key_public_id: revoked } = await keys.create({ name: 'c' });
    await keys.create({ name: 'd', expires_at: nowSeconds() + 3_600 });
    await harness.pool.query(
      `UPDATE api_key SET lifetime_starts_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'
       WHERE id = $1`,
      [fromPublicId('key', expiring)],
    );
    await keys.revoke(revoked);
    expect(await of('active')).toEqual([
      ['d', 'active'],
      ['a', 'active'],
    ]);
    expect(await of('expired')).toEqual([['b', 'expired']]);
    expect(await of('revoked')).toEqual([['c', 'revoked']]);
    const first = await list('?status=active&limit=1');
    expect(first.has_more).toBe(true);
    const rest = await list(`?status=active&limit=1&after=${String(first.last_id)}`);
    expect([rest.data.map(({ name }) => name), rest.has_more]).toEqual([['a'], false]);
    const next = await list(`?status=active&limit=1&after=${revoked}`);
    expect(next.data.map(({ name }) => name)).toEqual(['a']);
  });

  it('is searched by a part of the name, in any case, and by the end of the secret', async () => {
    for (const name of ['Production', 'pre-production', '100%', 'test_1', 'testX1'])
      await keys.create({ name });
    const found = async (search: string, more = '') =>
      (await list(`?search=${encodeURIComponent(search)}${more}`)).data.map(({ name }) => name);
    expect(await found('PROD')).toEqual(['pre-production', 'Production']);
    expect(await found('0%')).toEqual(['100%']);
    expect(await found('test_')).toEqual(['test_1']);
    expect(await found('\\')).toEqual([]);
    const { hint, name } = (await list('?search=100')).data[0] ?? { hint: '', name: '' };
    expect(await found(hint)).toContain(name);
    const [first] = (await list('?search=prod&limit=1')).data;
    expect(await found('prod', `&after=${String(first?.key_public_id)}`)).toEqual(['Production']);
    expect(await found('prod', '&status=revoked')).toEqual([]);
  });

  it('is read page by page', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await keys.create({ name });
    const names: string[] = [];
    const flags: boolean[] = [];
    for (let query: string | null = '?limit=2'; query !== null;) {
      const page = await list(query);
      names.push(...page.data.map((record) => record.name));
      flags.push(page.has_more);
      expect([page.first_id, page.last_id]).toEqual([
        page.data[0]?.key_public_id,
        page.data.at(-1)?.key_public_id,
      ]);
      query = page.has_more ? `?limit=2&after=${String(page.last_id)}` : null;
    }
    expect(names).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(flags).toEqual([true, true, false]);
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=-1', 'limit'],
    ['?limit=101', 'limit'],
    ['?limit=1000000000', 'limit'],
    ['?limit=[]', 'limit'],
    ['?limit=1&limit=2', 'limit'],
    ['?limit[]=1', 'limit[]'],
    ['?after=key_tampered', 'after'],
    ['?after=%00', 'after'],
    ['?order=asc', 'order'],
    ['?status=live', 'status'],
    ['?search=', 'search'],
    [`?search=${'x'.repeat(101)}`, 'search'],
    ['?__proto__=1', '__proto__'],
  ])('refuses %s', async (query, param) => {
    expectError(await ada.send('GET', `/v1/api-keys${query}`), invalid(param));
  });

  it("refuses the id of another account's key as cursor", async () => {
    const foreign = await keyHolder(await harness.givenCustomer()).create({ name: 'foreign' });
    expectError(await ada.send('GET', `/v1/api-keys?after=${foreign.key_public_id}`), invalid('after'));
  });
});

describe('a key that does not exist', () => {
  it('gets the same response, byte for byte, whether the id is missing, foreign or malformed', async () => {
    const foreign = await keyHolder(await harness.givenCustomer()).create({ name: 'foreign' });
    const ids = [
      foreign.key_public_id,
      'key_01jd0000000000000000000000',
      'key_',
      'x',
      '%00',
      '%F0%9F%94%91',
      "key_'%20OR%201=1--",
      foreign.key_public_id.toUpperCase(),
      'k'.repeat(8_000),
    ];
    for (const [method, suffix] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PATCH', ''],
      ['POST', '/rotate'],
    ] as const) {
      const answers = [];
      const body = method === 'PATCH' ? { body: { name: 'mine', model_policy: null } } : {};
      for (const id of ids) answers.push(await ada.send(method, `/v1/api-keys/${id}${suffix}`, body));
      for (const answer of answers) {
        expectError(answer, { status: 404, code: 'api_key_not_found', param: 'key_public_id' });
      }
      expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    }
    expect(await identifyApiKey(harness.pool, hasher, foreign.key)).toMatchObject({
      status: 'active',
      version: 1,
    });
  });
});

describe('the usage of a key', () => {
  it('is shown for the current month, with the last use', async () => {
    const { key_public_id } = await keys.create();
    const addMonth = (month: string, spentNano: number, usedAt: string): Promise<unknown> =>
      harness.pool.query(
        `INSERT INTO api_key_month (api_key_id, month, spent_nano, last_used_at)
         VALUES ($1, (date_trunc('month', now() AT TIME ZONE 'UTC') + $2::interval)::date, $3, $4)`,
        [fromPublicId('key', key_public_id), month, spentNano, usedAt],
      );
    await addMonth('-1 month', 7_000, '2026-01-01T00:00:00Z');
    expect(await keys.get(key_public_id)).toMatchObject({
      monthly_spend: '0.000000000',
      last_used_at: 1_767_225_600,
    });
    await addMonth('0', 10_500, '2026-02-01T00:00:00Z');
    expect(await keys.get(key_public_id)).toMatchObject({
      monthly_spend: '0.000010500',
      last_used_at: 1_769_904_000,
    });
  });
});
