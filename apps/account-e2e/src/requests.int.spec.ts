import { PATIENT_LEDGER, PATIENT_POOL } from '@farebox/testing';
import { fromPublicId, toPublicId, uuidV7 } from '@farebox/auth';
import { applyCatalog, parseCatalog } from '@farebox/catalog';
import { receipt, type ApiKeyWithSecret, type Receipt } from '@farebox/api';
import { createPool } from '@farebox/database';
import {
  insertUnchargedRequests,
  openGatewayLedger,
  openReview,
  resolveReview,
  type GatewayLedger,
} from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { keyHolder } from '../test/holders';

// Receipts of requests in every state: readable for the account and the key that made the request, and for
// nobody else.

let harness: AccountHarness;
let gatewayPool: ReturnType<typeof createPool>;
let ledger: GatewayLedger;
let priceVersionId: string;
let ada: Customer;
let key: ApiKeyWithSecret;
beforeAll(async () => {
  harness = await openAccountHarness();
  await applyCatalog(harness.pool, parseCatalog(CATALOG, {}));
  const { rows } = await harness.pool.query<{ id: string }>('SELECT id FROM price_version');
  priceVersionId = rows[0]?.id ?? '';
  gatewayPool = createPool({
    ...PATIENT_POOL,
    ...{ url: harness.serviceUrl, max: 2, applicationName: 'test' },
    onConnectionLost: () => undefined,
  });
  ledger = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: harness.serviceUrl,
    pool: gatewayPool,
    onLeaseError: (error) => {
      throw error;
    },
  });
});
beforeEach(async () => {
  ada = await harness.givenCustomer({ balanceNano: 1_000_000n });
  key = await keyHolder(ada).create();
});
afterAll(async () => {
  await ledger.close();
  await gatewayPool.end();
  await harness.close();
});

/** One and a half nano-dollars per prompt token, and two per output token. */
const CATALOG = `
upstreams:
  - { id: sim, base_url: "http://127.0.0.1:9/v1", total_timeout_ms: 60000 }
models:
  - id: small
    routes: [{ upstream: sim, model: x }]
    input_price: 0.0015
    output_price: 0.002
    context_window: 8192
    max_output_tokens: 4096
`;

const HELD_NANO = 100n;
const USAGE = {
  promptTokens: 11,
  completionTokens: 20,
  outcome: 'completed',
  streamed: true,
  estimated: false,
  latencyMs: 900,
  firstTokenMs: 30,
} as const;

interface Held {
  holdId: string;
  accountId: string;
}

async function hold(requestId?: string): Promise<Held> {
  const holdId = uuidV7();
  const { accountId } = ada;
  const admitted = await ledger.admit({
    ...{ holdId, accountId, apiKeyId: fromPublicId('key', key.key_public_id) ?? '', apiKeyVersion: 1 },
    ...{
      cohortName: 'beta',
      amountNano: toNanoUsd(HELD_NANO),
      mostTokens: 30,
      modelId: 'small',
      priceVersionId,
    },
    requestId: requestId ?? toPublicId('req', holdId),
  });
  expect(admitted).toEqual({ outcome: 'admitted' });
  return { holdId, accountId };
}

async function charge(held: Held, measuredNano: bigint, more: object = {}): Promise<void> {
  const usage = { ...USAGE, measuredCostNano: toNanoUsd(measuredNano), ...more };
  expect(await ledger.settle({ ...held, usage })).toBe('resolved');
}

async function read(id: string): Promise<Receipt> {
  const answer = await ada.send('GET', `/v1/requests/${id}`);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return receipt.parse(answer.json);
}

const readHeld = ({ holdId }: Held): Promise<Receipt> => read(toPublicId('req', holdId));

const sumOf = ({ costs }: Receipt): number =>
  costs.reduce((sum, { cost }) => sum + Math.round(Number(cost) * 1e9), 0);

describe('the receipt of a request', () => {
  it('that runs shows its hold with start and latest end, and no cost', async () => {
    const held = await hold();
    const running = await readHeld(held);
    expect(running).toMatchObject({
      ...{ state: 'running', usage: null, cost: '0.000000000', costs: [], ended_at: null, review: null },
      hold: { amount: '0.000000100' },
      price_version: { id: toPublicId('price', priceVersionId) },
    });
    expect(Number(running.hold?.ends_by) - Number(running.hold?.since)).toBe(60 + 300);
    await charge(held, 57n);
    expect((await readHeld(held)).state).toBe('charged');
  });

  it('that was charged shows the cost of each kind of token, which sum to the charge', async () => {
    const held = await hold();
    await charge(held, 57n);
    const charged = await readHeld(held);
    expect(charged).toEqual({
      object: 'request',
      id: toPublicId('chatcmpl', held.holdId),
      request_id: toPublicId('req', held.holdId),
      state: 'charged',
      model: 'small',
      key_public_id: key.key_public_id,
      hold: null,
      usage: { prompt_tokens: 11, completion_tokens: 20, total_tokens: 31 },
      cost: '0.000000057',
      refunded: '0.000000000',
      currency: 'usd',
      // 16.5 and 40: rounded up once.
      costs: [
        { kind: 'input', count: 11, price: '0.001500000', unit: '1M tokens', cost: '0.000000016' },
        { kind: 'output', count: 20, price: '0.002000000', unit: '1M tokens', cost: '0.000000041' },
      ],
      price_version: {
        id: toPublicId('price', priceVersionId),
        starts_at: expect.any(Number) as number,
      },
      ...{ outcome: 'completed', streamed: true, estimated: false, latency_ms: 900, first_token_ms: 30 },
      ...{ ended_at: charged.ended_at, error_code: null, http_status: null, review: null },
      ...{ error_message: null, error_param: null, proof: null },
    });
    expect(sumOf(charged)).toBe(57);
  });

  it('shows the cost of each kind of token, of images and of the request, at the price step of its prompt', async () => {
    const held = await hold();
    const { rows } = await harness.pool.query<{ id: string }>(
      `INSERT INTO price_version (id, model_id, input_price_pico, output_price_pico, cached_input_price_pico,
                                  cache_write_price_pico, reasoning_price_pico, image_price_pico, request_price_pico,
                                  steps, starts_at)
       VALUES (gen_random_uuid(), 'small', 9000, 9000, 9000, 9000, 9000, 7000, 5000,
               '[{"abovePromptTokens": 10, "inputPricePico": "1500", "cachedInputPricePico": "100",
                  "cacheWritePricePico": "2500", "outputPricePico": "2000"}]', now() + interval '1 day')
       RETURNING id`,
    );
    await harness.pool.query('UPDATE hold SET price_version_id = $2 WHERE id = $1', [
      held.holdId,
      rows[0]?.id,
    ]);
    const kinds = { cachedTokens: 5, cacheWriteTokens: 3, reasoningTokens: 12, images: 2 };
    // 3 x 1.5, 5 x 0.1, 3 x 2.5, 8 x 2, 12 x 2 (which have no price of their own), 2 x 7 and 5: 71.5.
    await charge(held, 72n, kinds);
    const charged = await readHeld(held);
    expect(charged.costs.map(({ kind, count, unit, cost }) => [kind, count, unit, cost])).toEqual([
      ['input', 3, '1M tokens', '0.000000004'],
      ['cached_input', 5, '1M tokens', '0.000000000'],
      ['cache_write', 3, '1M tokens', '0.000000007'],
      ['output', 8, '1M tokens', '0.000000016'],
      ['reasoning', 12, '1M tokens', '0.000000024'],
      ['image', 2, 'image', '0.000000014'],
      ['request', 1, 'request', '0.000000007'],
    ]);
    expect([charged.cost, sumOf(charged)]).toEqual(['0.000000072', 72]);
  });

  it('that exceeds its hold shows that only the hold was charged', async () => {
    const held = await hold();
    await charge(held, 217n, { completionTokens: 100 });
    const charged = await readHeld(held);
    expect(charged).toMatchObject({
      ...{ state: 'charged', cost: '0.000000100', review: { reason: 'usage_over_hold', state: 'open' } },
    });
    expect(charged.costs.at(-1)).toEqual({
      ...{ kind: 'over_hold', count: 1, price: null, unit: null, cost: '-0.000000117' },
    });
    expect(sumOf(charged)).toBe(100);
  });

  it('with a refunded charge is marked as refunded', async () => {
    const held = await hold();
    await charge(held, 57n);
    await harness.pool.query('SELECT ledger_refund($1, $2)', [uuidV7(), held.holdId]);
    const { state, cost, refunded } = await readHeld(held);
    expect({ state, cost, refunded }).toEqual({
      ...{ state: 'refunded', cost: '0.000000057', refunded: '0.000000057' },
    });
  });

  it.each([
    ['charge', 'charged', '0.000000057', 2],
    ['waive', 'released', '0.000000000', 0],
  ] as const)('in review is resolved by %s', async (resolution, state, cost, lines) => {
    const held = await hold();
    await openReview(gatewayPool, { ...held, usage: { ...USAGE, measuredCostNano: toNanoUsd(57n) } });
    const inReview = await readHeld(held);
    expect(inReview).toMatchObject({
      ...{ state: 'in_review', cost: '0.000000057', usage: { total_tokens: 31 } },
      review: { state: 'open', reason: 'charge_failed', closed_at: null },
    });
    expect(sumOf(inReview)).toBe(57);
    await resolveReview(harness.pool, held.holdId, { resolution, resolvedBy: 'ada', note: 'a secret' });
    const resolved = await readHeld(held);
    expect(resolved).toMatchObject({ state, cost, review: { state: 'closed', reason: 'charge_failed' } });
    expect(resolved.costs).toHaveLength(lines);
    expect(JSON.stringify(resolved)).not.toContain('secret');
  });

  it.each(['refused', 'failed'] as const)(
    'that was %s shows the reason, and that it cost nothing',
    async (outcome) => {
      const id = uuidV7();
      await insertUnchargedRequests(gatewayPool, [
        {
          ...{ id, accountId: ada.accountId, apiKeyId: fromPublicId('key', key.key_public_id) ?? '' },
          ...{ modelId: null, requestId: toPublicId('req', id), outcome, streamed: false, latencyMs: 3 },
          ...{ errorCode: 'rate_limit_error', errorMessage: 'Wait.', errorParam: 'model' },
          ...{ httpStatus: 429, ageMs: 0 },
        },
      ]);
      expect(await read(toPublicId('req', id))).toMatchObject({
        ...{ state: outcome, model: null, cost: '0.000000000', costs: [], usage: null, price_version: null },
        ...{ error_code: 'rate_limit_error', error_message: 'Wait.', error_param: 'model' },
        ...{ http_status: 429, latency_ms: 3 },
      });
    },
  );

  it('is the same for every id that names it', async () => {
    const held = await hold('mine.1');
    await charge(held, 57n);
    const byCompletion = await read(toPublicId('chatcmpl', held.holdId));
    const body = toPublicId('req', held.holdId).slice('req_'.length);
    for (const id of ['mine.1', `req_${body}`, `resp_${body}`, `msg_${body}`])
      expect(await read(id)).toEqual(byCompletion);
    expect(byCompletion.request_id).toBe('mine.1');
  });

  it('for an id shared by several is that of the newest', async () => {
    await charge(await hold('mine'), 57n);
    const second = await hold('mine');
    expect(await read('mine')).toMatchObject({ id: toPublicId('chatcmpl', second.holdId), state: 'running' });
  });
});

describe('access to a receipt', () => {
  const withKey = (id: string, secret: string) =>
    harness.send('GET', `/v1/requests/${id}`, { headers: { authorization: `Bearer ${secret}` } });
  const NOT_FOUND = { status: 404, code: 'invalid_request_error', param: 'request_id' } as const;

  it('is granted to the key that made the request, and to no other key of its account', async () => {
    const held = await hold('mine');
    const other = await keyHolder(ada).create();
    for (const id of [toPublicId('req', held.holdId), toPublicId('chatcmpl', held.holdId), 'mine']) {
      const answer = await withKey(id, key.key);
      expect([answer.status, answer.json]).toEqual([200, await read(id)]);
      expectError(await withKey(id, other.key), NOT_FOUND);
    }
  });

  it('is refused to another account as if the receipt did not exist', async () => {
    const held = await hold('mine');
    const eve = await harness.givenCustomer();
    const evesKey = await keyHolder(eve).create();
    const missing = await eve.send('GET', `/v1/requests/${toPublicId('req', uuidV7())}`);
    for (const id of [toPublicId('req', held.holdId), toPublicId('chatcmpl', held.holdId), 'mine']) {
      const asked = await eve.send('GET', `/v1/requests/${id}`);
      expectError(asked, NOT_FOUND);
      expect(asked.text).toBe(missing.text);
      expectError(await withKey(id, evesKey.key), NOT_FOUND);
    }
  });

  it('is refused to a key that is revoked, expired, mistyped, or of an account without access', async () => {
    const id = toPublicId('req', (await hold()).holdId);
    const mistyped = key.key.slice(0, -1) + (key.key.endsWith('0') ? '1' : '0');
    expectError(await withKey(id, mistyped), { status: 401, code: 'invalid_api_key' });
    const set = (change: string) =>
      harness.pool.query(`UPDATE api_key SET ${change} WHERE account_id = $1`, [ada.accountId]);
    await set(`expires_at = now() - interval '1 s'`);
    expectError(await withKey(id, key.key), { status: 401, code: 'expired_api_key' });
    await set('expires_at = NULL');
    await harness.pool.query(`UPDATE account SET invite_status = 'suspended' WHERE id = $1`, [ada.accountId]);
    expectError(await withKey(id, key.key), { status: 403, code: 'beta_access_required' });
    await set('revoked_at = now()');
    expectError(await withKey(id, key.key), { status: 401, code: 'invalid_api_key' });
  });
});
