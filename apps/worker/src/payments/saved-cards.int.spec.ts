import { givenAccount } from '@farebox/testing';
import { openTopUpHarness, type TopUpHarness } from '../../test/top-up-harness';

let harness: TopUpHarness;
let accountId: string;
beforeAll(async () => {
  harness = await openTopUpHarness();
});
beforeEach(async () => {
  accountId = await givenAccount(harness.db.pool);
});
afterAll(() => harness.close());

async function cardOf(): Promise<Record<string, unknown> | undefined> {
  const { rows } = await harness.db.pool.query<Record<string, unknown>>(
    `SELECT stripe_payment_method_id AS id, brand, last_four, expiry_month, expiry_year
     FROM saved_card WHERE account_id = $1`,
    [accountId],
  );
  return rows[0];
}
async function deliver(...eventIds: string[]): Promise<void> {
  for (const eventId of eventIds) {
    await harness.note(eventId);
    await harness.apply();
  }
}
/** Delivers an event once more, also if it was applied. */
async function repeat(eventId: string): Promise<void> {
  await harness.db.pool.query('INSERT INTO payment_notice (event_id) VALUES ($1)', [eventId]);
  await harness.apply();
}
const remove = () => harness.db.accountPool.query('SELECT payment_remove_card($1)', [accountId]);

it('a card that was entered is saved by its ids, brand, last digits and expiry alone', async () => {
  const { eventId, paymentMethodId } = await harness.enterCard(accountId);
  await deliver(eventId);
  await repeat(eventId);
  expect(await cardOf()).toEqual({
    ...{ id: paymentMethodId, brand: 'visa', last_four: '4242' },
    ...{ expiry_month: 12, expiry_year: 2031 },
  });
});

it.each(['in order', 'in the other order'])(
  'the card that was entered last is kept, %s, and Stripe forgets the other',
  async (order) => {
    const first = await harness.enterCard(accountId);
    const second = await harness.enterCard(accountId);
    const eventIds = [first.eventId, second.eventId];
    await deliver(...(order === 'in order' ? eventIds : eventIds.reverse()));
    await harness.tend();
    expect(await cardOf()).toMatchObject({ id: second.paymentMethodId });
    const { cards } = harness.stripe;
    expect([cards.has(first.paymentMethodId), cards.has(second.paymentMethodId)]).toEqual([false, true]);
  },
);

it('a card that its owner removes ends automatic top-up at once, is removed at Stripe, and does not come back', async () => {
  const { eventId, paymentMethodId } = await harness.enterCard(accountId);
  await deliver(eventId);
  await harness.switchOn(accountId);
  await remove();
  expect(await harness.order(accountId)).toEqual({ is_on: false, off_reason: 'card' });
  harness.stripe.failWith(500);
  await harness.tend();
  expect(harness.stripe.cards.has(paymentMethodId)).toBe(true);
  harness.stripe.failWith(undefined);
  await harness.tend();
  expect(harness.stripe.cards.has(paymentMethodId)).toBe(false);
  await harness.deliver();
  await repeat(eventId);
  expect(await cardOf()).toBeUndefined();
  expect(await harness.mails(accountId)).toEqual([]);
  expect(await harness.switchOn(accountId)).toBe(false);
  expect((await harness.db.pool.query('SELECT * FROM card_removal')).rows).toEqual([]);
});

it('an older card that Stripe reports after a newer one was removed is not saved', async () => {
  const first = await harness.enterCard(accountId);
  const second = await harness.enterCard(accountId);
  await deliver(second.eventId);
  await remove();
  await deliver(first.eventId);
  expect(await cardOf()).toBeUndefined();
});

it('a card that is removed at Stripe ends automatic top-up, and its owner is mailed once', async () => {
  const { eventId, paymentMethodId } = await harness.enterCard(accountId);
  await deliver(eventId);
  await harness.switchOn(accountId);
  harness.stripe.cards.detach(paymentMethodId);
  const [detached = ''] = harness.stripe.undelivered;
  await harness.deliver();
  await repeat(detached);
  expect(await cardOf()).toBeUndefined();
  expect(await harness.order(accountId)).toEqual({ is_on: false, off_reason: 'card' });
  expect(await harness.mails(accountId)).toEqual(['top_up_off']);
  const { rows } = await harness.db.pool.query(
    'SELECT credential, action, actor_kind, actor FROM credential_event WHERE account_id = $1',
    [accountId],
  );
  const change = { credential: 'account', action: 'change', actor_kind: 'system', actor: 'stripe' };
  // The card was saved, it went, and automatic top-up went with it.
  expect(rows).toEqual([change, change, change]);
});

it('a card that was removed at Stripe before it was saved is not saved, in any order of the events', async () => {
  const { eventId, paymentMethodId } = await harness.enterCard(accountId);
  harness.stripe.cards.detach(paymentMethodId);
  await harness.deliver();
  await deliver(eventId);
  expect(await cardOf()).toBeUndefined();
});

it('a customer that is deleted at Stripe takes the card along', async () => {
  const { eventId, paymentMethodId } = await harness.enterCard(accountId);
  await deliver(eventId);
  const { rows } = await harness.db.pool.query<{ id: string }>(
    'SELECT stripe_customer_id AS id FROM saved_card WHERE account_id = $1',
    [accountId],
  );
  harness.stripe.cards.detach(paymentMethodId);
  harness.stripe.undelivered.length = 0;
  const event = { id: 'evt_customer_deleted', type: 'customer.deleted', object: { id: rows[0]?.id } };
  harness.stripe.happens(event);
  await deliver(event.id);
  expect(await cardOf()).toBeUndefined();
});

it('a renewed card is shown as it is now, though an older event arrives later', async () => {
  const { eventId, paymentMethodId } = await harness.enterCard(accountId);
  await deliver(eventId);
  harness.stripe.cards.renew(paymentMethodId, { exp_year: 2033 });
  harness.stripe.cards.renew(paymentMethodId, { exp_year: 2035, last4: '4444' });
  harness.stripe.undelivered.reverse();
  await harness.deliver();
  expect(await cardOf()).toMatchObject({ expiry_year: 2035, last_four: '4444' });
});

it('events of other customers and cards on the same Stripe account change nothing', async () => {
  const { eventId, paymentMethodId } = await harness.enterCard(accountId);
  await deliver(eventId);
  const foreign = [
    { id: 'evt_foreign_1', type: 'customer.updated', object: { id: 'cus_foreign' } },
    { id: 'evt_foreign_2', type: 'payment_method.detached', object: { id: 'pm_foreign' } },
    { id: 'evt_foreign_3', type: 'customer.deleted', object: { id: 'cus_foreign' } },
    {
      id: 'evt_foreign_4',
      type: 'payment_intent.succeeded',
      object: { id: 'pi_foreign', status: 'succeeded', amount: 100, amount_received: 100, currency: 'usd' },
    },
  ];
  for (const event of foreign) harness.stripe.happens(event);
  const calls = harness.stripe.calls.length;
  await deliver(...foreign.map(({ id }) => id));
  const asked = harness.stripe.calls.slice(calls).filter(({ path }) => !path.startsWith('GET /v1/events/'));
  expect(asked).toEqual([]);
  expect(await cardOf()).toMatchObject({ id: paymentMethodId });
});

it('a card is not saved for the page of another session', async () => {
  const { eventId } = await harness.enterCard(accountId);
  await harness.db.pool.query(`UPDATE card_setup SET stripe_session_id = 'cs_other' WHERE account_id = $1`, [
    accountId,
  ]);
  await deliver(eventId);
  expect(await cardOf()).toBeUndefined();
  expect(harness.records().at(-1)).toMatchObject({ level: 'error', outcome: 'mismatched' });
});
