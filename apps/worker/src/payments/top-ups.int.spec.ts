import { verifyLedger } from '@farebox/ledger';
import { openTopUpHarness, type TopUpHarness } from '../../test/top-up-harness';

let harness: TopUpHarness;
beforeAll(async () => {
  harness = await openTopUpHarness();
});
afterEach(async () => {
  harness.stripe.failWith(undefined);
  harness.stripe.loseRequestsTo(undefined);
  harness.stripe.cards.bank = 'pays';
  // What a test leaves open is no other test's.
  await harness.db.pool.query(
    `UPDATE auto_top_up SET is_on = false, off_reason = 'customer', off_at = clock_timestamp() WHERE is_on`,
  );
  harness.stripe.undelivered.length = 0;
  expect((await verifyLedger(harness.db.pool)).differences).toEqual([]);
});
afterAll(() => harness.close());

const PAY = 'POST /v1/payment_intents';
const payments = () => harness.stripe.calls.filter(({ path }) => path === PAY);
const eventIdOf = (name: string, accountId: string) => `evt_${name}_${accountId.replaceAll('-', '')}`;
const succeeded = { state: 'succeeded', failure: null };
const declined = { state: 'failed', failure: 'insufficient_funds' };

describe('an automatic top-up', () => {
  it("is asked of Stripe once, without the customer, and credited by Stripe's event alone", async () => {
    const { accountId, paymentMethodId } = await harness.givenOrder();
    const before = payments().length;
    await harness.tend();
    await harness.tend();
    expect(payments().slice(before)).toMatchObject([
      {
        idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        form: {
          amount: '1000',
          currency: 'usd',
          payment_method: paymentMethodId,
          off_session: 'true',
          confirm: 'true',
          'metadata[farebox_checkout]': expect.stringMatching(/^chk_[0-9a-z]{26}$/) as string,
        },
      },
    ]);
    await harness.deliver();
    await harness.deliver();
    expect(await harness.balance(accountId)).toBe('10');
    expect(await harness.attempts(accountId)).toEqual([succeeded]);
    await harness.tend();
    expect(payments()).toHaveLength(before + 1);
  });

  it('begins when the available balance is below the threshold, and not at it', async () => {
    const { accountId } = await harness.givenOrder();
    await harness.tend();
    await harness.deliver();
    await harness.spend(accountId, '5');
    await harness.tend();
    expect(await harness.attempts(accountId)).toEqual([succeeded]);
    await harness.spend(accountId, '0.000000001');
    await harness.tend();
    await harness.deliver();
    expect(await harness.attempts(accountId)).toEqual([succeeded, succeeded]);
    expect(await harness.balance(accountId)).toBe('14.999999999');
  });

  it('is never above the ceiling of the month, and counts again in the next one', async () => {
    const { accountId } = await harness.givenOrder({ threshold: '1000', ceiling: '29.99' });
    for (let round = 0; round < 4; round++) {
      await harness.tend();
      await harness.deliver();
    }
    expect(await harness.balance(accountId)).toBe('20');
    await harness.db.pool.query('ALTER TABLE top_up_attempt DISABLE TRIGGER top_up_attempt_amount_fixed');
    await harness.db.pool.query(
      `UPDATE top_up_attempt SET month = month - interval '1 month' WHERE account_id = $1`,
      [accountId],
    );
    await harness.db.pool.query('ALTER TABLE top_up_attempt ENABLE TRIGGER top_up_attempt_amount_fixed');
    await harness.tend();
    await harness.deliver();
    expect(await harness.balance(accountId)).toBe('30');
  });

  it('is made once by many concurrent workers', async () => {
    const orders: { accountId: string }[] = [];
    for (let i = 0; i < 8; i++) orders.push(await harness.givenOrder({ ceiling: '10' }));
    const before = payments().length;
    await Promise.all(Array.from({ length: 4 }, () => harness.tend()));
    await harness.deliver();
    expect(payments().length - before).toBe(8);
    for (const { accountId } of orders) expect(await harness.balance(accountId)).toBe('10');
  });

  it('is not made for an account that is suspended', async () => {
    const { accountId } = await harness.givenOrder();
    await harness.db.pool.query(`UPDATE account SET invite_status = 'suspended' WHERE id = $1`, [accountId]);
    await harness.tend();
    expect(await harness.attempts(accountId)).toEqual([]);
  });

  it('that was ordered and is withdrawn before Stripe is asked is not paid', async () => {
    const { accountId } = await harness.givenOrder();
    const before = payments().length;
    await harness.db.workerPool.query('SELECT top_up_begin(10)');
    await harness.db.accountPool.query('SELECT top_up_end($1)', [accountId]);
    await harness.tend();
    expect(await harness.attempts(accountId)).toEqual([{ state: 'failed', failure: 'withdrawn' }]);
    expect(payments()).toHaveLength(before);
  });

  it('is taken back by a refund or a dispute, and a dispute switches it off', async () => {
    const { accountId } = await harness.givenOrder();
    await harness.tend();
    await harness.deliver();
    const payment_intent = harness.stripe.cards.payments.at(-1)?.id;
    const of = { payment_intent, currency: 'usd' };
    const happens = async (type: string, object: object) => {
      const id = `evt_${type.replaceAll('.', '_')}_${String(payment_intent)}`;
      harness.stripe.happens({ id, type, object: { ...of, ...object } });
      await harness.note(id);
      await harness.apply();
    };
    await happens('charge.refunded', { id: `ch_${accountId}`, amount_refunded: 300 });
    expect(await harness.balance(accountId)).toBe('7');
    expect(await harness.order(accountId)).toEqual({ is_on: true, off_reason: null });
    await happens('charge.dispute.created', { id: `dp_${accountId}`, amount: 200, status: 'needs_response' });
    expect(await harness.balance(accountId)).toBe('5');
    expect(await harness.order(accountId)).toEqual({ is_on: false, off_reason: 'dispute' });
    expect(await harness.mails(accountId)).toEqual(['top_up_off']);
  });
});

describe('a payment that fails', () => {
  it.each([
    ['declines', 'insufficient_funds'],
    ['wants_customer', 'authentication_required'],
    ['waits_for_customer', 'authentication_required'],
  ] as const)(
    'because the bank %s credits nothing, and is tried again after a pause',
    async (bank, failure) => {
      harness.stripe.cards.bank = bank;
      const { accountId } = await harness.givenOrder();
      await harness.tend();
      await harness.deliver();
      await harness.tend();
      expect(await harness.attempts(accountId)).toEqual([{ state: 'failed', failure }]);
      expect(await harness.balance(accountId)).toBe('0');
      harness.stripe.cards.bank = 'pays';
      await harness.endPause(accountId);
      await harness.tend();
      await harness.deliver();
      expect(await harness.balance(accountId)).toBe('10');
    },
  );

  it('three times in a row switches automatic top-up off and mails the customer once', async () => {
    harness.stripe.cards.bank = 'declines';
    const { accountId } = await harness.givenOrder({ threshold: '100' });
    const fail = async () => {
      await harness.endPause(accountId);
      await harness.tend();
      await harness.deliver();
    };
    for (const bank of ['declines', 'wants_customer', 'pays', 'declines', 'declines'] as const) {
      harness.stripe.cards.bank = bank;
      await fail();
    }
    expect(await harness.order(accountId)).toEqual({ is_on: true, off_reason: null });
    await fail();
    expect(await harness.order(accountId)).toEqual({ is_on: false, off_reason: 'failures' });
    expect(await harness.mails(accountId)).toEqual(['top_up_off']);
    await fail();
    expect(await harness.attempts(accountId)).toHaveLength(6);

    // A new consent begins at zero.
    await harness.switchOn(accountId, { threshold: '100' });
    await fail();
    expect(await harness.attempts(accountId)).toHaveLength(7);
    expect(await harness.order(accountId)).toEqual({ is_on: true, off_reason: null });
  });

  it('because Stripe refuses the request is no decline, and is reported to an operator', async () => {
    const { accountId } = await harness.givenOrder();
    harness.stripe.failWith(403);
    await harness.tend();
    harness.stripe.failWith(undefined);
    expect(await harness.attempts(accountId)).toEqual([{ state: 'failed', failure: 'not_accepted' }]);
    const told = harness.records().filter(({ event }) => event === 'top_up_failed');
    expect(told.at(-1)).toMatchObject({ level: 'error', reason: 'not_accepted' });
    expect(await harness.order(accountId)).toEqual({ is_on: true, off_reason: null });
  });

  it('is succeeded if Stripe reports both, in any order', async () => {
    harness.stripe.cards.bank = 'declines';
    const { accountId } = await harness.givenOrder();
    await harness.tend();
    const payment = harness.stripe.cards.payments.at(-1);
    const id = eventIdOf('late', accountId);
    const object = { ...payment, status: 'succeeded', amount_received: payment?.amount };
    harness.stripe.happens({ id, type: 'payment_intent.succeeded', object });
    await harness.note(id);
    await harness.deliver();
    expect(await harness.balance(accountId)).toBe('10');
    expect(await harness.attempts(accountId)).toEqual([succeeded]);
  });

  it.each([
    ['another amount', { amount_received: 999 }],
    ['another currency', { currency: 'eur' }],
    ['another payment', { id: 'pi_of_another' }],
  ])('to match its attempt, with %s, credits nothing', async (_, changes) => {
    const { accountId } = await harness.givenOrder();
    await harness.tend();
    harness.stripe.undelivered.length = 0;
    const id = eventIdOf('changed', accountId);
    const object = { ...harness.stripe.cards.payments.at(-1), ...changes };
    harness.stripe.happens({ id, type: 'payment_intent.succeeded', object });
    await harness.note(id);
    await harness.apply();
    expect(await harness.balance(accountId)).toBe('0');
    expect(harness.records().at(-1)).toMatchObject({ level: 'error', outcome: 'mismatched' });
  });
});

describe('a worker that dies', () => {
  it('after it has begun an attempt is followed by one that pays it', async () => {
    const { accountId } = await harness.givenOrder();
    await harness.db.workerPool.query('SELECT top_up_begin(10)');
    await harness.tend();
    await harness.deliver();
    expect(await harness.attempts(accountId)).toEqual([succeeded]);
  });

  it('before Stripe has the request is followed by one that asks again, under the same key', async () => {
    const { accountId } = await harness.givenOrder();
    const before = payments().length;
    harness.stripe.loseRequestsTo(PAY);
    await harness.tend();
    expect(await harness.attempts(accountId)).toEqual([{ state: 'requested', failure: null }]);
    harness.stripe.loseRequestsTo(undefined);
    await harness.age(accountId, 11);
    await harness.tend();
    const [lost, repeated] = payments().slice(before);
    expect(repeated).toEqual(lost);
    await harness.deliver();
    expect(await harness.attempts(accountId)).toEqual([succeeded]);
    expect(await harness.balance(accountId)).toBe('10');
  });

  it.each([
    ['the customer has switched it off', 'SELECT top_up_end($1)'],
    [
      'the balance has recovered',
      `SELECT ledger_adjust(gen_random_uuid(), $1, 50000000000, 'paid', 'paid-' || $1::uuid::text, 'test')`,
    ],
    [
      'its key may be forgotten at Stripe',
      `UPDATE top_up_attempt SET requested_at = requested_at - interval '1 day' WHERE account_id = $1`,
    ],
  ])('is not followed by a second request once %s: the attempt was not made', async (_, sql) => {
    const { accountId } = await harness.givenOrder();
    await harness.db.workerPool.query('SELECT top_up_begin(10)');
    await harness.db.workerPool.query('SELECT top_up_claim(10, 1)');
    const before = payments().length;
    await harness.db.pool.query(sql, [accountId]);
    await harness.tend();
    await harness.age(accountId, 11);
    await harness.tend();
    expect(await harness.attempts(accountId)).toEqual([{ state: 'failed', failure: 'not_made' }]);
    expect(payments()).toHaveLength(before);
  });

  it.each([
    ['pays', 'succeeded', null, '10'],
    ['declines', 'failed', 'insufficient_funds', '0'],
  ] as const)(
    'before it learns that the bank %s is followed by one that asks Stripe',
    async (bank, state, failure, balance) => {
      harness.stripe.cards.bank = bank;
      const { accountId } = await harness.givenOrder();
      const before = harness.stripe.cards.payments.length;
      harness.stripe.loseResponsesTo(PAY);
      await harness.tend();
      harness.stripe.loseResponsesTo(undefined);
      expect(await harness.attempts(accountId)).toEqual([{ state: 'requested', failure: null }]);
      // Its event is lost as well.
      harness.stripe.undelivered.length = 0;
      await harness.tend();
      expect(await harness.attempts(accountId)).toEqual([{ state, failure }]);
      expect(await harness.balance(accountId)).toBe(balance);
      expect(harness.stripe.cards.payments).toHaveLength(before + 1);
    },
  );

  it('after it has noted the payment is followed by its event, which is found if it was not delivered', async () => {
    const { accountId } = await harness.givenOrder();
    await harness.tend();
    expect(await harness.balance(accountId)).toBe('0');
    harness.stripe.failWith(500);
    await harness.tend();
    expect(await harness.attempts(accountId)).toEqual([{ state: 'unknown', failure: null }]);
    harness.stripe.failWith(undefined);
    await harness.tend();
    expect(await harness.balance(accountId)).toBe('10');
    // The delivery comes after all.
    await harness.deliver();
    expect(await harness.balance(accountId)).toBe('10');
    expect(await harness.attempts(accountId)).toEqual([succeeded]);
  });
});

it('a failure that Stripe repeats under the key ends the attempt, once no payment can come of it', async () => {
  const { accountId } = await harness.givenOrder();
  harness.stripe.cards.bank = 'breaks';
  await harness.tend();
  harness.stripe.cards.bank = 'pays';
  await harness.tend();
  expect(await harness.attempts(accountId)).toEqual([{ state: 'unknown', failure: null }]);
  await harness.age(accountId, 11);
  await harness.tend();
  await harness.endPause(accountId);
  await harness.tend();
  await harness.deliver();
  expect(await harness.attempts(accountId)).toEqual([{ state: 'failed', failure: 'not_made' }, succeeded]);
  expect(await harness.balance(accountId)).toBe('10');
});

it('while Stripe fails an attempt stays open, so that no second payment is made', async () => {
  const { accountId } = await harness.givenOrder();
  const before = payments().length;
  harness.stripe.failWith(500);
  for (let round = 0; round < 3; round++) await harness.tend();
  harness.stripe.failWith(undefined);
  expect(payments().length - before).toBe(1);
  expect(await harness.attempts(accountId)).toEqual([{ state: 'unknown', failure: null }]);
});

it('two declines and a decline that is reported twice are three', async () => {
  harness.stripe.cards.bank = 'declines';
  const { accountId } = await harness.givenOrder();
  for (let round = 0; round < 2; round++) {
    await harness.endPause(accountId);
    await harness.tend();
    const [eventId = ''] = harness.stripe.undelivered;
    await harness.deliver();
    await harness.db.pool.query('INSERT INTO payment_notice (event_id) VALUES ($1)', [eventId]);
    await harness.apply();
  }
  expect(await harness.attempts(accountId)).toEqual([declined, declined]);
  expect(await harness.order(accountId)).toEqual({ is_on: true, off_reason: null });
});
