import { verifyLedger } from '@farebox/ledger';
import { startStripeServer, waitUntil, type StripeEventFields, type StripeServer } from '@farebox/testing';
import Stripe from 'stripe';
import { openAccountHarness, type AccountHarness, type Customer, type Received } from './account-harness';
import { startWorkerProcess, type WorkerProcess } from './processes';

export const SECRET_KEY = 'sk_test_e2e';
const WEBHOOK_SECRET = 'whsec_e2e';

/** The service with card payments switched on, beside a simulated Stripe. */
export interface StripeHarness extends AccountHarness {
  stripe: StripeServer;
  /** Begins a checkout, and returns Stripe's record of it. */
  startCheckout(customer: Customer, amount: string): Promise<StripeCheckout>;
  /** Creates an event at Stripe, and delivers it as Stripe does, with its signature. */
  deliver(event: StripeEventFields, signature?: SignatureOptions): Promise<Received>;
  /** Closes everything, and checks the books. */
  close(): Promise<void>;
}

export interface StripeCheckout {
  sessionId: string;
  reference: string;
  amountCents: number;
}

interface SignatureOptions {
  secret?: string;
  /** Unix seconds. */
  timestamp?: number;
  /** Replaces the signed body. */
  body?: string;
}

export async function openStripeHarness(): Promise<StripeHarness> {
  const stripe = await startStripeServer();
  const harness = await openAccountHarness({
    environment: {
      FAREBOX_STRIPE_SECRET_KEY: SECRET_KEY,
      FAREBOX_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      FAREBOX_STRIPE_API_URL: stripe.url,
      FAREBOX_PUBLIC_URL: 'https://farebox.example',
    },
  });
  const { webhooks } = new Stripe(SECRET_KEY);
  return {
    ...harness,
    stripe,
    async startCheckout(customer, amount) {
      const answer = await customer.send('POST', '/v1/billing/funding/checkouts', { body: { amount } });
      expect(answer.status).toBe(201);
      const calls = stripe.calls.filter(({ path }) => path.startsWith('POST '));
      const call = calls.at(-1);
      return {
        sessionId: `cs_test_${String(calls.length)}`,
        reference: call?.form['client_reference_id'] ?? '',
        amountCents: Number(call?.form['line_items[0][price_data][unit_amount]']),
      };
    },
    deliver(event, { secret = WEBHOOK_SECRET, timestamp, body } = {}) {
      const payload = stripe.happens(event);
      const signed = { payload, secret, ...(timestamp !== undefined && { timestamp }) };
      return harness.send('POST', '/webhooks/stripe', {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': webhooks.generateTestHeaderString(signed),
        },
        body: body ?? payload,
      });
    },
    async close() {
      expect((await verifyLedger(harness.pool)).differences).toEqual([]);
      await harness.close();
      await stripe.close();
    },
  };
}

const EVENTS_KEY = 'rk_test_e2e_events';

/** The same, and a worker that applies payments. */
export interface PaymentHarness extends StripeHarness {
  worker: WorkerProcess;
  /** Waits until the worker has processed all delivered events. */
  untilApplied(): Promise<void>;
}

export async function openPaymentHarness(): Promise<PaymentHarness> {
  const harness = await openStripeHarness();
  const worker = await startWorkerProcess(harness.workerUrl, {
    FAREBOX_STRIPE_SECRET_KEY: EVENTS_KEY,
    FAREBOX_STRIPE_API_URL: harness.stripe.url,
  });
  return {
    ...harness,
    worker,
    untilApplied: () =>
      waitUntil(
        async () => (await harness.pool.query('SELECT FROM payment_notice')).rowCount === 0,
        'the worker has applied the delivered events',
      ),
    async close() {
      await worker.stop();
      await harness.close();
    },
  };
}
