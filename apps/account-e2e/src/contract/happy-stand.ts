import { createFareboxClient, type FareboxClient } from '@farebox/client';
import type { Pool } from 'pg';
import type { Customer } from '../account-stand';
import { expectDocumented } from '../expect-documented';
import type { Received } from '../http-client';
import { openStripeStand, type StripeDelivery } from '../stripe-stand';

/** The service with all that can be switched on, and a customer with the typed client. */
export interface HappyStand {
  baseUrl: string;
  pool: Pool;
  accountId: string;
  /** With the session of the customer. */
  client: FareboxClient;
  clientOf: (session: string) => FareboxClient;
  givenCustomer: () => Promise<Customer>;
  /** Delivers an event as Stripe does. */
  deliver: (event: StripeDelivery) => Promise<Received>;
  close(): Promise<void>;
}

export async function openHappyStand(): Promise<HappyStand> {
  const stand = await openStripeStand();
  const { accountId, sessionToken } = await stand.givenCustomer({ balanceNano: 50_000_000_000n });
  const baseUrl = `http://127.0.0.1:${String(stand.process.port)}`;
  const clientOf = (session: string) => createFareboxClient({ baseUrl, session, fetch: documentedFetch });
  return {
    baseUrl,
    pool: stand.pool,
    accountId,
    client: clientOf(sessionToken),
    clientOf,
    givenCustomer: () => stand.givenCustomer(),
    deliver: (event) => stand.deliver(event),
    close: () => stand.close(),
  };
}

/** `fetch`, and a test of what went over the wire. */
async function documentedFetch(request: Request): Promise<Response> {
  const requestBody = await request.clone().text();
  const response = await fetch(request);
  const { pathname, search } = new URL(request.url);
  expectDocumented({
    method: request.method,
    target: pathname + search,
    requestBody,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: await response.clone().text(),
  });
  return response;
}
