import { toPublicId, uuidV7 } from '@farebox/auth';
import { OPERATIONS, type Operation } from '@farebox/openapi';
import Stripe from 'stripe';
import { openAccountStand, type AccountStand, type Customer } from '../account-stand';
import { openDatabaseProxy, type DatabaseProxy } from '../database-proxy';
import { nobodysPath } from '../every-endpoint';
import type { Received, Sent } from '../http-client';

const SECRET_KEY = 'sk_test_contract';
const WEBHOOK_SECRET = 'whsec_contract';

/** The operations that this service serves. */
export const ACCOUNT_OPERATIONS = OPERATIONS.filter(({ services }) => services.includes('account'));

/** What an operation is asked with, where it is not the usual. */
export interface Asked extends Sent {
  as?: Customer | 'nobody';
  path?: string;
}

/** The service with all that can be switched on, and a way to its database that can be cut. */
export interface ContractStand extends AccountStand {
  proxy: DatabaseProxy;
  customer: Customer;
  /** The same service, with nothing switched on. */
  plain: AccountStand;
  /** Sends a request that is right in every way, but for what is said. */
  ask(operation: Operation, asked?: Asked): Promise<Received>;
}

export async function openContractStand(): Promise<ContractStand> {
  const proxies: DatabaseProxy[] = [];
  const stand = await openAccountStand({
    urlForService: async (databaseUrl) => {
      const opened = await openDatabaseProxy(databaseUrl);
      proxies.push(opened);
      return opened.url;
    },
    environment: { FAREBOX_STRIPE_SECRET_KEY: SECRET_KEY, FAREBOX_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET },
  });
  const [proxy] = proxies;
  if (!proxy) throw new Error('the service does not go through the proxy');
  const plain = await openAccountStand();
  const customer = await stand.givenCustomer();
  return {
    ...stand,
    proxy,
    customer,
    plain,
    ask(operation, { as = customer, path = nobodysPath(operation.path), ...sent } = {}) {
      const { send } = as === 'nobody' || operation.credential === 'none' ? stand : as;
      return send(operation.method, path, { ...rightRequest(operation), ...sent });
    },
    async close() {
      await stand.close();
      await proxy.close();
      await plain.close();
    },
  };
}

/** The body of the first example, and what must go with it. */
function rightRequest({ id, body }: Operation): Sent {
  if (id === 'receiveStripeEvent') return signedEvent();
  const [example] = Object.values(body?.examples ?? {});
  return typeof example === 'object' && example !== null ? { body: example } : {};
}

/** A payment for a checkout that nobody has begun. */
function signedEvent(): Sent {
  const object = { id: 'cs_1', object: 'checkout.session', payment_status: 'paid', payment_intent: 'pi_1' };
  const more = { client_reference_id: toPublicId('chk', uuidV7()), amount_total: 500, currency: 'usd' };
  const data = { object: { ...object, ...more } };
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'checkout.session.completed', data });
  const { webhooks } = new Stripe(SECRET_KEY);
  const signature = webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET });
  return { body: payload, headers: { 'content-type': 'application/json', 'stripe-signature': signature } };
}
