import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { simulateCards, toList, type SimulatedCards, type StripeEventFields } from '@farebox/testing';
import Stripe from 'stripe';

const SECRET_KEY = 'sk_test_console';
const WEBHOOK_SECRET = 'whsec_console';

/**
 * Simulates Stripe: its API as far as checkouts and saved cards need it, the pages for a payment and a card,
 * and the events about them.
 */
export interface CardPayments {
  url: string;
  /** The saved cards, and what their bank says. */
  cards: SimulatedCards;
  /** Variables of the account service and the worker. */
  environment: Record<'account' | 'worker', Record<string, string>>;
  /** The service's address for events, known once the service runs. */
  tellTo: (baseUrl: string) => void;
  close(): Promise<void>;
}

interface Checkout {
  id: string;
  reference: string;
  /** `undefined` to save a card. */
  amountCents: number | undefined;
  successUrl: string;
  cancelUrl: string;
}

export async function startCardPayments(): Promise<CardPayments> {
  const checkouts = new Map<string, Checkout>();
  const events = new Map<string, string>();
  const told: Promise<void>[] = [];
  // Stripe tells of a payment after it has answered.
  const cards = simulateCards((event) => {
    told.push(new Promise((resolve) => setTimeout(resolve, 100)).then(() => tell(event)));
  });
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
    const body = Buffer.concat(chunks).toString();
    const key = req.headers['idempotency-key']?.toString();
    const form = Object.fromEntries(new URLSearchParams(body));
    const ofCards = cards.answer({ path: asked, form, idempotencyKey: key });
    if (ofCards) {
      res.writeHead(ofCards.status, { 'content-type': 'application/json' }).end(JSON.stringify(ofCards.body));
    } else if (asked.startsWith('GET /v1/events?')) {
      const all = [...events.values()].map((text) => JSON.parse(text) as object);
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(toList(all.reverse())));
    } else if (event !== undefined) res.writeHead(200, { 'content-type': 'application/json' }).end(event);
    else if (asked === 'POST /v1/checkout/sessions') begin(body, res);
    else if (!checkout) res.writeHead(404).end();
    else if (req.method === 'GET') showPage(checkout, res);
    else {
      // Stripe promises no order. The customer returns before the event, so that the console has to wait.
      res.writeHead(303, { location: checkout.successUrl }).end();
      await tell(eventOf(checkout));
    }
  }

  function begin(body: string, res: ServerResponse): void {
    const form = new URLSearchParams(body);
    const id = `cs_test_${String(checkouts.size + 1)}`;
    const amount = form.get('line_items[0][price_data][unit_amount]');
    checkouts.set(id, {
      id,
      reference: form.get('client_reference_id') ?? '',
      amountCents: amount === null ? undefined : Number(amount),
      successUrl: form.get('success_url') ?? '',
      cancelUrl: form.get('cancel_url') ?? '',
    });
    const session = { id, object: 'checkout.session', url: `${url}/pay/${id}`, expires_at: 1_900_000_000 };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(session));
  }

  function showPage({ id, amountCents, cancelUrl }: Checkout, res: ServerResponse): void {
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    const [title, button] =
      amountCents === undefined
        ? ['Save your card', 'Save card']
        : [`Pay $${(amountCents / 100).toFixed(2)}`, 'Pay'];
    res.end(`<!doctype html><html lang="en"><title>${title}</title><link rel="icon" href="data:,">
<h1>${title}</h1>
<form method="post" action="/pay/${id}"><button>${button}</button></form><a href="${cancelUrl}">Back</a></html>`);
  }

  function eventOf({ id, reference, amountCents }: Checkout): StripeEventFields {
    if (amountCents === undefined) return cards.enter({ sessionId: id, reference }).event;
    const object = {
      id,
      object: 'checkout.session',
      client_reference_id: reference,
      payment_status: 'paid',
      payment_intent: `pi_${id}`,
      amount_total: amountCents,
      currency: 'usd',
    };
    return { id: `evt_${id}`, type: 'checkout.session.completed', object };
  }

  async function tell({ id, type, object }: StripeEventFields): Promise<void> {
    const payload = JSON.stringify({ id, object: 'event', type, livemode: false, data: { object } });
    events.set(`GET /v1/events/${id}`, payload);
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
    cards,
    environment: {
      account: { ...ofBoth, FAREBOX_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET },
      worker: ofBoth,
    },
    tellTo: (baseUrl) => {
      serviceUrl = baseUrl;
    },
    async close() {
      await Promise.allSettled(told);
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}
