import { automaticTopUpRecord, cardSetupRecord } from '@farebox/api';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { givenSavedCard, waitUntil } from '@farebox/testing';
import { expectError, type Customer } from '../test/account-harness';
import { openPaymentHarness, type PaymentHarness } from '../test/stripe-harness';

const TOP_UP = '/v1/billing/automatic-top-up';
const CARD = '/v1/billing/card';
const ORDER = { threshold: '5.00', amount: '10.00', monthly_ceiling: '20.00', consent: true };

let harness: PaymentHarness;
let ada: Customer;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
beforeEach(async () => {
  // Nothing is due.
  ada = await harness.givenCustomer({ balanceNano: 50_000_000_000n });
});
afterAll(() => harness.close());

const show = async () => automaticTopUpRecord.parse((await ada.send('GET', TOP_UP)).json);
const order = (body: object = ORDER) => ada.send('POST', TOP_UP, { body });

/** Delivers what followed from the worker's requests to Stripe. */
async function deliverNews(): Promise<void> {
  const { stripe } = harness;
  await waitUntil(() => stripe.undelivered.length > 0, 'Stripe has news');
  for (const eventId of stripe.undelivered.splice(0)) {
    const event = await (await fetch(`${stripe.url}/v1/events/${eventId}`)).json();
    const { id, type, data } = event as { id: string; type: string; data: { object: object } };
    expect((await harness.deliver({ id, type, object: data.object })).status).toBe(200);
  }
  await harness.untilApplied();
}

it('a card is entered on a page of Stripe, shown, charged below the threshold, and removed', async () => {
  ada = await harness.givenCustomer();
  const answer = await ada.send('POST', CARD);
  expect(answer.status).toBe(201);
  expect(cardSetupRecord.parse(answer.json).url).toMatch(/^https:\/\/pay\.example\//);
  const { form } = harness.stripe.calls.findLast(({ path }) => path === 'POST /v1/checkout/sessions') ?? {};
  expect(form).toMatchObject({
    mode: 'setup',
    currency: 'usd',
    customer_creation: 'always',
    'allowed_payment_method_types[0]': 'card',
    success_url: 'https://farebox.example/billing?card=saved',
  });
  expect(await show()).toMatchObject({ card: null, enabled: false });

  const sessionId = (answer.json as { url: string }).url.split('/').at(-1) ?? '';
  const entered = harness.stripe.cards.enter({ sessionId, reference: form?.['client_reference_id'] ?? '' });
  await harness.deliver(entered.event);
  await harness.untilApplied();
  expect((await show()).card).toEqual({
    brand: 'visa',
    last_four: '4242',
    expiry_month: 12,
    expiry_year: 2031,
  });

  const ordered = await order();
  expect(ordered.status).toBe(200);
  expect(automaticTopUpRecord.parse(ordered.json)).toMatchObject({ enabled: true, amount: '10.000000000' });
  await deliverNews();
  expect((await ada.send('GET', '/v1/billing/balance')).json).toMatchObject({ balance: '10.000000000' });
  const now = await show();
  expect(now).toMatchObject({ charged_this_month: '10.000000000', ceiling_reached: false });
  expect(now.last_attempt).toMatchObject({ status: 'succeeded', amount: '10.000000000', failure: null });

  const removed = await ada.send('DELETE', CARD);
  expect(automaticTopUpRecord.parse(removed.json)).toMatchObject({
    card: null,
    enabled: false,
    off_reason: 'card',
  });
  await waitUntil(() => !harness.stripe.cards.has(entered.paymentMethodId), 'Stripe has forgotten the card');
});

it('is switched off by its owner, who sees that they did it', async () => {
  await givenSavedCard(harness.pool, ada.accountId);
  await order();
  const answer = await ada.send('DELETE', TOP_UP);
  expect(automaticTopUpRecord.parse(answer.json)).toMatchObject({ enabled: false, off_reason: 'customer' });
  const events = (await ada.send('GET', '/v1/account/events')).json as { data: { credential: string }[] };
  expect(events.data.filter(({ credential }) => credential === 'account')).toHaveLength(2);
});

it.each([
  ['amount', { amount: '4.99' }],
  ['amount', { amount: '10.001' }],
  ['amount', { amount: '1000.01', monthly_ceiling: '5000.00' }],
  ['threshold', { threshold: '1000.01' }],
  ['threshold', { threshold: '0' }],
  ['monthly_ceiling', { monthly_ceiling: '9.99' }],
  ['consent', { consent: false }],
])("refuses an order with another '%s': %j", async (param, changes) => {
  await givenSavedCard(harness.pool, ada.accountId);
  expectError(await order({ ...ORDER, ...changes }), { status: 400, code: 'invalid_request_error', param });
  expect(await show()).toMatchObject({ enabled: false, amount: null });
});

it('refuses an order without a saved card', async () => {
  expectError(await order(), { status: 400, code: 'invalid_request_error', param: null });
});

it('records the words that the customer agreed to', async () => {
  await givenSavedCard(harness.pool, ada.accountId);
  const { consent_text: text } = await show();
  await order();
  const { rows } = await harness.pool.query<{ consent_text: string; amount: string }>(
    'SELECT consent_text, amount_nano::text AS amount FROM auto_top_up WHERE account_id = $1',
    [ada.accountId],
  );
  expect(rows).toEqual([{ consent_text: text, amount: '10000000000' }]);
  expect(toDecimalUsd(toNanoUsd(BigInt(rows[0]?.amount ?? 0)))).toBe('10.000000000');
});

it('is neither ordered nor ended by a device', async () => {
  await givenSavedCard(harness.pool, ada.accountId);
  const device = await ada.send('POST', '/v1/devices/register', { body: { name: 'x', platform: 'x' } });
  const { device_id: id } = device.json as { device_id: string };
  const started = await ada.send('POST', `/v1/devices/${id}/session`);
  const { session_token: token } = started.json as { session_token: string };
  const headers = { authorization: `Bearer ${token}` };
  for (const [method, path, body] of [
    ['POST', TOP_UP, ORDER],
    ['DELETE', TOP_UP, undefined],
    ['POST', CARD, undefined],
    ['DELETE', CARD, undefined],
  ] as const) {
    const answer = await harness.send(method, path, { headers, ...(body && { body }) });
    expectError(answer, { status: 401, code: 'authentication_error' });
  }
});
