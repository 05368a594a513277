import { accountLimitList, accountModelList, accountRecord, type AccountRecord } from '@farebox/api';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { openGatewayLedger, setLimitPolicy, type GatewayLedger } from '@farebox/ledger';
import { fromDecimalUsd, toNanoUsd } from '@farebox/money';
import { givenApiKey, givenPastCharge, PATIENT_LEDGER } from '@farebox/testing';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { deviceHolder } from '../test/holders';
import { givenModels } from '../test/usage-fixtures';

let harness: AccountHarness;
let gateway: GatewayLedger;
let ada: Customer;

beforeAll(async () => {
  harness = await openAccountHarness({
    environment: { FAREBOX_RATE_LIMIT_REQUESTS: '90', FAREBOX_RATE_LIMIT_WINDOW: '1500ms' },
  });
  gateway = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: harness.serviceUrl,
    pool: harness.pool,
    onLeaseError: (error) => {
      throw error;
    },
  });
});
beforeEach(async () => {
  ada = await harness.givenCustomer({ balanceNano: 1_000_000_000_000n });
});
afterAll(async () => {
  await gateway.close();
  await harness.close();
});

async function readAccount({ send }: Customer = ada): Promise<AccountRecord> {
  const answer = await send('GET', '/v1/account');
  expect(answer.status).toBe(200);
  return accountRecord.parse(answer.json);
}

/** Sets the allowance for aborted requests to the cap, so that these caps refuse first. */
const givenCaps = (requests: number, spendNano: bigint) =>
  harness.pool.query(
    `UPDATE account SET daily_request_cap = $2, daily_spend_cap_nano = $3, daily_abandonment_nano = $3 WHERE id = $1`,
    [ada.accountId, requests, spendNano],
  );

/** Asks the ledger for a hold, and charges it if a cost is given. Returns the ledger's outcome. */
async function ask(amountNano: bigint, costNano?: bigint): Promise<string> {
  const { accountId } = ada;
  const holdId = uuidV7();
  const { outcome } = await gateway.admit({
    ...{ holdId, accountId, apiKeyId: await givenApiKey(harness.pool, accountId), apiKeyVersion: 1 },
    ...{
      cohortName: 'beta',
      amountNano: toNanoUsd(amountNano),
      mostTokens: 30,
      modelId: 'm',
      priceVersionId: uuidV7(),
    },
    requestId: 'req_1',
  });
  if (costNano !== undefined) {
    const measured = {
      promptTokens: 1,
      completionTokens: 1,
      streamed: false,
      estimated: false,
      latencyMs: 1,
    };
    const usage = { ...measured, measuredCostNano: toNanoUsd(costNano), outcome: 'completed' as const };
    await gateway.settle({ holdId, accountId, usage });
  }
  return outcome;
}

describe('GET /v1/account', () => {
  it('shows the account and its rights, with the caps of its cohort', async () => {
    await harness.pool.query(`UPDATE account SET name = 'Ada', email = 'ada@example.com' WHERE id = $1`, [
      ada.accountId,
    ]);
    const [{ request_cap, spend_cap }] = (
      await harness.pool.query<{ request_cap: number; spend_cap: bigint }>(
        `SELECT daily_request_cap AS request_cap, daily_spend_cap_nano AS spend_cap FROM cohort WHERE name = 'beta'`,
      )
    ).rows as [{ request_cap: number; spend_cap: bigint }];
    const account = await readAccount();
    expect(account).toMatchObject({
      account_id: toPublicId('acct', ada.accountId),
      name: 'Ada',
      email: 'ada@example.com',
      status: 'active',
      today: { spend: '0.000000000', requests: 0, requests_left: request_cap },
      month: { spend: '0.000000000', requests: 0 },
      request_limits: { requests: 90, window_seconds: 1.5, concurrent: 16 },
      language: null,
      low_balance_threshold: null,
    });
    expect(account.caps.daily_requests).toBe(request_cap);
    expect(fromDecimalUsd(account.caps.daily_spend ?? '')).toBe(spend_cap);
    expect(account.today.spend_left).toBe(account.caps.daily_spend);
  });

  it("counts today's charges and holds, and this month's charges", async () => {
    await givenCaps(10, 1_000n);
    expect(await ask(400n, 300n)).toBe('admitted');
    expect(await ask(200n)).toBe('admitted');
    const { today, month, caps } = await readAccount();
    expect(caps).toEqual({ daily_spend: '0.000001000', daily_requests: 10 });
    expect(today).toMatchObject({
      spend: '0.000000500',
      spend_left: '0.000000500',
      requests: 2,
      requests_left: 8,
    });
    expect(month).toMatchObject({ spend: '0.000000300', requests: 1 });
    const begins = new Date(month.starts_at * 1_000).toISOString();
    expect(begins).toMatch(/-01T00:00:00\.000Z$/);
    expect(today.resets_at % 86_400).toBe(0);
    expect(today.resets_at).toBeGreaterThan(month.starts_at);
  });

  it('shows as remaining exactly what the ledger still admits', async () => {
    await givenCaps(3, 1_000n);
    await ask(400n, 123n);
    const { today } = await readAccount();
    const left = fromDecimalUsd(today.spend_left ?? '');
    expect(await ask(left + 1n)).toBe('daily_spend_cap');
    expect(await ask(left)).toBe('admitted');
    expect((await readAccount()).today).toMatchObject({ spend_left: '0.000000000', requests_left: 1 });
    expect(await ask(0n)).toBe('admitted');
    expect(await ask(0n)).toBe('daily_request_cap');
    expect((await readAccount()).today.requests_left).toBe(0);
  });

  it('shows zero remaining, not less, if a cap was lowered below the usage', async () => {
    await ask(400n, 300n);
    await givenCaps(0, 100n);
    expect((await readAccount()).today).toMatchObject({
      spend: '0.000000300',
      spend_left: '0.000000000',
      requests_left: 0,
    });
  });
});

describe('PATCH /v1/account', () => {
  const update = (body: object) => ada.send('PATCH', '/v1/account', { body });

  it('changes the name and the threshold; omitted fields keep their values', async () => {
    expect((await update({ name: ' Ada ', low_balance_threshold: '5.00' })).json).toMatchObject({
      name: 'Ada',
      low_balance_threshold: '5.000000000',
    });
    expect((await update({ name: 'Countess' })).json).toMatchObject({
      name: 'Countess',
      low_balance_threshold: '5.000000000',
    });
    await update({ low_balance_threshold: null });
    expect(await readAccount()).toMatchObject({ name: 'Countess', low_balance_threshold: null });
  });

  it('sets the language, and null takes it away', async () => {
    expect((await update({ language: 'de' })).json).toMatchObject({ language: 'de' });
    await update({ low_balance_threshold: null });
    expect(await readAccount()).toMatchObject({ language: 'de' });
    expect((await update({ language: null })).json).toMatchObject({ language: null });
  });

  it('causes another mail to the owner for a new threshold, but not for the same one', async () => {
    const { accountId } = ada;
    await update({ low_balance_threshold: '5.00' });
    const isMarked = async (): Promise<boolean | undefined> =>
      (
        await harness.pool.query<{ marked: boolean }>(
          'SELECT low_balance_mailed_at IS NOT NULL AS marked FROM account WHERE id = $1',
          [accountId],
        )
      ).rows[0]?.marked;
    await harness.pool.query(
      'UPDATE account SET low_balance_mailed_at = now(), low_balance_mailed_nano = 1 WHERE id = $1',
      [accountId],
    );
    await update({ low_balance_threshold: '5' });
    expect(await isMarked()).toBe(true);
    await update({ low_balance_threshold: '6' });
    expect(await isMarked()).toBe(false);
  });

  it('is logged with its author, but only if it changes something', async () => {
    await update({ name: 'Ada King' });
    await update({ name: 'Ada King', low_balance_threshold: null });
    const { rows } = await harness.pool.query(
      `SELECT credential, credential_id AS id, action, actor_kind FROM credential_event
       WHERE account_id = $1 AND credential = 'account'`,
      [ada.accountId],
    );
    expect(rows).toEqual([
      { credential: 'account', id: ada.accountId, action: 'change', actor_kind: 'session' },
    ]);
  });

  it.each<[string, object, string | null]>([
    ['nothing', {}, null],
    ['a name of nothing', { name: ' ' }, 'name'],
    ['no name', { name: null }, 'name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['a threshold of nothing', { low_balance_threshold: '0' }, 'low_balance_threshold'],
    ['a threshold that is a number', { low_balance_threshold: 5 }, 'low_balance_threshold'],
    ['a language that there is not', { language: 'xx' }, 'language'],
    ['a cap', { daily_spend_cap: '1000' }, 'daily_spend_cap'],
    ['an e-mail address', { email: 'eve@example.com' }, 'email'],
  ])('refuses %s', async (_, body, param) => {
    const before = await readAccount();
    expectError(await update(body), { status: 400, code: 'invalid_request_error', param });
    expect(await readAccount()).toEqual(before);
  });

  it('is refused for the session of a device, which may read', async () => {
    const devices = deviceHolder(harness, ada);
    const side = await devices.signIn((await devices.register()).device_id);
    const refused = await side.send('PATCH', '/v1/account', { body: { name: 'Eve' } });
    expectError(refused, { status: 401, code: 'authentication_error' });
    expect((await side.send('GET', '/v1/account')).status).toBe(200);
  });
});

describe('GET /v1/account/limits', () => {
  it("lists the limits of the account, its cohort and its live keys, with what is left, and nobody else's", async () => {
    const { pool } = harness;
    const eve = await harness.givenCustomer({ balanceNano: 1_000n });
    const bob = await harness.givenCustomer();
    const apiKeyId = await givenApiKey(pool, eve.accountId);
    const revokedId = await givenApiKey(pool, eve.accountId, { revokedAt: new Date() });
    const accountId = eve.accountId;
    await setLimitPolicy(pool, {
      accountId,
      modelId: 'large',
      measure: 'spend',
      per: 'week',
      most: 9_000_000_000n,
    });
    await setLimitPolicy(pool, { apiKeyId, measure: 'concurrency', per: undefined, most: 3n });
    await setLimitPolicy(pool, { apiKeyId: revokedId, measure: 'concurrency', per: undefined, most: 3n });
    await setLimitPolicy(pool, { accountId: bob.accountId, measure: 'requests', per: 'day', most: 3n });
    await givenPastCharge(pool, { accountId, apiKeyId, modelId: 'large', at: new Date(), costNano: 100n });
    const { data } = accountLimitList.parse((await eve.send('GET', '/v1/account/limits')).json);
    expect(data).toEqual([
      {
        ...{ object: 'account_limit', measure: 'spend', per: 'week', model: 'large' },
        ...{ key_public_id: null, key_name: null },
        ...{ limit: '9.000000000', used: '0.000000100', left: '8.999999900' },
        resets_at: expect.any(Number) as number,
      },
      {
        ...{ object: 'account_limit', measure: 'concurrency', per: null, model: null, resets_at: null },
        ...{ key_public_id: toPublicId('key', apiKeyId), key_name: 'test', limit: 3, used: 0, left: 3 },
      },
    ]);
    const [{ resets_at: resetsAt } = { resets_at: null }] = data;
    expect(new Date((resetsAt ?? 0) * 1_000).getUTCDay()).toBe(1);
    const ofAda = accountLimitList.parse((await ada.send('GET', '/v1/account/limits')).json);
    expect(ofAda.data).toEqual([]);
  });
});

describe('GET /v1/account/models', () => {
  it('lists the models offered to the account, in the order of the catalogue, with prices and limits', async () => {
    const { pool } = harness;
    await givenModels(pool, {
      seen: 'public',
      ours: '{ cohorts: [beta] }',
      theirs: '{ cohorts: [x] }',
      off: 'disabled',
    });
    const answer = await ada.send('GET', '/v1/account/models');
    const { data } = accountModelList.parse(answer.json);
    expect(data.map(({ id }) => id)).toEqual(['seen', 'ours']);
    expect(data[1]).toEqual({
      object: 'account_model',
      id: 'ours',
      owned_by: 'farebox',
      allowed_api_keys: 0,
      pricing: { input: '1.000000000', output: '2.000000000', currency: 'usd', unit: '1M tokens' },
      context_window: 8_192,
      max_output_tokens: 4_096,
      input_modalities: ['text'],
      kind: 'chat',
    });
  });

  it('lists the cheapest chat model alone, of those that most keys may use', async () => {
    await givenModels(harness.pool, { first: 'public', second: 'public' });
    const eve = await harness.givenCustomer();
    const cheapest = async () => {
      const answer = await eve.send('GET', '/v1/account/models?only=cheapest_chat');
      return accountModelList.parse(answer.json).data.map(({ id }) => id);
    };
    expect(await cheapest()).toEqual(['first']);
    await harness.pool.query(
      `UPDATE api_key SET model_policy_mode = 'allow', model_policy_models = '{second}' WHERE id = $1`,
      [await givenApiKey(harness.pool, eve.accountId)],
    );
    expect(await cheapest()).toEqual(['second']);
    await givenModels(harness.pool, { first: 'disabled', second: 'disabled' });
    expect(await cheapest()).toEqual([]);
    expectError(await eve.send('GET', '/v1/account/models?only=all'), {
      status: 400,
      code: 'invalid_request_error',
      param: 'only',
    });
  });

  it('says how many of the active keys may use each, however many there are', async () => {
    await givenModels(harness.pool, { first: 'public', second: 'public' });
    const eve = await harness.givenCustomer();
    const given: [count: number, mode: string | null, models: string[]][] = [
      [30, null, []],
      [7, 'allow', ['first']],
      [5, 'allow', ['first', 'second', 'gone']],
      [3, 'block', ['second']],
      [1, 'allow', []],
    ];
    for (const [count, mode, models] of given)
      for (let i = 0; i < count; i++)
        await harness.pool.query(
          'UPDATE api_key SET model_policy_mode = $2, model_policy_models = $3 WHERE id = $1',
          [await givenApiKey(harness.pool, eve.accountId), mode, models],
        );
    await givenApiKey(harness.pool, eve.accountId, { revokedAt: new Date() });
    await givenApiKey(harness.pool, eve.accountId, { expiresAt: new Date(Date.now() - 1_000) });
    const list = accountModelList.parse((await eve.send('GET', '/v1/account/models')).json);
    expect(list.active_api_keys).toBe(46);
    expect(list.data.map(({ id, allowed_api_keys }) => [id, allowed_api_keys])).toEqual([
      ['first', 30 + 7 + 5 + 3],
      ['second', 30 + 5],
    ]);
  });
});
