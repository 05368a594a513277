import { toPublicId } from '@farebox/auth';
import { checkoutRecord, fundingList } from '@farebox/api';
import { topUp } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { openStripeHarness, SECRET_KEY, type StripeHarness } from '../test/stripe-harness';

const FUNDING = '/v1/billing/funding';
const CHECKOUTS = '/v1/billing/funding/checkouts';

let harness: StripeHarness;
let ada: Customer;
beforeAll(async () => {
  harness = await openStripeHarness();
});
beforeEach(async () => {
  ada = await harness.givenCustomer();
});
afterAll(() => harness.close());

let reference = 0;
const fund = (amountNano: bigint, { accountId } = ada) =>
  topUp(harness.pool, {
    accountId,
    amountNano: toNanoUsd(amountNano),
    method: 'manual',
    reference: `wire-${String(++reference)}`,
  });
const start = (amount: unknown) => ada.send('POST', CHECKOUTS, { body: { amount } });

describe('GET /v1/billing/funding', () => {
  it("lists the account's own top-ups, newest first, page by page, and the ways to add funds", async () => {
    await fund(1n, await harness.givenCustomer());
    for (const amount of [1n, 2n, 3n]) await fund(amount);
    const first = fundingList.parse((await ada.send('GET', `${FUNDING}?limit=2`)).json);
    expect(first.data.map(({ amount, method }) => [amount, method])).toEqual([
      ['0.000000003', 'manual'],
      ['0.000000002', 'manual'],
    ]);
    expect(first.methods).toEqual([
      { type: 'manual' },
      { type: 'card', min_amount: '5.000000000', max_amount: '1000.000000000', currency: 'usd' },
    ]);
    const rest = fundingList.parse(
      (await ada.send('GET', `${FUNDING}?limit=2&after=${String(first.last_id)}`)).json,
    );
    expect(rest).toMatchObject({ data: [{ amount: '0.000000001' }], has_more: false });
  });

  it('refuses a cursor of another account', async () => {
    const { fundingId } = await fund(1n, await harness.givenCustomer());
    const answer = await ada.send('GET', `${FUNDING}?after=${toPublicId('fund', fundingId)}`);
    expectError(answer, { status: 400, code: 'invalid_request_error', param: 'after' });
  });
});

describe('POST /v1/billing/funding/checkouts', () => {
  it("returns Stripe's payment page for the amount, and credits nothing", async () => {
    const answer = await start('25.50');
    expect(answer.status).toBe(201);
    const call = harness.stripe.calls.at(-1);
    expect(call).toMatchObject({
      path: 'POST /v1/checkout/sessions',
      authorization: `Bearer ${SECRET_KEY}`,
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      form: {
        mode: 'payment',
        client_reference_id: expect.stringMatching(/^chk_[0-9a-z]{26}$/) as string,
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][currency]': 'usd',
        'line_items[0][price_data][unit_amount]': '2550',
        success_url: expect.stringMatching(
          /^https:\/\/farebox\.example\/billing\?checkout=paid&payment=chk_[0-9a-z]{26}$/,
        ) as string,
        cancel_url: 'https://farebox.example/billing?checkout=cancelled',
      },
    });
    expect(checkoutRecord.parse(answer.json)).toMatchObject({
      url: expect.stringMatching(/^https:\/\/pay\.example\//) as string,
      amount: '25.500000000',
      expires_at: 1_900_000_000,
    });
    expect((await ada.send('GET', '/v1/billing/balance')).json).toMatchObject({ balance: '0.000000000' });
  });

  it.each(['4.99', '1000.01', '5.001', '0', '-5', 'ten', '', 25, null])('refuses %j', async (amount) => {
    const calls = harness.stripe.calls.length;
    expectError(await start(amount), { status: 400, code: 'invalid_request_error', param: 'amount' });
    expect(harness.stripe.calls).toHaveLength(calls);
  });

  it('returns 503 while Stripe does not answer, and does not reveal why', async () => {
    harness.stripe.failWith(500);
    const answer = await start('5.00');
    harness.stripe.failWith(undefined);
    expectError(answer, { status: 503, code: 'service_unavailable' });
    expect(answer.text).not.toContain('sk_test');
    expect(harness.process.log.join('\n')).not.toContain(SECRET_KEY);
  });

  it('is refused after twenty in a day', async () => {
    await harness.pool.query(
      `INSERT INTO checkout (id, account_id, amount_nano) SELECT gen_random_uuid(), $1, 10000000 FROM generate_series(1, 20)`,
      [ada.accountId],
    );
    const answer = await start('5.00');
    expect([answer.status, answer.json]).toMatchObject([429, { error: { code: 'rate_limit_error' } }]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(86_000);
  });
});

describe('without the secrets of Stripe', () => {
  let plain: AccountHarness;
  beforeAll(async () => {
    plain = await openAccountHarness();
  });
  afterAll(() => plain.close());

  it('there is no checkout, no webhook and no payment by card', async () => {
    const bob = await plain.givenCustomer();
    expect((await bob.send('GET', FUNDING)).json).toMatchObject({ methods: [{ type: 'manual' }] });
    const missing = { status: 404, code: 'invalid_request_error' } as const;
    expectError(await bob.send('POST', CHECKOUTS, { body: { amount: '5.00' } }), missing);
    expectError(await plain.send('POST', '/webhooks/stripe', { body: {} }), missing);
  });
});
