import { numberFromEnvironment, randomSeed, type Bank } from '@farebox/testing';
import fc from 'fast-check';
import { openTopUpHarness, type TopUpHarness } from '../../test/top-up-harness';

// Random customers, banks, losses and deliveries: what Stripe took is what was credited, and never more than ordered.

let harness: TopUpHarness;
beforeAll(async () => {
  harness = await openTopUpHarness();
});
afterAll(() => harness.close());

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
const RUNS = numberFromEnvironment('FAREBOX_TEST_RUNS') ?? 25;
const PAY = 'POST /v1/payment_intents';
const CEILING_CENTS = 3_500;
/** Delivered so far, for repetitions. */
let delivered: string[] = [];

const bank = fc.constantFrom<Bank>('pays', 'declines', 'wants_customer', 'waits_for_customer', 'breaks');
const loss = fc.constantFrom('nothing', 'nothing', 'responses', 'requests');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('tend' as const), bank, loss }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('deliver' as const), place: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat' as const), place: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), place: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('spend' as const, 'age' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function take(accountId: string, taken: Step): Promise<void> {
  const { stripe } = harness;
  switch (taken.kind) {
    case 'tend':
      stripe.cards.bank = taken.bank;
      lose(taken.loss);
      await harness.endPause(accountId);
      await harness.tend();
      return;
    case 'deliver': {
      const [eventId] = stripe.undelivered.splice(taken.place % Math.max(stripe.undelivered.length, 1), 1);
      if (eventId !== undefined) await apply(eventId);
      return;
    }
    case 'repeat': {
      const eventId = delivered[taken.place % Math.max(delivered.length, 1)];
      if (eventId !== undefined) await apply(eventId);
      return;
    }
    case 'lose':
      stripe.undelivered.splice(taken.place % Math.max(stripe.undelivered.length, 1), 1);
      return;
    case 'spend':
      if ((await harness.balanceOf(accountId)) > 0n) await harness.spend(accountId, '0.5');
      return;
    case 'age':
      await harness.age(accountId, 6);
  }
}

/** Requests for a payment, or the responses to them, do not arrive from now on. */
function lose(loss: string): void {
  harness.stripe.loseResponsesTo(loss === 'responses' ? PAY : undefined);
  harness.stripe.loseRequestsTo(loss === 'requests' ? PAY : undefined);
}

/** How often Stripe has made a payment under each key, and with how many different contents it was asked. */
function askedUnderKeys(): { most: number; contents: number } {
  const { calls, cards } = harness.stripe;
  const made = cards.payments.map(({ metadata }) => JSON.stringify(metadata));
  const forms = new Map<string | undefined, Set<string>>();
  for (const { path, idempotencyKey, form } of calls) {
    if (path !== PAY) continue;
    forms.set(idempotencyKey, (forms.get(idempotencyKey) ?? new Set()).add(JSON.stringify(form)));
  }
  return {
    most: Math.max(0, ...made.map((one) => made.filter((other) => other === one).length)),
    contents: Math.max(0, ...[...forms.values()].map(({ size }) => size)),
  };
}

async function apply(eventId: string): Promise<void> {
  delivered.push(eventId);
  await harness.db.pool.query('INSERT INTO payment_notice (event_id) VALUES ($1) ON CONFLICT DO NOTHING', [
    eventId,
  ]);
  await harness.apply();
}

async function stateOf(accountId: string) {
  const { rows } = await harness.db.pool.query<{
    credited: number;
    counted: number;
    open: number;
    last: boolean[] | null;
  }>(
    `SELECT (SELECT coalesce(sum(amount_nano), 0) / 10000000 FROM funding WHERE account_id = $1)::int AS credited,
            (SELECT coalesce(sum(amount_nano), 0) / 10000000 FROM top_up_attempt
             WHERE account_id = $1 AND state <> 'failed')::int AS counted,
            (SELECT count(*) FROM top_up_attempt WHERE account_id = $1 AND ended_at IS NULL)::int AS open,
            (SELECT array_agg(is_declined ORDER BY id DESC) FROM top_up_attempt
             WHERE account_id = $1 AND (is_declined OR state = 'succeeded')) AS last`,
    [accountId],
  );
  const [row] = rows;
  if (!row) throw new Error('the account has no row');
  return row;
}

it('whatever is lost, repeated or out of order, what Stripe took is credited once and stays below the ceiling', async () => {
  process.stdout.write(`top-up orders: ${String(RUNS)} runs, FAREBOX_TEST_SEED=${String(SEED)}\n`);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const { stripe } = harness;
      delivered = [];
      stripe.undelivered.length = 0;
      stripe.cards.payments.length = 0;
      stripe.calls.length = 0;
      const { accountId } = await harness.givenOrder({ threshold: '100', ceiling: '35' });
      const takenCents = () =>
        stripe.cards.payments
          .filter(({ status }) => status === 'succeeded')
          .reduce((sum, { amount }) => sum + amount, 0);
      for (const taken of steps) {
        await take(accountId, taken);
        const { credited, counted, open } = await stateOf(accountId);
        expect(open).toBeLessThanOrEqual(1);
        expect(counted).toBeLessThanOrEqual(CEILING_CENTS);
        expect(takenCents()).toBeLessThanOrEqual(CEILING_CENTS);
        expect(credited).toBeLessThanOrEqual(takenCents());
        const { most, contents } = askedUnderKeys();
        expect(Math.max(most, contents)).toBeLessThanOrEqual(1);
      }
      // In the end every attempt is known, although some events never come.
      lose('nothing');
      await harness.db.pool.query(
        `UPDATE auto_top_up SET is_on = false, off_reason = 'customer', off_at = clock_timestamp()
         WHERE account_id = $1 AND is_on`,
        [accountId],
      );
      const { last } = await stateOf(accountId);
      await harness.age(accountId, 11);
      await harness.tend();
      await harness.tend();
      const end = await stateOf(accountId);
      expect(end).toMatchObject({ credited: takenCents(), counted: takenCents(), open: 0 });
      const order = await harness.order(accountId);
      if (order?.off_reason === 'failures') expect(last?.slice(0, 3)).toEqual([true, true, true]);
    }),
    { numRuns: RUNS, seed: SEED },
  );
}, 240_000);
