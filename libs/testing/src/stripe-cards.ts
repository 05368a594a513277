import type { StripeEventFields } from './stripe-server';

/**
 * The bank's answer to a payment without its customer: it pays, declines, wants the customer to confirm (as
 * the 402 that Stripe documents), or leaves the payment waiting for the customer. `breaks`: Stripe itself fails.
 */
export type Bank = 'pays' | 'declines' | 'wants_customer' | 'waits_for_customer' | 'breaks';

interface SimulatedCard {
  id: string;
  object: 'payment_method';
  type: 'card';
  customer: string | null;
  card: { brand: string; last4: string; exp_month: number; exp_year: number };
}

interface SimulatedIntent {
  id: string;
  object: 'payment_intent';
  created: number;
  status: string;
  amount: number;
  amount_received: number;
  currency: string;
  customer: string | null;
  metadata: Record<string, string>;
  last_payment_error: { code: string; decline_code: string } | null;
}

interface Reply {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

/** Stripe's saved cards and the payments by them. */
export interface SimulatedCards {
  bank: Bank;
  payments: SimulatedIntent[];
  /** A customer enters a card on the page of a session. Returns the event and the id of the card. */
  enter(page: { sessionId: string; reference: string; customer?: string | undefined }): {
    event: StripeEventFields;
    paymentMethodId: string;
  };
  /** Removes a card, as the operator does in Stripe's dashboard. */
  detach(paymentMethodId: string): void;
  /** Changes what the issuer renewed. */
  renew(paymentMethodId: string, card: Partial<SimulatedCard['card']>): void;
  has(paymentMethodId: string): boolean;
  answer(call: {
    path: string;
    idempotencyKey: string | undefined;
    form: Record<string, string>;
  }): Reply | undefined;
}

const missing: Reply = {
  status: 404,
  body: { error: { type: 'invalid_request_error', code: 'resource_missing' } },
};

/** `tell` is called with each event that follows from a request. */
export function simulateCards(tell: (event: StripeEventFields) => void): SimulatedCards {
  const cards = new Map<string, SimulatedCard>();
  const setups = new Map<string, string>();
  const replies = new Map<string, Reply>();
  const payments: SimulatedIntent[] = [];
  let count = 0;
  const newId = (prefix: string): string =>
    `${prefix}_${String(++count)}_${process.hrtime.bigint().toString(36)}`;
  const happens = (type: string, object: object): void => {
    tell({ id: newId('evt'), type, object: structuredClone(object) });
  };

  function pay(form: Record<string, string>): Reply {
    if (simulated.bank === 'breaks') return { status: 500, body: { error: { type: 'api_error' } } };
    const card = cards.get(form['payment_method'] ?? '');
    if (!card?.customer || card.customer !== form['customer']) return { ...missing, status: 400 };
    const metadata = Object.entries(form).flatMap(([name, value]) => {
      const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
      return key === undefined ? [] : [[key, value] as const];
    });
    const intent: SimulatedIntent = {
      id: newId('pi'),
      object: 'payment_intent',
      created: Math.floor(Date.now() / 1_000),
      status: 'succeeded',
      amount: Number(form['amount']),
      amount_received: 0,
      currency: form['currency'] ?? '',
      customer: card.customer,
      metadata: Object.fromEntries(metadata),
      last_payment_error: null,
    };
    payments.push(intent);
    return decide(intent);
  }

  function decide(intent: SimulatedIntent): Reply {
    if (simulated.bank === 'pays') {
      intent.amount_received = intent.amount;
      happens('payment_intent.succeeded', intent);
      return { status: 200, body: intent };
    }
    if (simulated.bank === 'waits_for_customer') {
      intent.status = 'requires_action';
      happens('payment_intent.requires_action', intent);
      return { status: 200, body: intent };
    }
    const code = simulated.bank === 'declines' ? 'card_declined' : 'authentication_required';
    const decline_code = simulated.bank === 'declines' ? 'insufficient_funds' : 'authentication_required';
    intent.status = 'requires_payment_method';
    intent.last_payment_error = { code, decline_code };
    happens('payment_intent.payment_failed', intent);
    const message = 'Your card was declined.';
    const error = { type: 'card_error', code, decline_code, message, payment_intent: intent };
    return { status: 402, body: { error } };
  }

  /** A request with the key of an earlier one gets the reply of that one: https://docs.stripe.com/api/idempotent_requests */
  function once(key: string | undefined, work: () => Reply): Reply {
    const known = key === undefined ? undefined : replies.get(key);
    if (known) return { ...known, headers: { 'idempotent-replayed': 'true' } };
    const reply = work();
    if (key !== undefined) replies.set(key, reply);
    return reply;
  }

  function detach(id: string): Reply {
    const card = cards.get(id);
    if (!card?.customer) return { ...missing, status: 400 };
    card.customer = null;
    happens('payment_method.detached', card);
    return { status: 200, body: card };
  }

  const ROUTES: readonly [
    RegExp,
    (found: string, form: Record<string, string>, key: string | undefined) => Reply,
  ][] = [
    [/^POST \/v1\/payment_intents$/, (_, form, key) => once(key, () => pay(form))],
    [/^POST \/v1\/payment_methods\/([^/]+)\/detach$/, detach],
    [/^GET \/v1\/payment_methods\/([^/?]+)/, (id) => shown(cards.get(id))],
    [/^GET \/v1\/payment_intents\/([^/?]+)/, (id) => shown(payments.find((payment) => payment.id === id))],
    [
      /^GET \/v1\/payment_intents\?(.*)$/,
      (query) => {
        const customer = new URLSearchParams(query).get('customer');
        return shown(toList(payments.filter((payment) => payment.customer === customer).reverse()));
      },
    ],
    [
      /^GET \/v1\/setup_intents\/([^/?]+)/,
      (id) => {
        const card = cards.get(setups.get(id) ?? '');
        return shown(card && { id, object: 'setup_intent', status: 'succeeded', payment_method: card });
      },
    ],
  ];

  const simulated: SimulatedCards = {
    bank: 'pays',
    payments,
    enter({ sessionId, reference, customer = newId('cus') }) {
      const [setupIntentId, paymentMethodId] = [newId('seti'), newId('pm')];
      const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2031 };
      cards.set(paymentMethodId, {
        id: paymentMethodId,
        object: 'payment_method',
        type: 'card',
        customer,
        card,
      });
      setups.set(setupIntentId, paymentMethodId);
      const object = {
        id: sessionId,
        object: 'checkout.session',
        mode: 'setup',
        client_reference_id: reference,
        payment_status: 'no_payment_required',
        payment_intent: null,
        setup_intent: setupIntentId,
        customer,
      };
      return { event: { id: newId('evt'), type: 'checkout.session.completed', object }, paymentMethodId };
    },
    detach(paymentMethodId) {
      detach(paymentMethodId);
    },
    renew(paymentMethodId, changes) {
      const card = cards.get(paymentMethodId);
      if (!card) throw new Error('there is no such card');
      Object.assign(card.card, changes);
      happens('payment_method.automatically_updated', card);
    },
    has: (paymentMethodId) => cards.get(paymentMethodId)?.customer != null,
    answer({ path, form, idempotencyKey }) {
      for (const [pattern, reply] of ROUTES) {
        const found = pattern.exec(path);
        if (found) return reply(decodeURIComponent(found[1] ?? ''), form, idempotencyKey);
      }
      return undefined;
    },
  };
  return simulated;
}

function shown(object: object | undefined): Reply {
  return object ? { status: 200, body: object } : missing;
}

export function toList(data: object[]): object {
  return { object: 'list', data, has_more: false };
}
