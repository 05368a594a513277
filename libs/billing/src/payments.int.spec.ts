import { fromDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import fc from 'fast-check';
import { listCreditNotes } from './credit-notes';
import { listDisputes } from './disputes';
import {
  applyPaymentEvent,
  createCheckout,
  noteStripeSession,
  type CheckoutNews,
  type PaymentNews,
} from './payments';

let db: TestDatabase;
let accountId: string;
let checkoutId: string;
let count = 0;
/** The session of the checkout under test. */
let sessionId: string;
let paymentIntentId: string;

const usd = (text: string): NanoUsd => fromDecimalUsd(text);
const TEN = usd('10.00');

beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(async () => {
  accountId = await givenAccount(db.pool);
  [sessionId, paymentIntentId] = [`cs_${accountId}`, `pi_${accountId}`];
  checkoutId = (await createCheckout(db.accountPool, accountId, TEN)).id;
  await noteStripeSession(db.accountPool, accountId, checkoutId, sessionId);
});
afterAll(() => db.drop());

const eventId = (): string => `evt_${String(++count)}`;
const tell = (more: Partial<CheckoutNews> = {}, id = eventId()) =>
  applyPaymentEvent(db.workerPool, {
    id,
    type: 'checkout.session.completed',
    ...{ action: 'pay', checkoutId, sessionId, paymentIntentId, amountNano: TEN, currency: 'usd', ...more },
  });
const takeBack = (action: PaymentNews['action'], objectId: string, amount: string, id = eventId()) =>
  applyPaymentEvent(db.workerPool, {
    id,
    type: `charge.${action}`,
    ...{ action, objectId, amountNano: usd(amount), paymentIntentId, currency: 'usd' },
  });

async function books(): Promise<{ balance: bigint; owed: bigint; topUps: bigint }> {
  const { rows } = await db.pool.query<{ balance: string; owed: string; top_ups: string }>(
    `SELECT balance_nano::text AS balance,
            (SELECT coalesce(sum(amount_nano - taken_nano), 0) FROM reversal WHERE account_id = $1)::text AS owed,
            (SELECT count(*) FROM funding WHERE account_id = $1)::text AS top_ups
     FROM account_funds WHERE account_id = $1`,
    [accountId],
  );
  const [row] = rows;
  return {
    balance: BigInt(row?.balance ?? -1),
    owed: BigInt(row?.owed ?? -1),
    topUps: BigInt(row?.top_ups ?? -1),
  };
}
/** Their states, by Stripe's ids. */
async function disputes(): Promise<Record<string, string>> {
  const found = await listDisputes(db.pool, { limit: 100, accountId });
  return Object.fromEntries(found.map(({ reference, state }) => [reference, state]));
}
/** The sum of the credit notes. */
async function creditedNano(): Promise<bigint> {
  const notes = await listCreditNotes(db.accountPool, accountId, { limit: 100 });
  return notes.reduce((sum, { amountNano }) => sum + amountNano, 0n);
}
/** Spends from the balance, as requests do. */
const spend = (amount: string) =>
  db.pool.query(`SELECT ledger_adjust(gen_random_uuid(), $1, $2, 'spent', $3, 'test')`, [
    ...[accountId, toNanoUsd(0n - usd(amount)), eventId()],
  ]);

describe('the payment of a checkout', () => {
  it('is credited once if delivered again or reported by another event', async () => {
    expect(await tell({}, 'evt_same')).toBe('applied');
    expect(await tell({}, 'evt_same')).toBe('repeated');
    expect(await tell()).toBe('no_change');
    expect(await books()).toEqual({ balance: TEN, owed: 0n, topUps: 1n });
  });

  it('is credited once if delivered many times concurrently', async () => {
    const same = Array.from({ length: 5 }, () => tell({}, `evt_race_${accountId}`));
    const others = Array.from({ length: 5 }, () => tell());
    const outcomes = await Promise.all([...same, ...others]);
    expect(outcomes.filter((outcome) => outcome === 'applied')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(4);
    expect(await books()).toEqual({ balance: TEN, owed: 0n, topUps: 1n });
  });

  it.each<[string, Partial<CheckoutNews>]>([
    ['another amount', { amountNano: usd('10.01') }],
    ['no amount', { amountNano: null }],
    ['another currency', { currency: 'eur' }],
    ['another session', { sessionId: 'cs_foreign' }],
  ])('is not credited with %s', async (_, more) => {
    expect(await tell(more)).toBe('mismatched');
    expect(await books()).toMatchObject({ balance: 0n });
    expect(await tell()).toBe('applied');
  });

  it('is not credited to a missing checkout', async () => {
    expect(await tell({ checkoutId: accountId })).toBe('unknown_checkout');
  });

  it('may arrive later than the order, or not at all', async () => {
    expect(await tell({ action: 'await' })).toBe('applied');
    expect(await books()).toMatchObject({ balance: 0n });
    expect(await tell({ action: 'end' })).toBe('applied');
    expect(await tell()).toBe('applied');
    expect(await tell({ action: 'end' })).toBe('no_change');
    expect(await books()).toMatchObject({ balance: TEN });
  });

  it('first pays the debt', async () => {
    await db.pool.query(`SELECT ledger_reverse($1, $2, 'disputed', $3, 'stripe')`, [
      accountId,
      usd('4'),
      eventId(),
    ]);
    await tell();
    expect(await books()).toEqual({ balance: usd('6'), owed: 0n, topUps: 1n });
  });
});

describe('a refund', () => {
  it('takes the amount refunded since the previous one, in any order', async () => {
    await tell();
    expect(await takeBack('refund', 'ch_1', '3.00')).toBe('applied');
    expect(await takeBack('refund', 'ch_1', '9.00')).toBe('applied');
    expect(await takeBack('refund', 'ch_1', '5.00')).toBe('no_change');
    expect(await books()).toEqual({ balance: usd('1'), owed: 0n, topUps: 1n });
  });

  it('that arrives before its payment is applied with it', async () => {
    expect(await takeBack('refund', 'ch_2', '2.50')).toBe('unmatched');
    expect(await tell()).toBe('applied');
    expect(await books()).toMatchObject({ balance: usd('7.50') });
  });

  it('that arrives concurrently with its payment is not lost', async () => {
    await Promise.all([tell(), takeBack('refund', 'ch_3', '2.50'), takeBack('dispute', 'dp_3', '1.00')]);
    expect(await books()).toMatchObject({ balance: usd('6.50') });
  });

  it('takes nothing if it exceeds the payment or has another currency', async () => {
    await tell();
    expect(await takeBack('refund', 'ch_4', '10.01')).toBe('mismatched');
    const news = {
      action: 'refund',
      objectId: 'ch_4',
      amountNano: TEN,
      paymentIntentId,
      currency: 'eur',
    } as const;
    expect(await applyPaymentEvent(db.workerPool, { id: eventId(), type: 't', ...news })).toBe('mismatched');
    expect(await books()).toMatchObject({ balance: TEN });
  });
});

describe('a refund that fails', () => {
  const re = (name: string): string => `re_${name}_${accountId}`;

  it('is returned once if reported many times concurrently', async () => {
    await tell();
    await takeBack('refund', 'ch_5', '4.00');
    const told = Array.from({ length: 5 }, () => takeBack('refund_failed', re('a'), '4.00'));
    const made = Array.from({ length: 5 }, () => takeBack('refund_made', re('a'), '4.00'));
    const outcomes = await Promise.all([...told, ...made]);
    expect(outcomes.filter((outcome) => outcome === 'applied')).toHaveLength(1);
    expect(await books()).toEqual({ balance: TEN, owed: 0n, topUps: 1n });
  });

  it('returns no more than was taken', async () => {
    await tell();
    expect(await takeBack('refund_failed', re('b'), '4.00')).toBe('no_change');
    expect(await takeBack('refund', 'ch_6', '4.00')).toBe('no_change');
    expect(await books()).toMatchObject({ balance: TEN });
  });

  it('and is repeated for the whole amount takes all of it, though the total is the same', async () => {
    await tell();
    expect(await takeBack('refund_made', re('c'), '10.00')).toBe('applied');
    expect(await takeBack('refund', 'ch_7', '10.00')).toBe('no_change');
    // Repeated before the failure of the first is reported: never more than was paid.
    expect(await takeBack('refund_made', re('d'), '10.00')).toBe('no_change');
    expect(await takeBack('refund_failed', re('c'), '10.00')).toBe('no_change');
    expect(await books()).toMatchObject({ balance: 0n, owed: 0n });
    expect(await takeBack('refund_failed', re('d'), '10.00')).toBe('applied');
    expect(await takeBack('refund_made', re('e'), '10.00')).toBe('applied');
    expect(await books()).toMatchObject({ balance: 0n, owed: 0n });
  });

  it('returns nothing if it exceeds the payment or has another currency', async () => {
    await tell();
    await takeBack('refund', 'ch_8', '4.00');
    expect(await takeBack('refund_failed', re('f'), '10.01')).toBe('mismatched');
    const news = {
      action: 'refund_failed',
      objectId: re('f'),
      amountNano: usd('4.00'),
      paymentIntentId,
      currency: 'eur',
    } as const;
    expect(await applyPaymentEvent(db.workerPool, { id: eventId(), type: 't', ...news })).toBe('mismatched');
    expect(await takeBack('refund', 'ch_8', '5.00')).toBe('applied');
    expect(await books()).toMatchObject({ balance: usd('5') });
  });
});

describe('a dispute', () => {
  it('is taken once, however many events report it', async () => {
    await tell();
    expect(await takeBack('dispute', `dp_a_${accountId}`, '10.00')).toBe('applied');
    expect(await takeBack('dispute', `dp_a_${accountId}`, '10.00')).toBe('no_change');
    expect(await books()).toMatchObject({ balance: 0n, owed: 0n });
  });

  it('takes, for money already spent, the rest of the balance, records a debt and suspends the account', async () => {
    await tell();
    await spend('7.00');
    await takeBack('dispute', `dp_b_${accountId}`, '10.00');
    expect(await books()).toMatchObject({ balance: 0n, owed: usd('7') });
    const { rows } = await db.pool.query('SELECT invite_status FROM account WHERE id = $1', [accountId]);
    expect(rows).toEqual([{ invite_status: 'suspended' }]);
    expect(await takeBack('reinstate', `dp_b_${accountId}`, '10.00')).toBe('applied');
    expect(await takeBack('reinstate', `dp_b_${accountId}`, '10.00')).toBe('no_change');
    expect(await books()).toMatchObject({ balance: usd('3'), owed: 0n });
  });

  it('that is lost stays taken, unless it is won after all', async () => {
    await tell();
    const dp = `dp_d_${accountId}`;
    await takeBack('dispute', dp, '10.00');
    expect(await takeBack('lose', dp, '10.00')).toBe('applied');
    expect(await takeBack('lose', dp, '10.00')).toBe('no_change');
    expect([await books(), await disputes()]).toMatchObject([{ balance: 0n }, { [dp]: 'lost' }]);
    expect(await takeBack('reinstate', dp, '10.00')).toBe('applied');
    expect(await takeBack('lose', dp, '10.00')).toBe('no_change');
    expect([await books(), await disputes()]).toMatchObject([{ balance: TEN }, { [dp]: 'won' }]);
  });

  it('from before there were disputes is returned too', async () => {
    await tell();
    const dp = `dp_e_${accountId}`;
    await db.pool.query(`SELECT ledger_reverse($1, $2, 'card payment disputed', $3, 'stripe')`, [
      ...[accountId, TEN, `stripe:${dp}`],
    ]);
    expect(await takeBack('reinstate', dp, '10.00')).toBe('applied');
    expect([await books(), await disputes()]).toMatchObject([{ balance: TEN }, { [dp]: 'won' }]);
  });

  it('that is over before its start was reported costs nothing', async () => {
    await tell();
    expect(await takeBack('reinstate', `dp_c_${accountId}`, '10.00')).toBe('applied');
    expect(await takeBack('dispute', `dp_c_${accountId}`, '10.00')).toBe('no_change');
    expect(await books()).toMatchObject({ balance: TEN });
  });
});

it('the result is the same for any order and repetition of the events of a payment', async () => {
  // Stripe's refunded total was 2, then 5; the refund of 3 failed and was repeated: 5 again.
  const events = [
    ...['pay', 'pay', 'dispute dp 6', 'dispute dp 6', 'lose dp 6', 'reinstate dp 6', 'reinstate dp 6'],
    ...['dispute dq 1', 'lose dq 1', 'dispute dr 0.5'],
    ...['refund ch 2', 'refund_made a 2', 'refund ch 5', 'refund_made b 3', 'refund_failed b 3'],
    ...['refund ch 5', 'refund_made c 3', 'refund_failed b 3', 'refund_made b 3'],
  ];
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(events, { minLength: events.length }), async (order) => {
      accountId = await givenAccount(db.pool);
      [sessionId, paymentIntentId] = [`cs_${accountId}`, `pi_${accountId}`];
      checkoutId = (await createCheckout(db.accountPool, accountId, TEN)).id;
      for (const event of order) {
        if (event === 'pay') {
          await tell();
          continue;
        }
        const [action, object, amount = ''] = event.split(' ');
        await takeBack(action as PaymentNews['action'], `${String(object)}_${accountId}`, amount);
      }
      expect(await books()).toEqual({ balance: usd('3.5'), owed: 0n, topUps: 1n });
      expect(await disputes()).toEqual({
        ...{ [`dp_${accountId}`]: 'won', [`dq_${accountId}`]: 'lost', [`dr_${accountId}`]: 'open' },
      });
      expect(await creditedNano()).toBe(usd('6.5'));
    }),
    { numRuns: 30 },
  );
});
