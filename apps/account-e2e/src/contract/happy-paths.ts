import { createSignInLink } from '@farebox/accounts';
import { createFareboxClient, unwrap, type FareboxClient } from '@farebox/client';
import { givenInvoice } from './given-invoice';
import type { HappyStand } from './happy-stand';

/** How each operation is called with the typed client. Each of them is a success, or throws. */
export const HAPPY_PATHS: Readonly<Record<string, (stand: HappyStand) => Promise<unknown>>> = {
  createApiKey: ({ client }) => createKey(client),
  listApiKeys: ({ client }) => unwrap(client.GET('/v1/api-keys', { params: { query: { limit: 5 } } })),
  getApiKey: async ({ client }) => unwrap(client.GET('/v1/api-keys/{key_public_id}', await ofKey(client))),
  updateApiKey: async ({ client }) =>
    unwrap(
      client.PATCH('/v1/api-keys/{key_public_id}', {
        ...(await ofKey(client)),
        body: { monthly_spend_limit: '5.00' },
      }),
    ),
  rotateApiKey: async ({ client }) =>
    unwrap(client.POST('/v1/api-keys/{key_public_id}/rotate', { ...(await ofKey(client)), body: {} })),
  revokeApiKey: async ({ client }) =>
    unwrap(client.DELETE('/v1/api-keys/{key_public_id}', await ofKey(client))),

  listUsage: ({ client }) => unwrap(client.GET('/v1/usage', { params: { query: { start: '2026-01-01' } } })),
  summarizeUsage: ({ client }) =>
    unwrap(client.GET('/v1/usage/summary', { params: { query: { bucket: 'day' } } })),
  listUsageByModel: ({ client }) => unwrap(client.GET('/v1/usage/by-model')),
  listUsageByApiKey: ({ client }) =>
    unwrap(client.GET('/v1/usage/by-api-key', { headers: { accept: 'text/csv' }, parseAs: 'text' })),

  getBalance: ({ client }) => unwrap(client.GET('/v1/billing/balance')),
  listTransactions: ({ client }) =>
    unwrap(client.GET('/v1/billing/transactions', { params: { query: { type: 'top_up' } } })),
  listInvoices: ({ client }) => unwrap(client.GET('/v1/billing/invoices')),
  getInvoice: async ({ client, pool, accountId }) => {
    const number = await givenInvoice(pool, accountId);
    return unwrap(client.GET('/v1/billing/invoices/{number}', { params: { path: { number } } }));
  },
  listFunding: ({ client }) => unwrap(client.GET('/v1/billing/funding')),
  createCheckout: ({ client }) =>
    unwrap(client.POST('/v1/billing/funding/checkouts', { body: { amount: '25.00' } })),

  // Nobody but Stripe can sign it.
  receiveStripeEvent: async ({ deliver }) => {
    const { status } = await deliver({ id: 'evt_1', type: 'invoice.paid', object: {} });
    expect(status).toBe(200);
    return status;
  },

  registerDevice: ({ client }) => registerDevice(client),
  listDevices: ({ client }) => unwrap(client.GET('/v1/devices')),
  startDeviceSession: async ({ client }) => startDeviceSession(client),
  sendDeviceHeartbeat: async ({ client, clientOf }) => {
    const { session_token: session } = await startDeviceSession(client);
    return unwrap(clientOf(session).POST('/v1/devices/heartbeat'));
  },
  renameDevice: async ({ client }) =>
    unwrap(
      client.POST('/v1/devices/{device_id}/rename', { ...(await ofDevice(client)), body: { name: 'desk' } }),
    ),
  revokeDevice: async ({ client }) =>
    unwrap(client.POST('/v1/devices/{device_id}/revoke', await ofDevice(client))),

  requestLink: ({ client }) => unwrap(client.POST('/auth/links', { body: { email: 'ada@example.com' } })),
  showLink: async ({ client, accountId, pool }) => {
    const { token } = await createSignInLink(accountId, pool, 'sign_in');
    return unwrap(client.GET('/auth/links/{token}', { params: { path: { token } }, parseAs: 'text' }));
  },
  createSession: (stand) => signIn(stand),
  listSessions: ({ client }) => unwrap(client.GET('/auth/sessions')),
  endSession: async ({ client }) => {
    const { data } = await unwrap(client.GET('/auth/sessions'));
    const path = { session_id: data[0]?.session_id ?? '' };
    return unwrap(client.DELETE('/auth/sessions/{session_id}', { params: { path } }));
  },
  endAllSessions: async (stand) => {
    const { sessionToken } = await stand.givenCustomer();
    return unwrap(stand.clientOf(sessionToken).DELETE('/auth/sessions'));
  },
  signOut: async (stand) => {
    const { session_token: session } = await signIn(stand);
    return unwrap(stand.clientOf(session).DELETE('/auth/session'));
  },

  getHealth: ({ client }) => unwrap(client.GET('/healthz')),
  getReadiness: ({ client }) => unwrap(client.GET('/readyz')),
  getOpenApiDocument: ({ client }) => unwrap(client.GET('/openapi.json')),
  getDocsPage: ({ baseUrl }) => unwrap(createFareboxClient({ baseUrl }).GET('/docs', { parseAs: 'text' })),
};

const createKey = (client: FareboxClient) =>
  unwrap(client.POST('/v1/api-keys', { body: { name: 'laptop' } }));

async function ofKey(client: FareboxClient) {
  const { key_public_id } = await createKey(client);
  return { params: { path: { key_public_id } } };
}

const registerDevice = (client: FareboxClient) =>
  unwrap(client.POST('/v1/devices/register', { body: { name: 'laptop', platform: 'linux-x64' } }));

async function ofDevice(client: FareboxClient) {
  const { device_id } = await registerDevice(client);
  return { params: { path: { device_id } } };
}

const startDeviceSession = async (client: FareboxClient) =>
  unwrap(client.POST('/v1/devices/{device_id}/session', await ofDevice(client)));

async function signIn({ baseUrl, accountId, pool }: HappyStand) {
  const { token } = await createSignInLink(accountId, pool, 'sign_in');
  const answer = await unwrap(createFareboxClient({ baseUrl }).POST('/auth/sessions', { body: { token } }));
  if (typeof answer === 'string') throw new Error('JSON is answered with JSON');
  return answer;
}
