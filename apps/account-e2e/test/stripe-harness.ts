import { verifyLedger } from '@farebox/ledger';
import Stripe from 'stripe';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openAccountHarness, type AccountHarness, type Customer, type Received } from './account-harness';

export const SECRET_KEY = 'sk_test_e2e';
const WEBHOOK_SECRET = 'whsec_e2e';

/** The service with card payments switched on, beside a server that plays Stripe. */
export interface StripeHarness extends AccountHarness {
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

interface SignatureOptions {
  secret?: string;
  /** Unix seconds. */
  timestamp?: number;
  /** In place of the body that is signed. */
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

/** A request that Stripe's API was sent. */
interface StripeCall {
  path: string;
  authorization: string | undefined;
  idempotencyKey: string | undefined;
  /** The fields of its form. */
  form: Record<string, string>;
}

/** Plays Stripe's API as far as checkouts need it. */
export interface StripeServer {
  url: string;
  calls: StripeCall[];
  /** From now on, every request is answered with this status; `undefined`: as Stripe does. */
  failWith(status: number | undefined): void;
  close(): Promise<void>;
}

export async function startStripeServer(): Promise<StripeServer> {
  const calls: StripeCall[] = [];
  let failure: number | undefined;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      calls.push({
        path: `${req.method ?? ''} ${req.url ?? ''}`,
        authorization: req.headers.authorization,
        idempotencyKey: req.headers['idempotency-key']?.toString(),
        form: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
      });
      const id = `cs_test_${String(calls.length)}`;
      const session = {
        id,
        object: 'checkout.session',
        url: `https://pay.example/${id}`,
        expires_at: 1_900_000_000,
      };
      const error = { error: { type: 'api_error', message: 'sk_test_e2e is down' } };
      res.writeHead(failure ?? 200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(failure === undefined ? session : error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    calls,
    failWith: (status) => {
      failure = status;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
