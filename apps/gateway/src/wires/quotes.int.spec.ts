import { costOf, readCatalog } from '@farebox/catalog';
import { quote, type QuoteRecord } from '@farebox/api';
import { readBalance, setLimitPolicy } from '@farebox/ledger';
import { fromDecimalUsd, toDecimalUsd, toNanoUsd } from '@farebox/money';
import { startGatewayHarness, TEN_DOLLARS_NANO, type GatewayHarness } from '../../test/gateway-harness';
import { toLimiterSettings } from '../limiter/request-limits';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error: { code: string } }).error.code;

const TEXT = 'What does a farebox do, and who has the key to it?';
const chatBody = (model = 'echo', more: object = {}): object => ({
  ...{ model, max_tokens: 50, messages: [{ role: 'user', content: TEXT }] },
  ...more,
});

function ask(secret: string, body: object, query = ''): Promise<Response> {
  return fetch(`${harness.url}/v1/quotes${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const embed = (secret: string, body: object): Promise<Response> =>
  fetch(`${harness.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function quoteOf(secret: string, body: object, query?: string): Promise<QuoteRecord> {
  const response = await ask(secret, body, query);
  const json: unknown = await response.json();
  expect([response.status, json]).toEqual([200, json]);
  return quote.parse(json);
}

describe('a quote', () => {
  it('names the balance that the request needs, and holds nothing', async () => {
    const { secret, accountId } = await harness.givenKey();
    const quoted = await quoteOf(secret, chatBody('plain'));
    expect(quoted.prompt_tokens.counted).toBeNull();
    expect((await readBalance(harness.db.pool, accountId)).heldNano).toBe(0n);
    const neededNano = fromDecimalUsd(quoted.hold);
    for (const [balanceNano, status] of [
      [neededNano, 200],
      [neededNano - 1n, 402],
    ] as const) {
      const customer = await harness.givenKey({ balanceNano });
      expect((await harness.complete(customer.secret, 'plain', chatBody('plain'))).status).toBe(status);
    }
  });

  it("prices each output length for the counted prompt, up to the model's limit", async () => {
    const { secret } = await harness.givenKey();
    const quoted = await quoteOf(secret, chatBody('echo', { n: 2 }), '?output_tokens=10,50,9000');
    const { models } = await readCatalog(harness.db.pool);
    const price = models.get('echo')?.price;
    if (!price) throw new Error('the catalogue has no model echo');
    const promptTokens = quoted.prompt_tokens.counted ?? 0;
    expect(promptTokens).toBeGreaterThan(10);
    expect(quoted.prompt_tokens.bound).toBeGreaterThanOrEqual(promptTokens);
    expect(quoted.costs.map(({ output_tokens, cost }) => [output_tokens, fromDecimalUsd(cost)])).toEqual(
      [10, 50, 50].map((tokens) => [tokens, costOf(price, { promptTokens, completionTokens: 2 * tokens })]),
    );
    expect(quoted).toMatchObject({ choices: 2, max_output_tokens: 50, binds: null });
  });

  it('of a long request prices what the model gets of it, and is refused as a request would be', async () => {
    const { secret } = await harness.givenKey();
    const { secret: other } = await harness.givenKey();
    const call = { type: 'tool_use', id: 'a', name: 'look', input: { city: 'Rome' } };
    const messages = [
      { role: 'user', content: TEXT },
      { role: 'assistant', content: [call] },
    ];
    const long = { dropped: 'x'.repeat(600_000) };
    for (const [wire, more] of [['chat', {}] as const, ['messages', { messages }] as const]) {
      const query = `?wire=${wire}`;
      const short = await quoteOf(secret, chatBody('echo', more), query);
      expect(await quoteOf(other, chatBody('echo', { ...more, ...long }), query)).toEqual(short);
      const refused = await ask(secret, chatBody('echo', { ...more, ...long, max_tokens: 0 }), query);
      expect(await refused.json()).toMatchObject({ error: { param: 'max_tokens' } });
    }
  });

  it('of a completion that runs as quoted equals its cost', async () => {
    const { secret } = await harness.givenKey();
    const response = await harness.complete(secret, 'no-usage', chatBody('no-usage'));
    const { usage } = (await response.json()) as {
      usage: { cost: string; prompt_tokens: number; completion_tokens: number };
    };
    const query = `?output_tokens=${String(usage.completion_tokens)}`;
    const quoted = await quoteOf(secret, chatBody('no-usage'), query);
    expect(quoted.prompt_tokens.counted).toBe(usage.prompt_tokens);
    expect(quoted.costs[0]?.cost).toBe(usage.cost);
  });

  it('accepts the bodies of the other endpoints', async () => {
    const { secret } = await harness.givenKey();
    const chat = await quoteOf(secret, chatBody());
    const messages = { model: 'echo', max_tokens: 50, messages: [{ role: 'user', content: TEXT }] };
    const responses = { model: 'echo', max_output_tokens: 50, input: TEXT, store: false };
    for (const [wire, body] of [
      ['messages', messages],
      ['responses', responses],
    ] as const) {
      const quoted = await quoteOf(secret, body, `?wire=${wire}`);
      expect(quoted.maximum_cost).toBe(chat.maximum_cost);
    }
  });

  it.each([
    ['a text', TEXT],
    ['texts', [TEXT, 'And another one.']],
    ['tokens', [[1, 2, 3], [4]]],
  ])('of embeddings of %s names the balance that they need', async (_what, input) => {
    const { secret } = await harness.givenKey();
    const body = { model: 'embed', input };
    const quoted = await quoteOf(secret, body, '?wire=embeddings&output_tokens=10,20');
    const counted = quoted.prompt_tokens.counted ?? 0;
    expect(counted).toBeGreaterThan(0);
    expect(quoted.prompt_tokens.bound).toBeGreaterThanOrEqual(counted);
    // A thousand nano-dollars per input token, and no output.
    const cost = toDecimalUsd(toNanoUsd(BigInt(counted) * 1_000n));
    expect(quoted).toMatchObject({
      model: 'embed',
      max_output_tokens: 0,
      choices: 1,
      costs: [{ output_tokens: 0, cost }],
      binds: null,
    });
    for (const [balanceNano, status, binds] of [
      [fromDecimalUsd(quoted.hold), 200, null],
      [1n, 402, 'balance'],
    ] as const) {
      const customer = await harness.givenKey({ balanceNano });
      expect((await quoteOf(customer.secret, body, '?wire=embeddings')).binds).toBe(binds);
      expect((await embed(customer.secret, body)).status).toBe(status);
    }
  });

  it('names the right endpoint for a body sent for another kind of model', async () => {
    const { secret } = await harness.givenKey();
    for (const [body, query, hint] of [
      [{ model: 'echo', input: TEXT }, '?wire=embeddings', 'This model makes no embeddings.'],
      [chatBody('embed'), '', 'This model makes embeddings.'],
    ] as const) {
      const { error } = (await (await ask(secret, body, query)).json()) as { error: { message: string } };
      expect(error.message).toContain(hint);
    }
  });
});

describe('the binding limit', () => {
  it('is the one that refuses the same request', async () => {
    const given = [
      ['account_day_requests', await harness.givenKey({ dailyRequestCap: 0 })],
      ['account_day', await harness.givenKey({ dailySpendCapNano: 1n })],
      ['account_day_abandoned', await harness.givenKey({ dailyAbandonmentNano: 1n })],
      ['key_month', await harness.givenKey({}, { monthlySpendLimitNano: 1n })],
      ['balance', await harness.givenKey({ balanceNano: 1n })],
      [null, await harness.givenKey()],
    ] as const;
    for (const [binds, { secret }] of given) {
      expect([binds, (await quoteOf(secret, chatBody())).binds]).toEqual([binds, binds]);
      expect((await harness.complete(secret, 'echo', chatBody())).ok).toBe(binds === null);
    }
  });

  it('names the limit of the operator that has room last, and its amounts', async () => {
    const { secret, accountId, apiKeyId } = await harness.givenKey();
    const { pool } = harness.db;
    await setLimitPolicy(pool, { accountId, measure: 'tokens', per: 'day', most: 1_000_000n });
    expect(await quoteOf(secret, chatBody())).toMatchObject({ binds: null, limits: { policy: null } });

    await setLimitPolicy(pool, { apiKeyId, modelId: 'echo', measure: 'spend', per: 'minute', most: 1n });
    const quoted = await quoteOf(secret, chatBody());
    expect(quoted).toMatchObject({
      binds: 'limit_policy',
      limits: {
        policy: {
          ...{ measure: 'spend', per: 'minute', of: 'key', model: 'echo', limit: '0.000000001' },
          ...{ used: '0.000000000', needed: quoted.hold, left: '0.000000001' },
        },
      },
    });
  });

  it('names a limit of the account with what was used of it', async () => {
    const { secret, accountId } = await harness.givenKey();
    await setLimitPolicy(harness.db.pool, { accountId, measure: 'requests', per: 'month', most: 1n });
    expect((await harness.complete(secret, 'echo', chatBody())).status).toBe(200);
    const { limits } = await quoteOf(secret, chatBody());
    expect(limits.policy).toMatchObject({
      ...{ measure: 'requests', per: 'month', of: 'account', model: null },
      ...{ limit: 1, used: 1, needed: 1, left: 0 },
    });
    expect(limits.policy?.resets_at).toBeGreaterThan(0);
    expect((await harness.complete(secret, 'echo', chatBody())).status).toBe(429);
  });

  it('is null, with a limit of the account, for a key that does not show those', async () => {
    const { secret, accountId, apiKeyId } = await harness.givenKey();
    await harness.db.pool.query('UPDATE api_key SET shows_account_limits = false WHERE id = $1', [apiKeyId]);
    await setLimitPolicy(harness.db.pool, { accountId, measure: 'tokens', per: 'day', most: 1n });
    expect(await quoteOf(secret, chatBody())).toMatchObject({
      ...{ binds: 'limit_policy', limits: { policy: null, balance: null } },
    });
  });

  it('is reported with its remainder, its holds and its reset', async () => {
    const { secret } = await harness.givenKey(
      { dailyRequestCap: 7, dailySpendCapNano: 5_000_000_000n },
      { monthlySpendLimitNano: 3_000_000_000n },
    );
    const { limits } = await quoteOf(secret, chatBody());
    expect(limits.balance).toEqual({
      ...{ balance: '10.000000000', held: '0.000000000', left: '10.000000000', running: 0 },
    });
    expect(fromDecimalUsd(limits.balance?.left ?? '')).toBe(TEN_DOLLARS_NANO);
    expect(limits.account_day).toMatchObject({ left: '5.000000000', request_limit: 7, requests: 0 });
    expect(limits.key_month).toMatchObject({ limit: '3.000000000', left: '3.000000000' });
    const opensAt = Number(limits.account_day?.opens_at);
    expect(opensAt % 86_400).toBe(0);
    expect(Number(limits.key_month?.opens_at)).toBeGreaterThanOrEqual(opensAt);
  });

  it('is absent if only the counted prompt fits, and the hold is that of the count', async () => {
    const long = chatBody('echo', { messages: [{ role: 'user', content: 'word '.repeat(400) }] });
    const { maximum_cost: most } = await quoteOf((await harness.givenKey()).secret, long);
    const { secret } = await harness.givenKey({ balanceNano: fromDecimalUsd(most) - 1n });
    const quoted = await quoteOf(secret, long);
    expect(quoted).toMatchObject({ binds: null, maximum_cost: most });
    expect(fromDecimalUsd(quoted.hold)).toBeLessThan(fromDecimalUsd(most));
    expect((await harness.complete(secret, 'echo', long)).status).toBe(200);
  });
});

describe('no quote is given', () => {
  it.each([
    ['for a model that does not exist', chatBody('nowhere'), '', 404, 'model_not_found'],
    ['for an invalid body', { model: 'echo' }, '', 400, 'invalid_request_error'],
    ['for a wire that does not exist', chatBody(), '?wire=telex', 400, 'invalid_request_error'],
    ['for invalid lengths', chatBody(), '?output_tokens=many', 400, 'invalid_request_error'],
  ])('%s', async (_, body, query, status, code) => {
    const { secret } = await harness.givenKey();
    const response = await ask(secret, body, query);
    expect([response.status, await codeOf(response)]).toEqual([status, code]);
  });

  it('to a key that is invalid, expired or revoked, or whose account has no access', async () => {
    const past = new Date(Date.now() - 60_000);
    for (const [{ secret }, status, code] of [
      [{ secret: 'ak-x' }, 401, 'invalid_api_key'],
      [await harness.givenKey({}, { expiresAt: past }), 401, 'expired_api_key'],
      [await harness.givenKey({}, { revokedAt: past }), 401, 'invalid_api_key'],
      [await harness.givenKey({ inviteStatus: 'suspended' }), 403, 'beta_access_required'],
    ] as const) {
      const response = await ask(secret, chatBody());
      expect([response.status, await codeOf(response)]).toEqual([status, code]);
    }
  });

  it('beyond the request limit, for which it counts', async () => {
    const own = await startGatewayHarness({
      requestLimits: toLimiterSettings({ requests: 2, windowMs: 60_000, concurrent: 9 }),
    });
    try {
      const { secret } = await own.givenKey();
      const statuses: number[] = [];
      for (let i = 0; i < 3; i++) {
        const response = await fetch(`${own.url}/v1/quotes`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          body: JSON.stringify(chatBody()),
        });
        statuses.push(response.status);
        await response.text();
      }
      expect(statuses).toEqual([200, 200, 429]);
    } finally {
      await own.close();
    }
  });
});
