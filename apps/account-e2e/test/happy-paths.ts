import { createSignInLink, toBrowserSha256 } from '@farebox/accounts';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { createFareboxClient, unwrap, type FareboxClient } from '@farebox/client';
import type { Operation } from '@farebox/api/operations';
import type { Pool } from 'pg';
import { createVouchers, issueInvoices } from '@farebox/billing';
import { closeDays, topUp } from '@farebox/ledger';
import { fromDecimalUsd, toNanoUsd } from '@farebox/money';
import {
  givenApiKey,
  givenPastCharge,
  givenPastRefund,
  givenSavedCard,
  type StripeEventFields,
} from '@farebox/testing';
import { expectDocumented, type Customer, type Received } from './account-harness';
import { openStripeHarness } from './stripe-harness';

/**
 * The client's call of an operation. An unlisted one is called with its path parameters and the first example
 * of its body.
 */
export function happyPathOf(operation: Operation): (harness: HappyHarness) => Promise<unknown> {
  return HAPPY_PATHS[operation.id] ?? ((harness) => callAsDocumented(harness, operation));
}

type UntypedCall = (path: string, init: object) => ReturnType<FareboxClient['GET']>;

async function callAsDocumented({ client }: HappyHarness, { method, path, body }: Operation) {
  const named = {
    ...(path.includes('{key_public_id}') && (await ofKey(client)).params.path),
    ...(path.includes('{device_id}') && (await ofDevice(client)).params.path),
    ...(path.includes('{webhook_id}') && { webhook_id: (await createWebhook(client)).webhook_id }),
  };
  const [example] = Object.values(body?.examples ?? {});
  const call = client[method] as unknown as UntypedCall;
  return unwrap(call(path, { params: { path: named }, ...(body && { body: example }) }));
}

/** Calls of operations with the typed client. Each succeeds, or throws. */
const HAPPY_PATHS: Readonly<Record<string, (harness: HappyHarness) => Promise<unknown>>> = {
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
  getUsage: async ({ client, pool, accountId }) => {
    const apiKeyId = await givenApiKey(pool, accountId);
    const id = await givenPastCharge(pool, { accountId, apiKeyId, at: new Date() });
    const path = { usage_id: toPublicId('chatcmpl', id) };
    return unwrap(client.GET('/v1/usage/{usage_id}', { params: { path } }));
  },
  getRequest: async ({ client, pool, accountId }) => {
    const apiKeyId = await givenApiKey(pool, accountId);
    const id = await givenPastCharge(pool, { accountId, apiKeyId, at: new Date() });
    const path = { request_id: toPublicId('req', id) };
    return unwrap(client.GET('/v1/requests/{request_id}', { params: { path } }));
  },
  summarizeUsage: ({ client }) =>
    unwrap(client.GET('/v1/usage/summary', { params: { query: { bucket: 'day' } } })),
  listUsageByModel: ({ client }) => unwrap(client.GET('/v1/usage/by-model')),
  listUsageByApiKey: ({ client }) =>
    unwrap(client.GET('/v1/usage/by-api-key', { headers: { accept: 'text/csv' }, parseAs: 'text' })),

  getBalance: ({ client }) => unwrap(client.GET('/v1/billing/balance')),
  listTransactions: ({ client }) =>
    unwrap(client.GET('/v1/billing/transactions', { params: { query: { type: 'top_up' } } })),
  listLedgerRoots: ({ client }) =>
    unwrap(client.GET('/v1/ledger/roots', { params: { query: { limit: 5 } } })),
  getTransactionProof: async ({ clientOf, pool, givenCustomer }) => {
    const { accountId, sessionToken } = await givenCustomer();
    const path = { transaction_id: await givenProvenTopUp(pool, accountId) };
    const client = clientOf(sessionToken);
    return unwrap(client.GET('/v1/billing/transactions/{transaction_id}/proof', { params: { path } }));
  },
  listInvoices: ({ client }) => unwrap(client.GET('/v1/billing/invoices')),
  getInvoice: async ({ client, pool, accountId }) => {
    const number = await givenInvoice(pool, accountId);
    return unwrap(client.GET('/v1/billing/invoices/{number}', { params: { path: { number } } }));
  },
  listPaymentReceipts: ({ client }) => unwrap(client.GET('/v1/billing/receipts')),
  getPaymentReceipt: async ({ client }) => {
    const { data } = await unwrap(client.GET('/v1/billing/receipts'));
    const path = { receipt_number: data[0]?.number ?? '' };
    return unwrap(client.GET('/v1/billing/receipts/{receipt_number}', { params: { path } }));
  },
  listCreditNotes: ({ client }) => unwrap(client.GET('/v1/billing/credit-notes')),
  getCreditNote: async ({ client, pool, accountId }) => {
    const path = { credit_note_number: await givenCreditNote(pool, accountId) };
    return unwrap(client.GET('/v1/billing/credit-notes/{credit_note_number}', { params: { path } }));
  },
  listStatements: async ({ client, pool, accountId }) => {
    await givenFunds(pool, accountId);
    return unwrap(client.GET('/v1/billing/statements'));
  },
  getStatement: async ({ client, pool, accountId }) => {
    await givenFunds(pool, accountId);
    const month = new Date().toISOString().slice(0, 'yyyy-mm'.length);
    return unwrap(client.GET('/v1/billing/statements/{month}', { params: { path: { month } } }));
  },
  listFunding: ({ client }) => unwrap(client.GET('/v1/billing/funding')),
  createCheckout: ({ client }) =>
    unwrap(client.POST('/v1/billing/funding/checkouts', { body: { amount: '25.00' } })),

  getCheckout: async ({ client }) => {
    const { id } = await unwrap(client.POST('/v1/billing/funding/checkouts', { body: { amount: '25.00' } }));
    return unwrap(
      client.GET('/v1/billing/funding/checkouts/{checkout_id}', { params: { path: { checkout_id: id } } }),
    );
  },
  redeemVoucher: async ({ client, pool }) =>
    unwrap(client.POST('/v1/billing/vouchers', { body: { code: await givenVoucherCode(pool) } })),
  enableAutomaticTopUp: async ({ client, pool, accountId }) => {
    await givenSavedCard(pool, accountId);
    const body = { threshold: '5.00', amount: '10.00', monthly_ceiling: '50.00', consent: true } as const;
    return unwrap(client.POST('/v1/billing/automatic-top-up', { body }));
  },

  // Only Stripe can sign it.
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

  resendWebhookDelivery: async ({ client, pool, accountId }) => {
    const { webhook_id } = await createWebhook(client);
    const tested = await unwrap(
      client.POST('/v1/webhooks/{webhook_id}/test', { params: { path: { webhook_id } } }),
    );
    await pool.query(
      `UPDATE webhook_delivery SET state = 'failed', ended_at = now() FROM webhook_endpoint e
       WHERE e.id = endpoint_id AND e.account_id = $1`,
      [accountId],
    );
    const path = { webhook_id, message_id: tested.message_id };
    return unwrap(
      client.POST('/v1/webhooks/{webhook_id}/deliveries/{message_id}/resend', { params: { path } }),
    );
  },

  requestLink: ({ client }) => unwrap(client.POST('/auth/links', { body: { email: 'ada@example.com' } })),
  showLink: async ({ client, accountId, pool }) => {
    const { token } = await createSignInLink(accountId, pool, 'sign_in');
    return unwrap(client.GET('/auth/links/{token}', { params: { path: { token } }, parseAs: 'text' }));
  },
  createSession: (harness) => signIn(harness),
  spendCode: async ({ client, accountId, pool }) => {
    const [email, browserToken] = [`${accountId}@example.com`, 'b'.repeat(22)];
    const browserSha256 = toBrowserSha256(email, browserToken);
    const { code = '' } = await createSignInLink(accountId, pool, 'sign_in', browserSha256);
    const headers = { cookie: `farebox_browser=${browserToken}` };
    return unwrap(client.POST('/auth/codes', { headers, body: { email, code } }));
  },
  listSessions: ({ client }) => unwrap(client.GET('/auth/sessions')),
  endSession: async ({ client }) => {
    const { data } = await unwrap(client.GET('/auth/sessions'));
    const path = { session_id: data[0]?.session_id ?? '' };
    return unwrap(client.DELETE('/auth/sessions/{session_id}', { params: { path } }));
  },
  endAllSessions: async (harness) => {
    const { sessionToken } = await harness.givenCustomer();
    return unwrap(harness.clientOf(sessionToken).DELETE('/auth/sessions'));
  },
  signOut: async (harness) => {
    const { session_token: session } = await signIn(harness);
    return unwrap(harness.clientOf(session).DELETE('/auth/session'));
  },

  getHealth: ({ client }) => unwrap(client.GET('/healthz')),
  getReadiness: ({ client }) => unwrap(client.GET('/readyz')),
  getOpenApiDocument: ({ client }) => unwrap(client.GET('/openapi.json')),
  getErrorDocs: ({ baseUrl }) =>
    unwrap(createFareboxClient({ baseUrl }).GET('/docs/errors', { parseAs: 'text' })),
  getErrorPage: ({ baseUrl }) =>
    unwrap(
      createFareboxClient({ baseUrl }).GET('/docs/errors/{code}', {
        params: { path: { code: 'rate_limit_error' } },
        parseAs: 'text',
      }),
    ),
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

const createWebhook = (client: FareboxClient) =>
  unwrap(client.POST('/v1/webhooks', { body: { url: 'https://hooks.example.com/' } }));

async function ofDevice(client: FareboxClient) {
  const { device_id } = await registerDevice(client);
  return { params: { path: { device_id } } };
}

const startDeviceSession = async (client: FareboxClient) =>
  unwrap(client.POST('/v1/devices/{device_id}/session', await ofDevice(client)));

async function signIn({ baseUrl, accountId, pool }: HappyHarness) {
  const { token } = await createSignInLink(accountId, pool, 'sign_in');
  const answer = await unwrap(createFareboxClient({ baseUrl }).POST('/auth/sessions', { body: { token } }));
  if (typeof answer === 'string') throw new Error('JSON must be answered with JSON');
  return answer;
}

/** The service with all options switched on, and a customer with the typed client. */
export interface HappyHarness {
  baseUrl: string;
  pool: Pool;
  accountId: string;
  /** With the session of the customer. */
  client: FareboxClient;
  clientOf: (session: string) => FareboxClient;
  givenCustomer: () => Promise<Customer>;
  /** Delivers an event as Stripe does. */
  deliver: (event: StripeEventFields) => Promise<Received>;
  close(): Promise<void>;
}

export async function openHappyHarness(): Promise<HappyHarness> {
  const harness = await openStripeHarness();
  const { accountId, sessionToken } = await harness.givenCustomer({ balanceNano: 50_000_000_000n });
  const baseUrl = `http://127.0.0.1:${String(harness.process.port)}`;
  const clientOf = (session: string) => createFareboxClient({ baseUrl, session, fetch: documentedFetch });
  return {
    baseUrl,
    pool: harness.pool,
    accountId,
    client: clientOf(sessionToken),
    clientOf,
    givenCustomer: () => harness.givenCustomer(),
    deliver: (event) => harness.deliver(event),
    close: () => harness.close(),
  };
}

/** `fetch` that checks the exchange on the wire. */
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

/** A top-up of an account without money, on a day that has a root. Returns its id. */
async function givenProvenTopUp(pool: Pool, accountId: string): Promise<string> {
  const [id, at] = [uuidV7(), '2020-01-01T12:00:00Z'];
  await pool.query(
    `WITH funding AS (INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
                      VALUES ($1::uuid, $2, 'manual', $1::text, 500, $3))
     SELECT ledger_append($1, $2, 'top_up', 'funding', 'customer', 500, NULL, $3)`,
    [id, accountId, at],
  );
  await pool.query('UPDATE usage_sum_state SET summed_before = greatest(summed_before, $1)', [
    '2020-01-02T00:00:00Z',
  ]);
  await closeDays(pool);
  return toPublicId('txn', id);
}

/** The code of a new voucher of ten dollars. */
export async function givenVoucherCode(pool: Pool): Promise<string> {
  const { vouchers } = await createVouchers(pool, {
    ...{ count: 1, amountNano: fromDecimalUsd('10'), mostPerAccount: null, note: null, createdBy: 'grace' },
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  return vouchers[0]?.code ?? '';
}

/** A transaction, without which an account has no statement. */
async function givenFunds(pool: Pool, accountId: string): Promise<void> {
  await topUp(pool, { accountId, amountNano: toNanoUsd(1n), method: 'manual', reference: uuidV7() });
}

/** The number of a credit note of the account, for an invoice of a month long past. */
async function givenCreditNote(pool: Pool, accountId: string): Promise<string> {
  await givenInvoice(pool, accountId);
  const charge = await pool.query<{ id: string }>(
    `SELECT id FROM usage_record WHERE account_id = $1 AND created_at = '2026-03-07'`,
    [accountId],
  );
  const at = new Date('2026-04-07T00:00:00Z');
  await givenPastRefund(pool, { accountId, chargeId: charge.rows[0]?.id ?? '', at });
  await issueInvoices(pool, '2026-04-01');
  const { rows } = await pool.query<{ number: string }>(
    'SELECT number FROM credit_note WHERE account_id = $1',
    [accountId],
  );
  return rows[0]?.number ?? '';
}

/** The number of an invoice of the account, for a month long past. */
export async function givenInvoice(pool: Pool, accountId: string): Promise<string> {
  const apiKeyId = await givenApiKey(pool, accountId);
  const at = new Date('2026-03-07T00:00:00Z');
  await givenPastCharge(pool, { accountId, apiKeyId, at, modelId: 'small', costNano: 10_500n });
  await issueInvoices(pool, '2026-03-01');
  const { rows } = await pool.query<{ number: string }>('SELECT number FROM invoice WHERE account_id = $1', [
    accountId,
  ]);
  return rows[0]?.number ?? '';
}
