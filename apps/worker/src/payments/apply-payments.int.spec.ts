import { uuidV7 } from '@farebox/auth';
import { verifyLedger } from '@farebox/ledger';
import { postToOutbox } from '@farebox/mail';
import { startTestRedis } from '@farebox/testing';
import { KEY, openPaymentsHarness, type PaymentsHarness } from '../../test/payments-harness';
import { startWorker } from '../../test/worker-harness';

const TWENTY = 20_000_000_000n;

let harness: PaymentsHarness;
beforeAll(async () => {
  harness = await openPaymentsHarness();
});
afterEach(async () => {
  harness.stripe.failWith(undefined);
  expect((await verifyLedger(harness.db.pool)).differences).toEqual([]);
});
afterAll(() => harness.close());

it('a payment is applied once, as Stripe reports it under the noted id', async () => {
  const { accountId, event } = await harness.givenPaidCheckout();
  harness.stripe.happens(event);
  expect(await harness.note(event.id)).toBe('noted');
  expect(await harness.note(event.id)).toBe('repeated');
  await harness.apply();
  expect(await harness.note(event.id)).toBe('repeated');
  await harness.apply();
  expect(await harness.balanceOf(accountId)).toBe(TWENTY);
  expect(await harness.waiting()).toEqual([]);
  const { stripe } = harness;
  const asked = stripe.calls.filter(({ path }) => path === `GET /v1/events/${event.id}`);
  expect(asked).toMatchObject([{ authorization: `Bearer ${KEY}` }]);
});

it('concurrent workers apply each payment once', async () => {
  const paid = await Promise.all(Array.from({ length: 12 }, () => harness.givenPaidCheckout()));
  for (const { event } of paid) {
    harness.stripe.happens(event);
    await harness.note(event.id);
  }
  await Promise.all(Array.from({ length: 4 }, () => harness.apply()));
  for (const { accountId } of paid) expect(await harness.balanceOf(accountId)).toBe(TWENTY);
});

it('if a worker dies after applying a payment and before closing its notice, the next one finds it applied', async () => {
  const { accountId, event } = await harness.givenPaidCheckout();
  harness.stripe.happens(event);
  await harness.note(event.id);
  await harness.apply();
  await harness.db.pool.query('INSERT INTO payment_notice (event_id) VALUES ($1)', [event.id]);
  await harness.apply();
  expect(await harness.balanceOf(accountId)).toBe(TWENTY);
  expect(await harness.waiting()).toEqual([]);
});

it.each([500, 429, 401, 403])(
  'a payment waits while Stripe returns %d, longer each time, and is then applied',
  async (status) => {
    const { accountId, event } = await harness.givenPaidCheckout();
    harness.stripe.happens(event);
    await harness.note(event.id);
    harness.stripe.failWith(status);
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      await harness.apply();
      const { rows } = await harness.db.pool.query<{ pause: number }>(
        `SELECT ceil(extract(epoch FROM due_at - clock_timestamp()))::int AS pause FROM payment_notice`,
      );
      pauses.push(rows[0]?.pause ?? 0);
    }
    expect(pauses).toEqual([1, 2, 4]);
    expect(await harness.balanceOf(accountId)).toBe(0n);
    expect(harness.logged()).not.toContain('sk_test_e2e');
    harness.stripe.failWith(undefined);
    await harness.apply();
    expect(await harness.balanceOf(accountId)).toBe(TWENTY);
  },
);

it('an event that Stripe does not know moves nothing, is requested about ten times, and is reported to an operator', async () => {
  const invented = 'evt_invented';
  await harness.note(invented);
  for (let attempt = 1; attempt < 11; attempt++) await harness.apply();
  expect(await harness.waiting()).toEqual([invented]);
  await harness.apply();
  expect(await harness.waiting()).toEqual([]);
  expect(harness.records().filter(({ payment_event_id: id }) => id === invented)).toMatchObject([
    { level: 'error', outcome: 'unknown_event' },
  ]);
});

it.each([
  ['other_mode', { livemode: true }, KEY],
  ['other_mode', {}, 'rk_live_of_the_worker'],
  ['other_account', { account: 'acct_of_another' }, KEY],
] as const)(
  'an event of %s moves nothing, and is reported to an operator: %j',
  async (outcome, more, key) => {
    const { accountId, event } = await harness.givenPaidCheckout();
    harness.stripe.happens({ ...event, ...more });
    await harness.note(event.id);
    await harness.apply(key);
    expect(await harness.balanceOf(accountId)).toBe(0n);
    expect(await harness.waiting()).toEqual([]);
    const told = harness.records().filter(({ payment_event_id: id }) => id === event.id);
    expect(told).toMatchObject([{ level: 'error', outcome }]);
  },
);

it('an event in another currency moves nothing, and is reported to an operator', async () => {
  const { accountId, event } = await harness.givenPaidCheckout();
  harness.stripe.happens({ ...event, object: { ...event.object, currency: 'eur' } });
  await harness.note(event.id);
  await harness.apply();
  expect(await harness.balanceOf(accountId)).toBe(0n);
  const told = harness.records().filter(({ payment_event_id: id }) => id === event.id);
  expect(told).toMatchObject([{ level: 'error', outcome: 'mismatched' }]);
});

it('at most ten thousand events wait, and further deliveries are refused', async () => {
  const { pool } = harness.db;
  await pool.query(
    `INSERT INTO payment_notice (event_id) SELECT 'evt_many_' || n FROM generate_series(1, 10000) n`,
  );
  expect(await harness.note('evt_one_more')).toBe('full');
  await pool.query(`DELETE FROM payment_notice`);
  expect(await harness.note('evt_one_more')).toBe('noted');
  await pool.query(`DELETE FROM payment_notice`);
});

describe('a worker', () => {
  it('applies payments while Redis is down', async () => {
    const { accountId, event } = await harness.givenPaidCheckout();
    harness.stripe.happens(event);
    const redis = await startTestRedis();
    const worker = await startWorker(harness.db, {
      REDIS_URL: redis.url,
      FAREBOX_STRIPE_SECRET_KEY: KEY,
      FAREBOX_STRIPE_API_URL: harness.stripe.url,
    });
    await redis.stop();
    await harness.note(event.id);
    await worker.until(async () => (await harness.balanceOf(accountId)) === TWENTY);
    await redis.restart();
    await worker.close();
    await redis.remove();
  });

  it('applies nothing without the Stripe key', async () => {
    const { accountId, event } = await harness.givenPaidCheckout();
    harness.stripe.happens(event);
    await harness.note(event.id);
    const worker = await startWorker(harness.db, {});
    await postToOutbox(harness.db.pool, 'send-mail', { mailId: uuidV7() });
    await worker.until(async () => (await harness.db.pool.query('SELECT FROM outbox')).rowCount === 0);
    await worker.close();
    expect(await harness.balanceOf(accountId)).toBe(0n);
    expect(await harness.waiting()).toEqual([event.id]);
    await harness.apply();
  });
});
