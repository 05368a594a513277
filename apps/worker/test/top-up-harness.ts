import { createCardSetup, noteSetupSession, toSetupReference } from '@farebox/billing';
import { fromDecimalUsd, toDecimalUsd, toNanoUsd } from '@farebox/money';
import { givenAccount } from '@farebox/testing';
import { openPaymentsHarness, type PaymentsHarness } from './payments-harness';

/** Automatic top-ups against a simulated Stripe. Amounts in dollars. */
export interface TopUpHarness extends PaymentsHarness {
  /** An account with a saved card and automatic top-up: 10 dollars below 5, at most 30 a month. */
  givenOrder(order?: Partial<Order>): Promise<{ accountId: string; paymentMethodId: string }>;
  /** A customer enters a card on a page of their account; nothing is delivered. */
  enterCard(accountId: string): Promise<{ eventId: string; paymentMethodId: string }>;
  switchOn(accountId: string, order?: Partial<Order>): Promise<boolean>;
  /** Delivers the events that followed from requests to Stripe, and applies them. */
  deliver(): Promise<void>;
  /** Ends the pause after a failure. */
  endPause(accountId: string): Promise<void>;
  /** Makes attempts so old that no request of theirs can be under way. */
  age(accountId: string, minutes: number): Promise<void>;
  spend(accountId: string, amount: string): Promise<void>;
  balance(accountId: string): Promise<string>;
  attempts(accountId: string): Promise<{ state: string; failure: string | null }[]>;
  order(accountId: string): Promise<{ is_on: boolean; off_reason: string | null } | undefined>;
  mails(accountId: string): Promise<string[]>;
}

interface Order {
  threshold: string;
  amount: string;
  ceiling: string;
}

const ORDER: Order = { threshold: '5', amount: '10', ceiling: '30' };

export async function openTopUpHarness(): Promise<TopUpHarness> {
  const harness = await openPaymentsHarness();
  const { db, stripe } = harness;
  let spendings = 0;

  async function enterCard(accountId: string): Promise<{ eventId: string; paymentMethodId: string }> {
    const setupId = await createCardSetup(db.accountPool, accountId);
    const sessionId = `cs_${setupId}`;
    await noteSetupSession(db.accountPool, accountId, setupId, sessionId);
    const { event, paymentMethodId } = stripe.cards.enter({
      sessionId,
      reference: toSetupReference(setupId),
    });
    stripe.happens(event);
    return { eventId: event.id, paymentMethodId };
  }

  async function switchOn(accountId: string, order: Partial<Order> = {}): Promise<boolean> {
    const { threshold, amount, ceiling } = { ...ORDER, ...order };
    const { rows } = await db.accountPool.query<{ done: boolean }>(
      `SELECT top_up_switch_on($1, $2, $3, $4, 'I agree.') AS done`,
      [accountId, ...[threshold, amount, ceiling].map((text) => fromDecimalUsd(text))],
    );
    return rows[0]?.done ?? false;
  }

  return {
    ...harness,
    enterCard,
    switchOn,
    async givenOrder(order) {
      const accountId = await givenAccount(db.pool);
      const { eventId, paymentMethodId } = await enterCard(accountId);
      await harness.note(eventId);
      await harness.apply();
      expect(await switchOn(accountId, order)).toBe(true);
      return { accountId, paymentMethodId };
    },
    async deliver() {
      for (const eventId of stripe.undelivered.splice(0)) await harness.note(eventId);
      await harness.apply();
    },
    async endPause(accountId) {
      await db.pool.query('UPDATE auto_top_up SET next_attempt_at = consented_at WHERE account_id = $1', [
        accountId,
      ]);
    },
    async age(accountId, minutes) {
      await db.pool.query(
        `UPDATE top_up_attempt SET requested_at = requested_at - $2 * interval '1 minute'
         WHERE account_id = $1 AND ended_at IS NULL`,
        [accountId, minutes],
      );
    },
    async spend(accountId, amount) {
      const taken = toNanoUsd(0n - fromDecimalUsd(amount));
      await db.pool.query(`SELECT ledger_adjust(gen_random_uuid(), $1, $2, 'spent', $3, 'test')`, [
        ...[accountId, taken, `spending-${String(++spendings)}`],
      ]);
    },
    async balance(accountId) {
      return toDecimalUsd(toNanoUsd(await harness.balanceOf(accountId))).replace(/\.?0+$/, '');
    },
    async attempts(accountId) {
      const { rows } = await db.pool.query<{ state: string; failure: string | null }>(
        'SELECT state, failure FROM top_up_attempt WHERE account_id = $1 ORDER BY id',
        [accountId],
      );
      return rows;
    },
    async order(accountId) {
      const { rows } = await db.pool.query<{ is_on: boolean; off_reason: string | null }>(
        'SELECT is_on, off_reason FROM auto_top_up WHERE account_id = $1',
        [accountId],
      );
      return rows[0];
    },
    async mails(accountId) {
      const { rows } = await db.pool.query<{ kind: string }>(
        'SELECT kind FROM mail JOIN outbox USING (id) WHERE account_id = $1',
        [accountId],
      );
      return rows.map(({ kind }) => kind);
    },
  };
}
