import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { simulateCards, type SimulatedCards, toList } from './stripe-cards';

/** A Stripe event; omitted fields are as in the test mode of the operator's own account. */
export interface StripeEventFields {
  id: string;
  type: string;
  object: object;
  livemode?: boolean;
  /** For an event of a connected account. */
  account?: string;
}

/** A request that Stripe's API received. */
export interface StripeCall {
  path: string;
  authorization: string | undefined;
  idempotencyKey: string | undefined;
  /** The fields of the form. */
  form: Record<string, string>;
}

/**
 * Simulates the part of Stripe's API that card payments need: opening checkouts, fetching events, saved cards
 * and the payments by them.
 */
export interface StripeServer {
  url: string;
  calls: StripeCall[];
  cards: SimulatedCards;
  /** The ids of events that followed from requests, until they are taken out to be delivered. */
  undelivered: string[];
  /** Does what requests for this path ask, and does not respond to them; `undefined` ends that. */
  loseResponsesTo(path: string | undefined): void;
  /** Neither does what requests for this path ask, nor responds to them; `undefined` ends that. */
  loseRequestsTo(path: string | undefined): void;
  /** Makes this event known to Stripe. Returns it as Stripe writes it. */
  happens(event: StripeEventFields): string;
  /** Responds to every request with this status from now on; `undefined` restores the usual responses. */
  failWith(status: number | undefined): void;
  close(): Promise<void>;
}

const NO_SUCH_EVENT = { error: { type: 'invalid_request_error', code: 'resource_missing' } };
const DOWN = { error: { type: 'api_error', message: 'sk_test_e2e is down' } };

export async function startStripeServer(): Promise<StripeServer> {
  const calls: StripeCall[] = [];
  const events = new Map<string, string>();
  const undelivered: string[] = [];
  const cards = simulateCards((event) => {
    happens(event);
    undelivered.push(event.id);
  });
  let failure: number | undefined;
  let lost: string | undefined;
  let dropped: string | undefined;

  function happens({ id, type, object, livemode = false, account }: StripeEventFields): string {
    const created = Math.floor(Date.now() / 1_000);
    const event = { id, object: 'event', type, created, livemode, account, data: { object } };
    const text = JSON.stringify(event);
    events.set(id, text);
    return text;
  }

  function answer({ method, url = '' }: IncomingMessage, res: ServerResponse, call: StripeCall): void {
    const send = (status: number, body: string, headers: Record<string, string> = {}): void => {
      res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    };
    if (call.path === dropped) {
      res.destroy();
      return;
    }
    const ofCards = failure === undefined ? cards.answer(call) : undefined;
    if (failure !== undefined) send(failure, JSON.stringify(DOWN));
    else if (call.path === lost) res.destroy();
    else if (ofCards) send(ofCards.status, JSON.stringify(ofCards.body), ofCards.headers);
    else if (method === 'GET' && url.startsWith('/v1/events?')) {
      const type = new URLSearchParams(url.slice(url.indexOf('?'))).get('type');
      const all = [...events.values()].map((text) => JSON.parse(text) as { type: string }).reverse();
      send(200, JSON.stringify(toList(all.filter((event) => event.type === type))));
    } else if (method === 'GET' && url.startsWith('/v1/events/')) {
      const event = events.get(decodeURIComponent(url.slice('/v1/events/'.length)));
      if (event === undefined) send(404, JSON.stringify(NO_SUCH_EVENT));
      else send(200, event);
    } else {
      const id = `cs_test_${String(calls.filter(({ path }) => path.startsWith('POST ')).length)}`;
      const page = { url: `https://pay.example/${id}`, expires_at: 1_900_000_000 };
      send(200, JSON.stringify({ id, object: 'checkout.session', ...page }));
    }
  }

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const call = {
        path: `${req.method ?? ''} ${req.url ?? ''}`,
        authorization: req.headers.authorization,
        idempotencyKey: req.headers['idempotency-key']?.toString(),
        form: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
      };
      calls.push(call);
      answer(req, res, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    calls,
    cards,
    undelivered,
    happens,
    loseResponsesTo(path) {
      lost = path;
    },
    loseRequestsTo(path) {
      dropped = path;
    },
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
