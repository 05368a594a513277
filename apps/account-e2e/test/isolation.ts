import { createSession, findSession } from '@farebox/accounts';
import {
  accountEventList,
  checkoutRecord,
  creditNoteList,
  deviceRecord,
  fundingList,
  invoiceList,
  paymentReceiptList,
  webhookWithSecret,
  type WebhookTest,
} from '@farebox/api';
import { buildDocument, listAt, objectAt, objectsIn, resolve, textAt } from '@farebox/api/document';
import type { Operation } from '@farebox/api/operations';
import { fromPublicId, toPublicId } from '@farebox/auth';
import { issueInvoices } from '@farebox/billing';
import { topUp } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { givenPastCharge, givenPastRefund } from '@farebox/testing';
import { inflateSync } from 'node:zlib';
import type { AccountHarness, Customer, Received, Send, Sent } from './account-harness';
import { deviceHolder, keyHolder } from './holders';

/** A person with one object of every kind. */
export interface Owner {
  customer: Customer;
  ids: Record<ObjectKind, string>;
  /** Names, addresses, ids in both forms and secrets that occur only in their objects. */
  canaries: string[];
}

const FUNDED_NANO = toNanoUsd(777_777_777n);

/**
 * `name` goes into everything that they name. Their usage is in `month` (1 to 12) of 2026, and they get its
 * invoice.
 */
export async function givenOwner(harness: AccountHarness, name: string, month: number): Promise<Owner> {
  const { pool } = harness;
  const customer = await harness.givenCustomer();
  const { accountId } = customer;
  await pool.query('UPDATE account SET name = $2, email = $3 WHERE id = $1', [
    ...[accountId, `name-of-${name}`, `${name}@example.org`],
  ]);
  await customer.send('PATCH', '/v1/billing/details', { body: { legal_name: `company-of-${name}` } });
  const { fundingId } = await topUp(pool, {
    ...{ accountId, amountNano: FUNDED_NANO, method: 'manual', reference: `reference-of-${name}` },
  });

  const { key, key_public_id: apiKey } = await keyHolder(customer).create({ name: `key-of-${name}` });
  const usedModel = `model-of-${name}`;
  const chargeId = await givenPastCharge(pool, {
    ...{ accountId, apiKeyId: fromPublicId('key', apiKey) ?? '', modelId: usedModel },
    ...{ at: new Date(Date.UTC(2026, month - 1, 7)), costNano: 1_234_567n },
  });
  await givenRoot(pool, chargeId);
  await issueInvoices(pool, `2026-${String(month).padStart(2, '0')}-01`);
  const refundedAt = new Date(Date.UTC(2026, month, 7));
  await givenPastRefund(pool, { accountId, chargeId, at: refundedAt });
  await issueInvoices(pool, `2026-${String(month + 1).padStart(2, '0')}-01`);

  const devices = deviceHolder(harness, customer);
  const device = deviceRecord.parse(
    await devices.register({ name: `device-of-${name}`, platform: `platform-of-${name}` }),
  );
  const deviceSide = await devices.signIn(device.device_id);
  const session = await givenSession(harness, accountId, `agent-of-${name}`);
  const webhook = webhookWithSecret.parse(
    (await customer.send('POST', '/v1/webhooks', { body: { url: `https://${name}.example.org/` } })).json,
  );
  const tested = await customer.send('POST', `/v1/webhooks/${webhook.webhook_id}/test`);
  const { message_id: delivery } = tested.json as WebhookTest;

  const firstInvoice = invoiceList.parse((await customer.send('GET', '/v1/billing/invoices')).json).first_id;
  const events = accountEventList.parse((await customer.send('GET', '/v1/account/events')).json);
  const firstFunding = fundingList.parse((await customer.send('GET', '/v1/billing/funding')).json).first_id;
  const firstNote = creditNoteList.parse(
    (await customer.send('GET', '/v1/billing/credit-notes')).json,
  ).first_id;
  const firstReceipt = paymentReceiptList.parse(
    (await customer.send('GET', '/v1/billing/receipts')).json,
  ).first_id;
  const paying = await customer.send('POST', '/v1/billing/funding/checkouts', { body: { amount: '5.00' } });
  const checkout = checkoutRecord.parse(paying.json);
  expect(firstFunding).toBe(toPublicId('fund', fundingId));
  const ids: Owner['ids'] = {
    api_key: apiKey,
    device: device.device_id,
    session: session.id,
    event: String(events.first_id),
    invoice: String(firstInvoice),
    receipt: String(firstReceipt),
    credit_note: String(firstNote),
    checkout: checkout.id,
    transaction: toPublicId('txn', chargeId),
    funding: String(firstFunding),
    usage_record: toPublicId('chatcmpl', chargeId),
    used_model: usedModel,
    webhook: webhook.webhook_id,
    delivery,
  };
  const secrets = [key, webhook.secret, customer.sessionToken, deviceSide.sessionToken, session.token];
  const uuids = [accountId, chargeId, fundingId];
  const canaries = [name, ...Object.values(ids), toPublicId('acct', accountId), ...uuids, ...secrets];
  return { customer, ids, canaries };
}

/** The root of the day of an entry, as if it were the only one: its hashes do not matter here. */
async function givenRoot(pool: AccountHarness['pool'], entryId: string): Promise<void> {
  await pool.query(
    `WITH entry AS (SELECT *, (created_at AT TIME ZONE 'UTC')::date AS day FROM ledger_entry WHERE id = $1),
          root AS (INSERT INTO ledger_root (day, root, previous, groups, entries, amount_nano, closed_at)
                   SELECT day, sha256('root'), sha256('previous'), sha256('group'), 1, amount_nano, now() FROM entry)
     INSERT INTO ledger_root_block (day, position, account_id, first_seq, entries, amount_nano, hash)
     SELECT day, 0, account_id, seq, 1, amount_nano, sha256('block') FROM entry`,
    [entryId],
  );
}

/** Another session of an account. */
export async function givenSession(
  { pool }: AccountHarness,
  accountId: string,
  userAgent: string,
): Promise<{ id: string; token: string }> {
  const { token } = await createSession(accountId, pool, { caller: { network: null, userAgent } });
  const session = await findSession(pool, token);
  return { id: toPublicId('sess', session?.sessionId ?? ''), token };
}

/** Every row of an account in any table, in a fixed order. */
export async function rowsOf(
  { pool }: AccountHarness,
  accountId: string,
): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.column_name = 'account_id' AND c.table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const found: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const sql = `SELECT to_jsonb(t)::text AS row FROM ${name} t WHERE account_id = $1 ORDER BY 1`;
    found[name] = (await pool.query<{ row: string }>(sql, [accountId])).rows.map(({ row }) => row);
  }
  return found;
}

/** The bodies of the operations that need one. */
const BODIES: Readonly<Record<string, object | undefined>> = {
  updateAccount: { low_balance_threshold: '5.00' },
  createApiKey: { name: 'changed' },
  updateApiKey: { name: 'changed', model_policy: null },
  registerDevice: { name: 'changed', platform: 'x' },
  renameDevice: { name: 'changed' },
  createWebhook: { url: 'https://changed.example.org/' },
  updateWebhook: { description: 'changed' },
  createCheckout: { amount: '5.00' },
  updateBillingDetails: { purchase_order: '4711' },
  redeemVoucher: { code: 'K7QM-2XRT-9ABC-DEFG-HJKM' },
  enableAutomaticTopUp: { threshold: '5.00', amount: '5.00', monthly_ceiling: '5.00', consent: true },
};

/** The months with usage of the harness's owners. */
const RANGE = 'start=2026-01-01&end=2026-04-01';
const LONGEST_PAGE = 'limit=100';

export interface Asked {
  operation: Operation;
  /** For the parameters of the path. */
  ids: Record<ObjectKind, string>;
  accept?: string;
  /** The raw query. */
  query?: string;
  /** Used if the sender has none. */
  sessionToken?: string;
}

/**
 * Sends an operation's request, always with the same id, so that answers can be compared with their headers.
 */
export function askOperation(
  send: Send,
  { operation, ids, accept, query, sessionToken }: Asked,
): Promise<Received> {
  const { id, method, body, path } = operation;
  if (body?.isRequired && BODIES[id] === undefined) throw new Error(`add the body of ${id} to BODIES`);
  const kinds = new Map(referencesOf(operation).map(({ name, kind }) => [name, kind]));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'month') return new Date().toISOString().slice(0, 'yyyy-mm'.length);
    const kind = kinds.get(name);
    return kind === undefined ? '' : ids[kind];
  });
  const range = hasQuery(operation, 'start') ? [RANGE] : [];
  // As CSV, a list is whole without it.
  const limit = hasQuery(operation, 'limit') && accept !== 'text/csv' ? [LONGEST_PAGE] : [];
  const search = [...range, ...limit, ...(query === undefined ? [] : [query])].join('&');
  const sent: Sent = {
    headers: {
      'x-request-id': 'isolation',
      ...(accept !== undefined && { accept }),
      ...(sessionToken !== undefined && { authorization: `Bearer ${sessionToken}` }),
      ...(BODIES[id] && { 'content-type': 'application/json' }),
    },
    ...(BODIES[id] && { body: BODIES[id] }),
  };
  return send(method, search === '' ? filled : `${filled}?${search}`, sent);
}

/** The formats of an operation's answers. */
export function formsOf({ answers }: Operation): string[] {
  return [...new Set(answers.flatMap(({ contents }) => contents.map(({ mediaType }) => mediaType)))];
}

/** The content of an answer, including its headers, in plain text. */
export function textOf(answer: Received): string {
  const isPdf = answer.headers['content-type'] === 'application/pdf' && answer.status === 200;
  return JSON.stringify(answer.headers) + (isPdf ? textsOfPdf(answer.bytes) : answer.text);
}

/** The kinds of objects that an account has and a request can name. */
export type ObjectKind =
  | 'api_key'
  | 'device'
  | 'session'
  | 'event'
  | 'invoice'
  | 'receipt'
  | 'credit_note'
  | 'checkout'
  | 'transaction'
  | 'funding'
  | 'usage_record'
  | 'used_model'
  | 'webhook'
  | 'delivery';

/** A parameter of an operation that names an object of the account. */
export interface Reference {
  place: 'path' | 'query';
  name: string;
  kind: ObjectKind;
}

const NAMED_BY: Readonly<Record<string, ObjectKind | undefined>> = {
  key_public_id: 'api_key',
  device_id: 'device',
  webhook_id: 'webhook',
  message_id: 'delivery',
  session_id: 'session',
  usage_id: 'usage_record',
  request_id: 'usage_record',
  number: 'invoice',
  receipt_number: 'receipt',
  credit_note_number: 'credit_note',
  checkout_id: 'checkout',
  transaction_id: 'transaction',
  model: 'used_model',
};

/** The object kind that a list's cursor names. */
const CURSOR_OF: Readonly<Record<string, ObjectKind | undefined>> = {
  listApiKeys: 'api_key',
  listUsage: 'usage_record',
  listTransactions: 'transaction',
  listInvoices: 'invoice',
  listPaymentReceipts: 'receipt',
  listCreditNotes: 'credit_note',
  listFunding: 'funding',
  listDevices: 'device',
  listWebhooks: 'webhook',
  listWebhookDeliveries: 'delivery',
  listSessions: 'session',
  listAccountEvents: 'event',
};
const CURSOR = 'after';

/** They name no object of an account. */
const PLAIN_PARAMETERS = [
  'limit',
  'start',
  'end',
  'bucket',
  'type',
  'format',
  'status',
  'outcome',
  'month',
  'search',
  'include',
  'only',
];
/** Lists that go on after a month. */
const BY_MONTH = ['listStatements'];
/** The models of a policy are those of the catalogue: api-key-models.int.spec.ts. The code of a voucher: vouchers.int.spec.ts. */
const PLAIN_FIELDS = [
  ...['name', 'platform', 'amount', 'monthly_spend_limit', 'expires_at', 'model_policy'],
  ...['language', 'low_balance_threshold', 'allowed_origins', 'shows_account_limits', 'disabled'],
  ...['legal_name', 'address', 'country', 'tax_id', 'purchase_order', 'billing_email'],
  ...['threshold', 'monthly_ceiling', 'consent', 'code'],
  ...['url', 'description', 'event_types', 'enabled'],
];

const document = buildDocument();

/**
 * The parameters that name an object, according to the document. Throws for a parameter or field missing from
 * these tables.
 */
export function referencesOf(operation: Operation): Reference[] {
  const described = objectAt(document.paths[operation.path] ?? {}, operation.method.toLowerCase());
  for (const field of fieldsOf(objectAt(described, 'requestBody')))
    if (!PLAIN_FIELDS.includes(field)) throw unknown(operation, field);
  return listAt(described, 'parameters')
    .map((parameter) => resolve(document, parameter))
    .flatMap((parameter): Reference[] => {
      const place = textAt(parameter, 'in');
      const name = textAt(parameter, 'name');
      if (place !== 'path' && place !== 'query') return [];
      if (PLAIN_PARAMETERS.includes(name) || (name === CURSOR && BY_MONTH.includes(operation.id))) return [];
      const kind = name === CURSOR ? CURSOR_OF[operation.id] : NAMED_BY[name];
      if (kind === undefined) throw unknown(operation, name);
      return [{ place, name, kind }];
    });
}

function fieldsOf(requestBody: Parameters<typeof objectAt>[0]): string[] {
  return objectsIn(objectAt(requestBody, 'content')).flatMap(([, content]) => {
    const schema = resolve(document, objectAt(content, 'schema'));
    return Object.keys(objectAt(schema, 'properties'));
  });
}

function unknown({ id }: Operation, name: string): Error {
  return new Error(`declare in ${__filename} whether '${name}' of ${id} names an object of an account`);
}

/** Whether the document names a query parameter of an operation. */
export function hasQuery({ path, method }: Operation, name: string): boolean {
  const described = objectAt(document.paths[path] ?? {}, method.toLowerCase());
  return listAt(described, 'parameters').some(
    (parameter) => textAt(resolve(document, parameter), 'name') === name,
  );
}

/** A compressed stream. The description of the document is not. */
const DRAWN = /\/FlateDecode[^>]*>>\s*stream\r?\n([\s\S]*?)\r?\nendstream/g;

/** The texts that a PDF draws, one after the other. */
export function textsOfPdf(pdf: Buffer): string {
  const texts: string[] = [];
  for (const [, stream] of pdf.toString('latin1').matchAll(DRAWN)) {
    const drawn = inflateSync(Buffer.from(stream ?? '', 'latin1')).toString('latin1');
    for (const [, hex] of drawn.matchAll(/<([0-9a-f]+)>/g))
      texts.push(Buffer.from(hex ?? '', 'hex').toString('latin1'));
  }
  return texts.join('');
}
