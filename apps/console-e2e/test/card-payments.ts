import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

const SECRET_KEY = 'sk_test_console';
const WEBHOOK_SECRET = 'whsec_console';

/**
 * Simulates Stripe: its API as far as checkouts need it, the payment page, and the event about the payment.
 */
export interface CardPayments {
  url: string;
  /** Variables of the account service and the worker. */
  environment: Record<'account' | 'worker', Record<string, string>>;
  /** The service's address for events, known once the service runs. */
  tellTo: (baseUrl: string) => void;
  close(): Promise<void>;
}

interface Checkout {
  id: string;
  reference: string;
  amountCents: number;
  successUrl: string;
  cancelUrl: string;
}

export async function startCardPayments(): Promise<CardPayments> {
  const checkouts = new Map<string, Checkout>();
  const events = new Map<string, string>();
  let serviceUrl = '';
  const server = createServer((req, res) => {
    serve(req, res).catch((error: unknown) => {
      res.destroy(error instanceof Error ? error : undefined);
    });
  });

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const asked = `${req.method ?? ''} ${req.url ?? ''}`;
    const checkout = checkouts.get(asked.split('/').at(-1) ?? '');
    const event = events.get(asked);
    if (event !== undefined) res.writeHead(200, { 'content-type': 'application/json' }).end(event);
    else if (asked === 'POST /v1/checkout/sessions') begin(Buffer.concat(chunks).toString(), res);
    else if (!checkout) res.writeHead(404).end();
    else if (req.method === 'GET') showPage(checkout, res);
    else {
      // Stripe promises no order. The customer returns before the event, so that the console has to wait.
      res.writeHead(303, { location: checkout.successUrl }).end();
      await tell(checkout);
    }
  }

  function begin(body: string, res: ServerResponse): void {
    const form = new URLSearchParams(body);
    const id = `cs_test_${String(checkouts.size + 1)}`;
    checkouts.set(id, {
      id,
      reference: form.get('client_reference_id') ?? '',
      amountCents: Number(form.get('line_items[0][price_data][unit_amount]')),
      successUrl: form.get('success_url') ?? '',
      cancelUrl: form.get('cancel_url') ?? '',
    });
    const session = { id, object: 'checkout.session', url: `${url}/pay/${id}`, expires_at: 1_900_000_000 };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(session));
  }

  function showPage({ id, amountCents, cancelUrl }: Checkout, res: ServerResponse): void {
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    res.end(`<!doctype html><html lang="en"><title>Pay</title><link rel="icon" href="data:,">
<h1>Pay $${(amountCents / 100).toFixed(2)}</h1>
<form method="post" action="/pay/${id}"><button>Pay</button></form><a href="${cancelUrl}">Back</a></html>`);
  }

  async function tell({ id, reference, amountCents }: Checkout): Promise<void> {
    const object = {
      id,
      object: 'checkout.session',
      client_reference_id: reference,
      payment_status: 'paid',
      payment_intent: `pi_${id}`,
      amount_total: amountCents,
      currency: 'usd',
    };
    const event = { id: `evt_${id}`, object: 'event', type: 'checkout.session.completed', livemode: false };
    const payload = JSON.stringify({ ...event, data: { object } });
    events.set(`GET /v1/events/${event.id}`, payload);
    const { webhooks } = new Stripe(SECRET_KEY);
    await fetch(`${serviceUrl}/webhooks/stripe`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET }),
      },
      body: payload,
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const ofBoth = { FAREBOX_STRIPE_SECRET_KEY: SECRET_KEY, FAREBOX_STRIPE_API_URL: url };
  return {
    url,
    environment: {
      account: { ...ofBoth, FAREBOX_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET },
      worker: ofBoth,
    },
    tellTo: (baseUrl) => {
      serviceUrl = baseUrl;
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
