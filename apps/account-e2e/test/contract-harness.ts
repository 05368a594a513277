import { createLinkToken, toPublicId, uuidV7 } from '@farebox/auth';
import { OPERATIONS, type Operation, topUpOperations } from '@farebox/api/operations';
import Stripe from 'stripe';
import {
  openAccountHarness,
  type AccountHarness,
  type Customer,
  type Received,
  type Sent,
} from './account-harness';
import { openDatabaseProxy, type DatabaseProxy } from './database-faults';

const SECRET_KEY = 'sk_test_contract';
const WEBHOOK_SECRET = 'whsec_contract';

/** The operations of this service. */
export const ACCOUNT_OPERATIONS = OPERATIONS.filter(({ services }) => services.includes('account'));

/** Changes to the usual request of an operation. */
export interface Asked extends Sent {
  as?: Customer | 'nobody';
  path?: string;
}

/** The service with all options switched on, and a route to its database that can be cut. */
export interface ContractHarness extends AccountHarness {
  proxy: DatabaseProxy;
  customer: Customer;
  /** The same service, with nothing switched on. */
  plain: AccountHarness;
  /** Sends a valid request, with the given changes. */
  ask(operation: Operation, asked?: Asked): Promise<Received>;
}

export async function openContractHarness(): Promise<ContractHarness> {
  const proxies: DatabaseProxy[] = [];
  const harness = await openAccountHarness({
    urlForService: async (databaseUrl) => {
      const opened = await openDatabaseProxy(databaseUrl);
      proxies.push(opened);
      return opened.url;
    },
    environment: { FAREBOX_STRIPE_SECRET_KEY: SECRET_KEY, FAREBOX_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET },
  });
  const [proxy] = proxies;
  if (!proxy) throw new Error('the service does not go through the proxy');
  const plain = await openAccountHarness();
  const customer = await harness.givenCustomer();
  return {
    ...harness,
    proxy,
    customer,
    plain,
    ask(operation, { as = customer, path = unknownPath(operation.path), ...sent } = {}) {
      const { send } = as === 'nobody' || operation.credential === 'none' ? harness : as;
      return send(operation.method, path, { ...rightRequest(operation), ...sent });
    },
    async close() {
      await harness.close();
      await proxy.close();
      await plain.close();
    },
  };
}

/** The body of the first example, and what must accompany it. */
function rightRequest({ id, body }: Operation): Sent {
  if (id === 'receiveStripeEvent') return signedEvent();
  const [example] = Object.values(body?.examples ?? {});
  return typeof example === 'object' && example !== null ? { body: example } : {};
}

/** A payment for an unknown checkout. */
function signedEvent(): Sent {
  const object = { id: 'cs_1', object: 'checkout.session', payment_status: 'paid', payment_intent: 'pi_1' };
  const more = { client_reference_id: toPublicId('chk', uuidV7()), amount_total: 500, currency: 'usd' };
  const data = { object: { ...object, ...more } };
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'checkout.session.completed', data });
  const { webhooks } = new Stripe(SECRET_KEY);
  const signature = webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET });
  return { body: payload, headers: { 'content-type': 'application/json', 'stripe-signature': signature } };
}

/** For each path parameter: an id of nothing that exists. */
const UNKNOWN_IDS: Readonly<Record<string, string | undefined>> = {
  key_public_id: toPublicId('key', uuidV7()),
  session_id: toPublicId('sess', uuidV7()),
  device_id: toPublicId('dev', uuidV7()),
  webhook_id: toPublicId('hook', uuidV7()),
  message_id: toPublicId('whmsg', uuidV7()),
  usage_id: toPublicId('chatcmpl', uuidV7()),
  request_id: toPublicId('req', uuidV7()),
  month: '2999-01',
  number: 'INV-2026-000001',
  receipt_number: 'REC-2026-999999',
  credit_note_number: 'CRN-2026-999999',
  checkout_id: toPublicId('chk', uuidV7()),
  transaction_id: toPublicId('txn', uuidV7()),
  token: createLinkToken(),
  code: 'no_such_error',
};

/** Exist only if card payments are switched on. */
const SWITCHED_OFF = ['createCheckout', 'getCheckout', ...Object.keys(topUpOperations)];

/** Every endpoint that takes a session, with a path that it serves: exactly the documented ones. */
export const EVERY_ENDPOINT: readonly (readonly [method: string, path: string])[] = OPERATIONS.filter(
  ({ credential, id }) => credential === 'session' && !SWITCHED_OFF.includes(id),
).map(({ method, path }) => [method, unknownPath(path)]);

/** A path of the document with ids of nothing that exists. */
export function unknownPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => nobodys(name));
}

function nobodys(parameter: string): string {
  const id = UNKNOWN_IDS[parameter];
  if (id === undefined) throw new Error(`add a non-existent id for ${parameter} to UNKNOWN_IDS`);
  return id;
}
