import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { givenModels } from '../test/usage-fixtures';
import { keyHolder, type KeyHolder } from '../test/holders';

let harness: AccountHarness;
let ada: Customer;
let keys: KeyHolder;

beforeAll(async () => {
  harness = await openAccountHarness();
  ada = await harness.givenCustomer();
  keys = keyHolder(ada);
});
beforeEach(() =>
  givenModels(harness.pool, {
    everyones: 'public',
    ours: '{ cohorts: [beta] }',
    theirs: '{ cohorts: [staff] }',
    off: 'disabled',
  }),
);
afterAll(() => harness.close());

const listing = (mode: string, ...models: string[]) => ({ name: 'x', model_policy: { mode, models } });

describe("a key's list of origins", () => {
  const pages = ['https://app.example.com', 'http://localhost:5173'];

  it('is null by default, and can be changed and removed', async () => {
    const { key_public_id, allowed_origins } = await keys.create({ name: 'x' });
    expect(allowed_origins).toBeNull();
    const change = async (wanted: unknown) =>
      ((await keys.update(key_public_id, { allowed_origins: wanted })).json as typeof asked).allowed_origins;
    const asked = { allowed_origins: pages };
    expect(await change([...pages, ...pages])).toEqual(pages);
    expect((await keys.update(key_public_id, { name: 'y' })).json).toMatchObject(asked);
    expect(await change(null)).toBeNull();
    expect(await keys.create({ name: 'x', ...asked })).toMatchObject(asked);
  });

  it("keeps the account's models from the key, unless its owner decides otherwise", async () => {
    const { key_public_id, shows_account_limits } = await keys.create({ name: 'x' });
    expect(shows_account_limits).toBe(true);
    const after = async (change: object) =>
      ((await keys.update(key_public_id, change)).json as { shows_account_limits: unknown })
        .shows_account_limits;
    expect(await after({ allowed_origins: pages })).toBe(false);
    expect(await after({ shows_account_limits: true })).toBe(true);
    expect(await after({ shows_account_limits: null })).toBe(false);
    expect(await after({ allowed_origins: null })).toBe(true);
    expect(await after({ shows_account_limits: false })).toBe(false);
    const hiding = await keys.create({ name: 'x', shows_account_limits: false });
    expect(hiding).toMatchObject({ shows_account_limits: false });
  });

  it.each<[string, unknown]>([
    ['a path', ['https://app.example.com/']],
    ['capital letters', ['https://App.example.com']],
    ['a default port', ['https://app.example.com:443']],
    ['another scheme', ['file:///home']],
    ['null', ['null']],
    ['all', ['*']],
    ['no list', 'https://app.example.com'],
    ['an empty list', []],
    ['too many', Array.from({ length: 21 }, (_, i) => `https://${String(i)}.example.com`)],
  ])('cannot contain %s', async (_what, allowed_origins) => {
    const answer = await ada.send('POST', '/v1/api-keys', { body: { name: 'x', allowed_origins } });
    expect(answer.status).toBe(400);
    expect((answer.json as { error: { param: string } }).error.param).toMatch(/^allowed_origins/);
  });
});

describe("a key's list of models", () => {
  it.each(['allow', 'block'])('to %s accepts the models of the account', async (mode) => {
    const settings = listing(mode, 'everyones', 'ours');
    expect(await keys.create(settings)).toMatchObject(settings);
  });

  it.each(['allow', 'block'])('to %s may be empty', async (mode) => {
    expect(await keys.create(listing(mode))).toMatchObject(listing(mode));
  });

  it("accepts nothing else, and does not reveal whether another account's model exists", async () => {
    const texts = new Set<string>();
    for (const model of ['theirs', 'off', 'gone', '../ours', 'OURS']) {
      const answer = await ada.send('POST', '/v1/api-keys', { body: listing('block', 'ours', model) });
      expectError(answer, { status: 400, code: 'invalid_request_error', param: 'model_policy.models' });
      texts.add(answer.text.replace(`'${model}'`, ''));
    }
    expect(texts.size).toBe(1);
  });

  it('keeps a model that is no longer offered, but cannot add it again', async () => {
    const { key_public_id } = await keys.create(listing('block', 'everyones', 'ours'));
    await givenModels(harness.pool, { everyones: 'public', fresh: 'public' });
    const { model_policy } = listing('block', 'ours', 'fresh');
    expect((await keys.update(key_public_id, { model_policy })).json).toMatchObject({ model_policy });
    await keys.update(key_public_id, { model_policy: null });
    expectError(await keys.update(key_public_id, { model_policy }), {
      status: 400,
      code: 'invalid_request_error',
      param: 'model_policy.models',
    });
  });

  it('has at most a hundred entries', async () => {
    const ids = Array.from({ length: 101 }, (_, i) => `m${String(i)}`);
    await givenModels(harness.pool, Object.fromEntries(ids.map((id) => [id, 'public'])));
    await keys.create(listing('allow', ...ids.slice(0, 100)));
    expectError(await ada.send('POST', '/v1/api-keys', { body: listing('allow', ...ids) }), {
      status: 400,
      code: 'invalid_request_error',
      param: 'model_policy.models',
    });
  });
});
