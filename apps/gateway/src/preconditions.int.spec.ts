import { setLimitPolicy } from '@farebox/ledger';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../test/gateway-harness';
import { codeOf } from '../test/repeating-client';
import { PRECONDITIONS, type Precondition } from './refusals';
import { toLimiterSettings } from './limiter/request-limits';

const REQUESTS = 3;
/** Enough for a few short responses, too little for the maximum cost of a long one. */
const BALANCE_NANO = 1_000_000n;
const OVER_THE_SIZE = ' '.repeat(4 * 1024 * 1024);

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness({
    requestLimits: toLimiterSettings({ requests: REQUESTS, windowMs: 60_000, concurrent: 1 }),
  });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

type Customer = Awaited<ReturnType<GatewayHarness['givenKey']>>;

/** One way to fail a precondition. */
interface Wrong {
  /** The action, by or on the customer, before the request. */
  before?: (customer: Customer) => Promise<void>;
  /** In the body of the request. */
  fields?: object;
  answer: string;
}

const WRONG: Record<Precondition, Wrong> = {
  credential: {
    before: (customer) => change('UPDATE api_key SET revoked_at = now() WHERE id = $1', customer.apiKeyId),
    answer: '401 invalid_api_key',
  },
  invite: {
    before: ({ accountId }) =>
      change(`UPDATE account SET invite_status = 'suspended' WHERE id = $1`, accountId),
    answer: '403 beta_access_required',
  },
  body_size: { answer: '413 request_too_large' },
  body: { fields: { audio: {} }, answer: '400 invalid_request_error' },
  model_policy: { fields: { model: 'echo' }, answer: '403 model_not_allowed' },
  request_limit: {
    async before(customer) {
      const isFull = async () => (await ask(customer, { max_tokens: 4_000 })).status === 429;
      while (!(await isFull()));
    },
    answer: '429 rate_limit_error',
  },
  idempotency: {
    async before(customer) {
      expect((await ask(customer, { seed: 1 }, 'spent')).status).toBe(200);
    },
    answer: '409 idempotency_conflict',
  },
  account_caps: {
    before: ({ accountId }) => change('UPDATE account SET daily_request_cap = 0 WHERE id = $1', accountId),
    answer: '429 rate_limit_error',
  },
  key_month_limit: {
    before: ({ apiKeyId }) =>
      change('UPDATE api_key SET monthly_spend_limit_nano = 1 WHERE id = $1', apiKeyId),
    answer: '429 spending_limit_exceeded',
  },
  balance: { fields: { max_tokens: 4_000 }, answer: '402 insufficient_funds' },
  limit_policies: {
    async before({ accountId }) {
      await setLimitPolicy(harness.db.pool, { accountId, measure: 'tokens', per: 'day', most: 1n });
    },
    answer: '429 rate_limit_error',
  },
};

async function change(sql: string, id: string): Promise<void> {
  expect((await harness.db.pool.query(sql, [id])).rowCount).toBe(1);
}

function ask({ secret }: Customer, fields: object, idempotencyKey?: string, padding = ''): Promise<Response> {
  const body = { messages: [{ role: 'user', content: 'Hello' }], model: 'plain', max_tokens: 5, ...fields };
  return harness.complete(secret, 'plain', undefined, {
    body: JSON.stringify(body) + padding,
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
  });
}

interface Refusal {
  answer: string;
  /** The daily caps and the request limit share a code; the log distinguishes them. */
  refusedBy: string | undefined;
}

/** The refusal of a request that fails these preconditions and meets all others. */
async function refusalOf(wrong: readonly Precondition[]): Promise<Refusal> {
  const customer = await harness.givenKey({ balanceNano: BALANCE_NANO });
  await change(
    `UPDATE api_key SET model_policy_mode = 'block', model_policy_models = '{echo}' WHERE id = $1`,
    customer.apiKeyId,
  );
  // Set up what needs running requests before what makes every request fail.
  for (const name of ['idempotency', 'request_limit'] as const)
    if (wrong.includes(name)) await WRONG[name].before?.(customer);
  for (const name of wrong)
    if (name !== 'idempotency' && name !== 'request_limit') await WRONG[name].before?.(customer);

  const asked = harness.upstream.requests().length;
  const fields = Object.assign({}, ...wrong.map((name) => WRONG[name].fields)) as object;
  const padding = wrong.includes('body_size') ? OVER_THE_SIZE : '';
  const response = await ask(customer, fields, 'spent', padding);
  expect(harness.upstream.requests()).toHaveLength(asked);
  const answer = `${String(response.status)} ${await codeOf(response)}`;
  return { answer, refusedBy: await refuserInLog(response.headers.get('x-request-id') ?? '') };
}

async function refuserInLog(requestId: string): Promise<string | undefined> {
  const lineOf = () =>
    harness
      .logText()
      .split('\n')
      .find((line) => line.includes(requestId) && line.includes('request_completed'));
  await waitUntil(() => lineOf() !== undefined, 'the request is logged');
  return (JSON.parse(lineOf() ?? '') as { refused_by?: string }).refused_by;
}

const refusal = (name: Precondition): Refusal => ({ answer: WRONG[name].answer, refusedBy: name });

describe('a request that fails one precondition is refused by it', () => {
  it.each(PRECONDITIONS)('%s', async (name) => {
    expect(await refusalOf([name])).toEqual(refusal(name));
  });
});

describe('of two failed preconditions, the first is the response', () => {
  const pairs = PRECONDITIONS.slice(1).map((later, i) => [PRECONDITIONS[i] ?? later, later] as const);
  it.each(pairs)('%s before %s', async (earlier, later) => {
    expect(await refusalOf([later, earlier])).toEqual(refusal(earlier));
  });
});

describe('of all preconditions from one on, the first is the response', () => {
  // A recently used key is remembered: its later changes are found when the request is admitted.
  it.each(PRECONDITIONS.slice(PRECONDITIONS.indexOf('request_limit')))('%s', async (name) => {
    expect(await refusalOf(PRECONDITIONS.slice(PRECONDITIONS.indexOf(name)))).toEqual(refusal(name));
  });
});

it('too many concurrent requests come before errors in the body, and before the Idempotency-Key', async () => {
  const customer = await harness.givenKey();
  await WRONG.idempotency.before?.(customer);
  const running = ask(customer, { model: 'slow-3000' });
  await waitUntil(
    async () =>
      (await harness.db.pool.query('SELECT 1 FROM hold WHERE account_id = $1', [customer.accountId]))
        .rowCount === 1,
    'the first request runs',
  );
  const missing = await ask(customer, { model: 'missing' }, 'spent');
  const early = await ask(customer, {}, 'spent');
  expect([missing.status, early.status]).toEqual([429, 429]);
  expect(early.headers.get('retry-after')).toBe('1');
  expect((await running).status).toBe(200);
  const conflict = await ask(customer, {}, 'spent');
  expect([conflict.status, await codeOf(conflict)]).toEqual([409, 'idempotency_conflict']);
});

it('a request that is refused for its body has used its place in the window', async () => {
  const customer = await harness.givenKey();
  const statuses = [];
  for (let i = 0; i <= REQUESTS; i++) statuses.push((await ask(customer, { audio: {} })).status);
  expect(statuses).toEqual([400, 400, 400, 429]);
});

it('an invalid Idempotency-Key is refused with the body, and after the errors in it', async () => {
  const customer = await harness.givenKey();
  const paramOf = async (fields: object): Promise<unknown> => {
    const response = await ask(customer, fields, 'x'.repeat(256));
    expect(response.status).toBe(400);
    return ((await response.json()) as { error: { param: unknown } }).error.param;
  };
  expect(await paramOf({ audio: {} })).toBe('audio');
  expect(await paramOf({ model: 'missing' })).toBe('Idempotency-Key');
});
