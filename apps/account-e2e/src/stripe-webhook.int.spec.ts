import { balanceRecord, fundingList } from '@farebox/api';
import { listDisputes } from '@farebox/billing';
import { readOwed } from '@farebox/ledger';
import { expectError, type Customer } from '../test/account-harness';
import { openPaymentHarness, type PaymentHarness, type StripeCheckout } from '../test/stripe-harness';

const BAD_REQUEST = { status: 400, code: 'invalid_request_error' } as const;

let harness: PaymentHarness;
let ada: Customer;
let checkout: StripeCheckout;
let count = 0;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
beforeEach(async () => {
  ada = await harness.givenCustomer();
  checkout = await harness.startCheckout(ada, '20.00');
});
afterAll(() => harness.close());

const eventId = (): string => `evt_${String(++count)}`;
const paymentIntent = (): string => `pi_${checkout.sessionId}`;
/** A checkout session in Stripe's form, paid by default. */
const session = (more: object = {}) => ({
  id: checkout.sessionId,
  object: 'checkout.session',
  client_reference_id: checkout.reference,
  payment_status: 'paid',
  payment_intent: paymentIntent(),
  amount_total: checkout.amountCents,
  currency: 'usd',
  ...more,
});
const COMPLETED = 'checkout.session.completed';
const tell = async (type: string, object: object, id = eventId()): Promise<void> => {
  const answer = await harness.deliver({ id, type, object });
  expect([answer.status, answer.json]).toEqual([200, { received: true }]);
  await harness.untilApplied();
};
const charge = (amount_refunded: number) => ({
  id: `ch_${checkout.sessionId}`,
  payment_intent: paymentIntent(),
  amount: checkout.amountCents,
  amount_refunded,
  currency: 'usd',
});
const refund = (name: string, amount: number, status = 'succeeded') => ({
  ...{ id: `re_${name}_${checkout.sessionId}`, object: 'refund', charge: charge(0).id, amount, status },
  ...{ payment_intent: paymentIntent(), currency: 'usd' },
});
const dispute = (status = 'needs_response') => ({
  ...{ id: `dp_${checkout.sessionId}`, payment_intent: paymentIntent(), status },
  ...{ amount: checkout.amountCents, currency: 'usd' },
});
const spend = (amountNano: bigint) =>
  harness.pool.query(`SELECT ledger_adjust(gen_random_uuid(), $1, $2, 'spent', $3, 'test')`, [
    ...[ada.accountId, -amountNano, `spent-${eventId()}`],
  ]);

async function balance(): Promise<string> {
  const { rows } = await harness.pool.query<{ balance: string }>(
    `SELECT round(balance_nano / 1e9, 2)::text AS balance FROM account_funds WHERE account_id = $1`,
    [ada.accountId],
  );
  return rows[0]?.balance ?? '';
}

const access = async () => (await ada.send('GET', '/v1/billing/balance')).status;

/** The log arrives through a pipe, shortly after the answer. */
async function loggedLine(id: string): Promise<string> {
  for (let attempt = 0; attempt < 6_000; attempt++) {
    const line = harness.worker.log.find((text) => text.includes(`"${id}"`));
    if (line !== undefined) return line;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`nothing was logged for ${id}`);
}

describe('a paid checkout', () => {
  it('is on the balance and among the top-ups once, however often it is delivered', async () => {
    const id = eventId();
    await tell(COMPLETED, session(), id);
    await tell(COMPLETED, session(), id);
    await tell(COMPLETED, session());
    expect(balanceRecord.parse((await ada.send('GET', '/v1/billing/balance')).json).balance).toBe(
      '20.000000000',
    );
    const fundings = fundingList.parse((await ada.send('GET', '/v1/billing/funding')).json);
    expect(fundings.data).toMatchObject([{ method: 'card', amount: '20.000000000' }]);
  });

  it('is credited once if deliveries coincide', async () => {
    const id = eventId();
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => tell(COMPLETED, session(), i < 4 ? id : eventId())),
    );
    expect(await balance()).toBe('20.00');
  });

  it('is read from whole objects too', async () => {
    await tell(COMPLETED, session({ payment_intent: { id: paymentIntent(), object: 'payment_intent' } }));
    await tell('charge.refunded', charge(500));
    expect(await balance()).toBe('15.00');
  });
});

describe('a delayed payment', () => {
  it('is credited when it arrives', async () => {
    await tell(COMPLETED, session({ payment_status: 'unpaid' }));
    expect(await balance()).toBe('0.00');
    await tell('checkout.session.async_payment_succeeded', session());
    expect(await balance()).toBe('20.00');
  });

  it('is never credited if it does not arrive', async () => {
    await tell(COMPLETED, session({ payment_status: 'unpaid' }));
    await tell('checkout.session.async_payment_failed', session({ payment_status: 'unpaid' }));
    expect(await balance()).toBe('0.00');
  });

  it('is not that of an expired checkout', async () => {
    await tell('checkout.session.expired', session({ payment_status: 'unpaid', payment_intent: null }));
    expect(await balance()).toBe('0.00');
  });
});

describe('a delivery that credits nothing, and is reported to operators:', () => {
  it.each<[string, object]>([
    ['another amount', { amount_total: 1_999 }],
    ['more', { amount_total: 200_000 }],
    ['another currency', { currency: 'eur' }],
    ['another session', { id: 'cs_foreign' }],
    ['an unknown checkout', { client_reference_id: 'chk_01jd0000000000000000000000' }],
  ])('%s', async (_, more) => {
    const id = eventId();
    await tell(COMPLETED, session(more), id);
    expect(await balance()).toBe('0.00');
    expect(JSON.parse(await loggedLine(id))).toMatchObject({
      level: 'error',
      event: 'payment_event',
      outcome: expect.stringMatching(/^(mismatched|unknown_checkout)$/) as string,
    });
  });
});

describe('a delivery that is ignored:', () => {
  it.each<[string, string, () => object]>([
    ['a session of another product', COMPLETED, () => session({ client_reference_id: 'order-7' })],
    ['a session without a reference', COMPLETED, () => session({ client_reference_id: null })],
    ['another type', 'customer.created', () => ({ id: 'cus_1' })],
    ['a type that is a name of JavaScript', 'constructor', () => session()],
    ['an inquiry, which takes no money', 'charge.dispute.created', () => dispute('warning_needs_response')],
    ['the end of an inquiry', 'charge.dispute.closed', () => dispute('warning_closed')],
  ])('%s', async (_, type, object) => {
    await tell(type, object());
    expect(await balance()).toBe('0.00');
  });
});

describe('a delivery that is not from Stripe', () => {
  const event = () => ({ id: eventId(), type: COMPLETED, object: session() });

  it.each<[string, () => Parameters<PaymentHarness['deliver']>[1]]>([
    ['has another secret', () => ({ secret: 'whsec_forged' })],
    ['is older than five minutes', () => ({ timestamp: Math.floor(Date.now() / 1_000) - 301 })],
    [
      'has another body',
      () => ({ body: JSON.stringify({ id: 'evt_x', type: COMPLETED, data: { object: session() } }) }),
    ],
  ])('%s, and is refused', async (_, signature) => {
    expectError(await harness.deliver(event(), signature()), BAD_REQUEST);
    expect(await balance()).toBe('0.00');
  });

  it('has a missing or broken signature, and is refused', async () => {
    for (const header of [{}, { 'stripe-signature': '' }, { 'stripe-signature': 't=1,v1=x' }]) {
      const headers = { 'content-type': 'application/json', ...header };
      const body = JSON.stringify({ id: 'evt_x', type: COMPLETED, data: { object: session() } });
      expectError(await harness.send('POST', '/webhooks/stripe', { headers, body }), BAD_REQUEST);
    }
  });

  it('has a malformed signature, and is refused before its size is checked', async () => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=x' };
    const body = `"${'x'.repeat(600_000)}"`;
    expectError(await harness.send('POST', '/webhooks/stripe', { headers, body }), BAD_REQUEST);
  });

  it('is too large', async () => {
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': `t=1,v1=${'0'.repeat(64)}`,
    };
    const answer = await harness.send('POST', '/webhooks/stripe', {
      headers,
      body: `"${'x'.repeat(600_000)}"`,
    });
    expectError(answer, { status: 413, code: 'request_too_large' });
  });
});

describe('a refund', () => {
  it('deducts each part once, whatever the order of the parts', async () => {
    await tell(COMPLETED, session());
    for (const cents of [500, 500, 1_200, 800]) await tell('charge.refunded', charge(cents));
    expect(await balance()).toBe('8.00');
  });

  it('that overtakes its payment is deducted when that arrives', async () => {
    await tell('charge.refunded', charge(500));
    await tell(COMPLETED, session());
    expect(await balance()).toBe('15.00');
  });
});

describe('a refund that fails', () => {
  it('is given back once, however often and by whichever event it is reported', async () => {
    await tell(COMPLETED, session());
    await tell('refund.created', refund('a', 1_200, 'pending'));
    await tell('charge.refunded', charge(1_200));
    expect(await balance()).toBe('8.00');

    const failed = refund('a', 1_200, 'failed');
    const id = eventId();
    const deliveries: [string, string][] = [
      ['refund.failed', id],
      ['refund.failed', id],
      ['refund.updated', eventId()],
      ['charge.refund.updated', eventId()],
    ];
    await Promise.all(deliveries.map(([type, eventOfIt]) => tell(type, failed, eventOfIt)));
    expect(await balance()).toBe('20.00');
  });

  it.each([
    ['refund.failed', 'failed'],
    ['refund.updated', 'failed'],
    ['refund.updated', 'canceled'],
    ['charge.refund.updated', 'failed'],
  ])('is given back by %s alone, with the status "%s"', async (type, status) => {
    await tell(COMPLETED, session());
    await tell('charge.refunded', charge(1_200));
    await tell(type, refund('a', 1_200, status));
    expect(await balance()).toBe('20.00');
  });

  it('deducts nothing if the failure is reported before the refund, or before its payment', async () => {
    await tell('refund.failed', refund('a', 500, 'failed'));
    await tell(COMPLETED, session());
    await tell('refund.failed', refund('b', 700, 'failed'));
    await tell('charge.refunded', charge(1_200));
    await tell('refund.created', refund('a', 500, 'pending'));
    await tell('refund.created', refund('b', 700, 'pending'));
    expect(await balance()).toBe('20.00');
  });

  it('is one of several: the others stay, and a new one in its place is deducted', async () => {
    await tell(COMPLETED, session());
    await tell('refund.created', refund('a', 500));
    await tell('charge.refunded', charge(500));
    await tell('refund.created', refund('b', 700));
    await tell('charge.refunded', charge(1_200));
    await tell('refund.failed', refund('b', 700, 'failed'));
    expect(await balance()).toBe('15.00');
    // Stripe's total refund is 12.00 again.
    await tell('charge.refunded', charge(1_200));
    await tell('refund.created', refund('c', 700));
    expect(await balance()).toBe('8.00');
  });

  it('of spent money is no longer owed; an operator restores the access', async () => {
    await tell(COMPLETED, session());
    await spend(15_000_000_000n);
    await tell('charge.refunded', charge(2_000));
    expect([await balance(), await readOwed(harness.pool, ada.accountId)]).toEqual(['0.00', 15_000_000_000n]);
    expect(await access()).toBe(403);

    await tell('refund.failed', refund('a', 2_000, 'failed'));
    expect([await balance(), await readOwed(harness.pool, ada.accountId)]).toEqual(['5.00', 0n]);
    expect(await access()).toBe(403);
  });

  it('is ignored if it names no payment, or one of another product', async () => {
    await tell(COMPLETED, session());
    await tell('refund.failed', { ...refund('a', 500, 'failed'), payment_intent: null });
    await tell('refund.failed', { ...refund('a', 500, 'failed'), payment_intent: 'pi_foreign' });
    expect(await balance()).toBe('20.00');
  });
});

describe('a dispute', () => {
  it('deducts the balance, suspends the account and records the rest; a won dispute restores everything', async () => {
    await tell(COMPLETED, session());
    await spend(15_000_000_000n);
    await tell('charge.dispute.created', dispute());
    await tell('charge.dispute.funds_withdrawn', dispute());
    expect([await balance(), await readOwed(harness.pool, ada.accountId)]).toEqual(['0.00', 15_000_000_000n]);
    expect(await access()).toBe(403);

    await tell('charge.dispute.funds_reinstated', dispute('won'));
    expect([await balance(), await readOwed(harness.pool, ada.accountId)]).toEqual(['5.00', 0n]);
    expect(await access()).toBe(403);
  });

  it('that is lost stays taken; one that is closed as won comes back, even without an event of its money', async () => {
    await tell(COMPLETED, session());
    await tell('charge.dispute.funds_withdrawn', dispute());
    await tell('charge.dispute.closed', dispute('lost'));
    expect(await balance()).toBe('0.00');
    const [lost] = await listDisputes(harness.pool, { limit: 5, accountId: ada.accountId });
    expect(lost).toMatchObject({ state: 'lost', isOfStripe: true, closedAt: expect.any(Date) as Date });

    await tell('charge.dispute.closed', dispute('won'));
    expect(await balance()).toBe('20.00');
    const [won] = await listDisputes(harness.pool, { limit: 5, accountId: ada.accountId });
    expect(won).toMatchObject({ id: lost?.id, state: 'won' });
  });

  it('that the balance covers suspends nobody', async () => {
    await tell(COMPLETED, session());
    await tell('charge.dispute.funds_withdrawn', dispute());
    expect([await balance(), await access()]).toEqual(['0.00', 200]);
  });
});

it('a signed delivery that contradicts Stripe moves the amounts that Stripe reports', async () => {
  const id = eventId();
  const delivered = harness.deliver({ id, type: COMPLETED, object: session() });
  harness.stripe.happens({ id, type: COMPLETED, object: session({ payment_status: 'unpaid' }) });
  expect((await delivered).status).toBe(200);
  await harness.untilApplied();
  expect(await balance()).toBe('0.00');
});

it('a payment is recorded while no worker can ask Stripe, and applied once one can', async () => {
  harness.stripe.failWith(500);
  const answer = await harness.deliver({ id: eventId(), type: COMPLETED, object: session() });
  expect(answer.status).toBe(200);
  await loggedLine(`evt_${String(count)}`);
  expect(await balance()).toBe('0.00');
  harness.stripe.failWith(undefined);
  await harness.untilApplied();
  expect(await balance()).toBe('20.00');
});
