import { toPublicId, uuidV7 } from '@farebox/auth';
import { givenApiKey } from '@farebox/testing';
import { expectError, type Customer } from '../test/account-harness';
import { givenModels, openUsageHarness, type UsageHarness } from '../test/usage-fixtures';

let harness: UsageHarness;
let ada: Customer;
/** Data of another account. */
let foreign: { keyId: string; chargeId: string; modelId: string };
beforeAll(async () => {
  harness = await openUsageHarness();
  ada = await harness.givenCustomer();
  const { accountId } = await harness.givenCustomer({ balanceNano: 1_000n });
  const keyId = await givenApiKey(harness.pool, accountId);
  const modelId = 'only-eve-uses-it';
  foreign = { keyId, modelId, chargeId: await harness.charge({ accountId, apiKeyId: keyId, modelId }) };
});
afterAll(async () => {
  await harness.close();
});

const PATHS = ['/v1/usage', '/v1/usage/summary', '/v1/usage/by-model', '/v1/usage/by-api-key'];
const DAY = 86_400;

describe.each(PATHS)('GET %s', (path) => {
  it.each([
    ['start=yesterday', 'start'],
    ['start=2026-11-01T00:00:00', 'start'],
    ['start=-1', 'start'],
    ['end=1e9', 'end'],
    ['end=99999999999999', 'end'],
    ['start=100000&end=100000', 'end'],
    ['start=2026-11-02&end=2026-11-01', 'end'],
    ['start=1&start=2', 'start'],
    ['model=', 'model'],
    ['model=never-heard-of', 'model'],
    ['model=a%00b', 'model'],
    [`model=${'m'.repeat(201)}`, 'model'],
    ['key_public_id=', 'key_public_id'],
    ['key_public_id=key_', 'key_public_id'],
    ['key_public_id=%00', 'key_public_id'],
    ['key_public_id[]=x', 'key_public_id[]'],
    ['page=2', 'page'],
  ])('refuses %s', async (query, param) => {
    expectError(await ada.send('GET', `${path}?${query}`), {
      status: 400,
      code: 'invalid_request_error',
      param,
    });
  });

  it("treats another account's key, and a model used only by another account, as missing", async () => {
    for (const [mine, theirs, param] of [
      [toPublicId('key', uuidV7()), toPublicId('key', foreign.keyId), 'key_public_id'],
      ['nobody-uses-it', foreign.modelId, 'model'],
    ] as const) {
      const missing = await ada.send('GET', `${path}?${param}=${mine}`);
      const found = await ada.send('GET', `${path}?${param}=${theirs}`);
      expectError(missing, { status: 400, code: 'invalid_request_error', param });
      expect([found.status, found.text]).toEqual([missing.status, missing.text]);
    }
  });

  it('accepts a model that the account may use, and no other', async () => {
    await givenModels(harness.pool, {
      offered: 'public',
      hidden: '{ cohorts: [insiders] }',
      off: 'disabled',
    });
    expect((await ada.send('GET', `${path}?model=offered`)).status).toBe(200);
    const missing = await ada.send('GET', `${path}?model=nobody-has-it`);
    for (const model of ['hidden', 'off']) {
      const found = await ada.send('GET', `${path}?model=${model}`);
      expect([found.status, found.text]).toEqual([missing.status, missing.text]);
    }
  });

  it('refuses in JSON even if CSV was requested', async () => {
    const answer = await ada.send('GET', `${path}?start=x`, { headers: { accept: 'text/csv' } });
    expectError(answer, { status: 400, code: 'invalid_request_error', param: 'start' });
  });
});

describe('GET /v1/usage', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1000000000', 'limit'],
    ['after=x', 'after'],
    ['after=txn_01jd0000000000000000000000', 'after'],
    ['bucket=day', 'bucket'],
  ])('refuses %s', async (query, param) => {
    expectError(await ada.send('GET', `/v1/usage?${query}`), {
      status: 400,
      code: 'invalid_request_error',
      param,
    });
  });

  it("treats another account's cursor as missing", async () => {
    const missing = await ada.send('GET', `/v1/usage?after=${toPublicId('chatcmpl', uuidV7())}`);
    const found = await ada.send('GET', `/v1/usage?after=${toPublicId('chatcmpl', foreign.chargeId)}`);
    expectError(missing, { status: 400, code: 'invalid_request_error', param: 'after' });
    expect([found.status, found.text]).toEqual([missing.status, missing.text]);
  });
});

describe('ranges', () => {
  it.each([
    ['/v1/usage/summary?bucket=week', 'bucket'],
    [`/v1/usage/summary?bucket=hour&start=0&end=${String(366 * DAY + 1)}`, 'start'],
    [`/v1/usage/summary?start=0&end=${String(3_660 * DAY + 1)}`, 'start'],
    ['/v1/usage/summary?start=0', 'start'],
    ['/v1/usage/by-model?start=0', 'start'],
    ['/v1/usage/by-api-key?start=0', 'start'],
    ['/v1/usage/summary?start=9000-01-01', 'start'],
    ['/v1/usage/by-model?bucket=day', 'bucket'],
  ])('%s is refused', async (path, param) => {
    expectError(await ada.send('GET', path), { status: 400, code: 'invalid_request_error', param });
  });
});
