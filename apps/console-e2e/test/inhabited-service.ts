import { fromPublicId, SESSION_COOKIE } from '@farebox/auth';
import { issueInvoices } from '@farebox/billing';
import { givenPastCharge } from '@farebox/testing';
import type { Page } from 'playwright-core';
import type { ConsoleStack } from './console-stack';
import type { VisitOptions } from './visit';

/** The visitor of a page: a customer with everything that a page can show, one without access, or nobody. */
export type Visitor = 'customer' | 'suspended' | 'nobody';

export interface PageCase {
  path: string;
  visitor: Visitor;
  /** An action before the check, with its name: for content that is not there when a page opens. */
  first?: { name: string; act: (page: Page) => Promise<unknown> };
}

export interface InhabitedService {
  optionsOf: (visitor: Visitor) => VisitOptions;
  /** Every page, and every dialog. */
  pages: readonly PageCase[];
}

const click = (name: string, path: string): PageCase => ({
  path,
  visitor: 'customer',
  first: {
    name,
    act: async (page) => {
      await page.getByRole('button', { name, exact: true }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
});

const opening = (path: string, name: string, act: (page: Page) => Promise<unknown>): PageCase => ({
  path,
  visitor: 'customer',
  first: { name, act },
});

/** The list of a field, opened. */
const listOf = (path: string, field: string): PageCase =>
  opening(path, `the list of ${field}`, async (page) => {
    await page.getByRole('combobox', { name: field, exact: true }).click();
    await page.getByRole('option').first().waitFor();
  });

/** The menus and lists that open over a page. */
const OPENED: readonly PageCase[] = [
  opening('/', 'the menu of the account', async (page) => {
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
  }),
  listOf('/playground', 'Model'),
  ...['API key', 'Outcome', 'Model'].map((field) => listOf('/activity', field)),
  opening('/keys', 'the list of models of a new key', async (page) => {
    await page.getByRole('button', { name: 'Create key', exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Only these', { exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Chosen models' }).click();
    await page.getByRole('option').first().waitFor();
  }),
];

/** Fills the service with customers, one of them with a history, and lists the resulting pages. */
export async function inhabit(stack: ConsoleStack): Promise<InhabitedService> {
  const grace = await givenSignedIn(stack, 'grace@example.com');
  const linus = await givenSignedIn(stack, 'linus@example.com');
  await stack.admin('account', 'suspend', linus.accountId);
  const call = callerWith(stack.baseUrl, grace.sessionToken);
  const key = await call('POST', '/v1/api-keys', { name: 'Production', monthly_spend_limit: '20.00' });
  const revoked = await call('POST', '/v1/api-keys', { name: 'Old laptop' });
  await call('DELETE', `/v1/api-keys/${revoked['key_public_id'] ?? ''}`);
  await stack.admin('limit', 'set', '--key', key['key_public_id'] ?? '', '--requests', '900', '--per', '5h');
  await call('POST', '/v1/devices/register', { name: 'Laptop', platform: 'linux-x64' });
  const webhook = await call('POST', '/v1/webhooks', {
    url: 'https://hooks.example.com/',
    description: 'Slack',
  });
  const webhookPath = `/webhooks/${webhook['webhook_id'] ?? ''}`;
  await call('POST', `/v1/webhooks/${webhook['webhook_id'] ?? ''}/test`);
  await stack.db.pool.query(`UPDATE webhook_delivery SET state = 'failed', attempts = 10, ended_at = now()`);
  await call('POST', `/v1/webhooks/${webhook['webhook_id'] ?? ''}/test`);
  const number = await givenPast(stack, grace.accountId, key['key_public_id'] ?? '');
  const requests = await makeRequests(stack, call, key['key'] ?? '');

  const open = await stack.admin('account', 'invite', '--email', 'open@example.com', '--no-mail');
  const keyPath = `/keys/${key['key_public_id'] ?? ''}`;
  const ofCustomer = [
    ...['/', '/keys', keyPath, '/playground', '/models', '/activity', ...requests, '/usage', '/limits'],
    ...[
      '/usage?split=model&bucket=hour',
      ...['/billing', '/billing?tab=statements', '/billing?tab=invoices', '/billing?tab=details'],
      `/billing/invoices/${number}`,
      '/devices',
      '/security',
      ...['/webhooks', webhookPath],
      '/settings',
    ],
    '/no-such-page',
  ].map((path): PageCase => ({ path, visitor: 'customer' }));
  return {
    pages: [
      ...ofCustomer,
      ...[click('Create key', '/keys'), click('Edit', keyPath)],
      ...[click('Create webhook', '/webhooks'), click('Edit', webhookPath), click('Delete', webhookPath)],
      ...[click('Rotate', keyPath), click('Disable', keyPath), click('Revoke', keyPath)],
      ...OPENED,
      ...[click('View as code', '/playground'), click('Add funds', '/billing')],
      { path: '/sign-in', visitor: 'nobody' },
      { path: new URL(String(open['link'])).pathname, visitor: 'nobody' },
      { path: '/auth/links/lt-nothing', visitor: 'nobody' },
      { path: '/', visitor: 'suspended' },
    ],
    optionsOf: (visitor) => ({
      refusals: REFUSALS[visitor],
      ...(visitor === 'nobody' ? {} : signedIn(visitor === 'customer' ? grace : linus, stack.baseUrl)),
    }),
  };
}

/** The responses of 400 and more that each visitor gets. */
const REFUSALS: Readonly<Record<Visitor, RegExp>> = {
  customer: /^$/,
  suspended: /^403 GET \/v1\//,
  nobody: /^401 GET \/v1\/|^404 GET \/auth\/links\/lt-nothing$/,
};

export interface SignedIn {
  accountId: string;
  sessionToken: string;
}

/** A customer with a session, and with money unless their past begins before today. */
export async function givenSignedIn(
  { admin, baseUrl }: ConsoleStack,
  email: string,
  credit = ['--credit', '50.00'],
): Promise<SignedIn> {
  const invited = await admin('account', 'invite', '--email', email, ...credit, '--no-mail');
  const token = String(invited['link']).split('/').at(-1);
  const { session_token = '' } = await callerWith(baseUrl)('POST', '/auth/sessions', { token });
  return { accountId: String(invited['account_id']), sessionToken: session_token };
}

export function signedIn(customer: SignedIn, baseUrl: string): VisitOptions {
  return { storageState: { cookies: [sessionCookieOf(customer, baseUrl)], origins: [] } };
}

export function sessionCookieOf({ sessionToken }: SignedIn, baseUrl: string) {
  const cookie = { name: SESSION_COOKIE, value: sessionToken, domain: new URL(baseUrl).hostname, path: '/' };
  const rules = { expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' } as const;
  return { ...cookie, ...rules };
}

type Call = (method: string, path: string, body?: object, bearer?: string) => Promise<Record<string, string>>;

export function callerWith(baseUrl: string, sessionToken?: string): Call {
  return async (method, path, body, bearer = sessionToken) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, string>;
  };
}

/**
 * Charges in the month before last, which is always closed, and in this one. Returns the number of the
 * invoice for the former.
 */
async function givenPast(
  { db }: ConsoleStack,
  accountPublicId: string,
  keyPublicId: string,
): Promise<string> {
  const accountId = fromPublicId('acct', accountPublicId);
  const apiKeyId = fromPublicId('key', keyPublicId);
  if (accountId === undefined || apiKeyId === undefined) throw new Error('These are not public ids.');
  const now = new Date();
  const closedMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1));
  const days = [
    closedMonth,
    new Date(Math.max(now.getTime() - 3_600_000, Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))),
  ];
  for (const at of days)
    for (const modelId of ['small', 'paced'])
      await givenPastCharge(db.pool, { accountId, apiKeyId, at, modelId, costNano: 1_250_000_000n });
  await issueInvoices(db.pool, closedMonth.toISOString().slice(0, 10));
  const { rows } = await db.pool.query<{ number: string }>(
    'SELECT number FROM invoice WHERE account_id = $1',
    [accountId],
  );
  return rows[0]?.number ?? '';
}

const MODELS = ['small', 'broken', 'nothing'];
const POLL_MS = 50;
const MAX_POLLS = 1_200;

/** One successful request, one failed, one refused. Returns the paths of their pages. */
async function makeRequests(stack: ConsoleStack, call: Call, apiKey: string): Promise<string[]> {
  const messages = [{ role: 'user', content: 'Hello' }];
  for (const model of MODELS) await call('POST', '/v1/chat/completions', { model, messages }, apiKey);
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const { data } = (await call('GET', '/v1/usage?outcome=all&limit=100')) as unknown as {
      data: { id: string; outcome: string }[];
    };
    const ids = ['completed', 'failed', 'refused'].map(
      (outcome) => data.find((record) => record.outcome === outcome)?.id,
    );
    if (!ids.includes(undefined)) return ids.map((id) => `/activity/${id ?? ''}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`The usage of ${stack.baseUrl} does not list the three requests.`);
}
