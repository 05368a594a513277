import { verifyLedger } from '@farebox/ledger';
import Stripe from 'stripe';
import { openAccountStand, type AccountStand, type Customer } from './account-stand';
import type { Received } from './http-client';
import { startStripeServer, type StripeServer } from './stripe-server';

export const SECRET_KEY = 'sk_test_e2e';
const WEBHOOK_SECRET = 'whsec_e2e';

/** The service with card payments switched on, beside a server that plays Stripe. */
export interface StripeStand extends AccountStand {
  stripe: StripeServer;
  /** Begins a checkout, and answers with what Stripe would know of it. */
  startCheckout(customer: Customer, amount: string): Promise<StripeCheckout>;
  /** Delivers an event as Stripe does, with its signature. */
  deliver(event: StripeDelivery, signature?: SignatureOptions): Promise<Received>;
  /** Closes everything, and expects the books to be right. */
  close(): Promise<void>;
}

export interface StripeCheckout {
  sessionId: string;
  reference: string;
  amountCents: number;
}

export interface StripeDelivery {
  id: string;
  type: string;
  object: object;
}

export interface SignatureOptions {
  secret?: string;
  /** Unix seconds. */
  timestamp?: number;
  /** In place of the body that is signed. */
  body?: string;
}

export async function openStripeStand(): Promise<StripeStand> {
  const stripe = await startStripeServer();
  const stand = await openAccountStand({
    environment: {
      FAREBOX_STRIPE_SECRET_KEY: SECRET_KEY,
      FAREBOX_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      FAREBOX_STRIPE_API_URL: stripe.url,
      FAREBOX_PUBLIC_URL: 'https://farebox.example',
    },
  });
  const { webhooks } = new Stripe(SECRET_KEY);
  return {
    ...stand,
    stripe,
    async startCheckout(customer, amount) {
      const answer = await customer.send('POST', '/v1/billing/funding/checkouts', { body: { amount } });
      expect(answer.status).toBe(201);
      const call = stripe.calls.at(-1);
      return {
        sessionId: `cs_test_${String(stripe.calls.length)}`,
        reference: call?.form['client_reference_id'] ?? '',
        amountCents: Number(call?.form['line_items[0][price_data][unit_amount]']),
      };
    },
    deliver({ id, type, object }, { secret = WEBHOOK_SECRET, timestamp, body } = {}) {
      const payload = JSON.stringify({ id, object: 'event', type, data: { object } });
      const signed = { payload, secret, ...(timestamp !== undefined && { timestamp }) };
      return stand.send('POST', '/webhooks/stripe', {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': webhooks.generateTestHeaderString(signed),
        },
        body: body ?? payload,
      });
    },
    async close() {
      expect((await verifyLedger(stand.pool)).differences).toEqual([]);
      await stand.close();
      await stripe.close();
    },
  };
}
