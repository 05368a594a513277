import { createCheckout, notePaymentEvent, toCheckoutReference } from '@farebox/billing';
import { toNanoUsd } from '@farebox/money';
import { createLogger } from '@farebox/observability';
import {
  createTestDatabase,
  givenAccount,
  startStripeServer,
  type StripeEventFields,
  type StripeServer,
  type TestDatabase,
} from '@farebox/testing';
import { applyNotedPayments } from '../src/payments/apply-payments';
import { askStripeWith } from '../src/payments/ask-stripe';
import { openStripeCards } from '../src/payments/stripe-cards';
import { isLiveKey } from '../src/payments/stripe-events';
import { forgetCards, tendTopUps } from '../src/payments/tend-top-ups';

/** The application of payments, with its own database and a simulated Stripe. */
export interface PaymentsHarness {
  db: TestDatabase;
  stripe: StripeServer;
  /** Everything that was logged. */
  records(): Record<string, unknown>[];
  logged(): string;
  /** A checkout of a new account, and Stripe's event that its 20 dollars have arrived. */
  givenPaidCheckout(): Promise<{ accountId: string; event: StripeEventFields }>;
  /** As the account service does when an event is delivered. */
  note(eventId: string): Promise<unknown>;
  /** Makes all notices due, and processes them. */
  apply(secretKey?: string): Promise<void>;
  /** Makes all attempts and removals due, and takes one step with each. */
  tend(): Promise<void>;
  balanceOf(accountId: string): Promise<bigint>;
  waiting(): Promise<string[]>;
  close(): Promise<void>;
}

export const KEY = 'rk_test_of_the_worker';
const TWENTY = toNanoUsd(20_000_000_000n);

export async function openPaymentsHarness(): Promise<PaymentsHarness> {
  const db = await createTestDatabase();
  const stripe = await startStripeServer();
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'info', destination });
  let events = 0;
  const partsWith = (secretKey: string) => ({
    pool: db.workerPool,
    askStripe: askStripeWith({ secretKey, apiUrl: stripe.url }),
    cards: openStripeCards({ secretKey, apiUrl: stripe.url }),
    isLive: isLiveKey(secretKey),
    log,
  });
  return {
    db,
    stripe,
    logged: () => lines.join(''),
    records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    async givenPaidCheckout() {
      const accountId = await givenAccount(db.pool);
      const checkout = await createCheckout(db.accountPool, accountId, TWENTY);
      const object = {
        id: `cs_${checkout.id}`,
        client_reference_id: toCheckoutReference(checkout),
        payment_status: 'paid',
        payment_intent: `pi_${checkout.id}`,
        amount_total: 2_000,
        currency: 'usd',
      };
      const event = { id: `evt_${String(++events)}`, type: 'checkout.session.completed', object };
      return { accountId, event };
    },
    note: (eventId) => notePaymentEvent(db.accountPool, eventId),
    async apply(secretKey = KEY) {
      await db.pool.query('UPDATE payment_notice SET due_at = received_at');
      await applyNotedPayments(partsWith(secretKey));
    },
    async tend() {
      await db.pool.query('UPDATE top_up_attempt SET due_at = created_at');
      await db.pool.query(`UPDATE card_removal SET due_at = clock_timestamp() - interval '1 s'`);
      await tendTopUps(partsWith(KEY));
      await forgetCards(partsWith(KEY));
    },
    async balanceOf(accountId) {
      const { rows } = await db.pool.query<{ balance: string }>(
        'SELECT balance_nano::text AS balance FROM account_funds WHERE account_id = $1',
        [accountId],
      );
      return BigInt(rows[0]?.balance ?? -1);
    },
    async waiting() {
      const { rows } = await db.pool.query<{ event_id: string }>('SELECT event_id FROM payment_notice');
      return rows.map(({ event_id: eventId }) => eventId);
    },
    async close() {
      await stripe.close();
      await db.drop();
    },
  };
}
