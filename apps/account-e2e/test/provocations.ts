import { type ErrorAnswer, type Operation, topUpOperations } from '@farebox/api/operations';
import { createApiKeySecret } from '@farebox/auth';
import type { Received } from './account-harness';
import { withBrokenDatabase, withoutDatabase } from './database-faults';
import { unknownPath, type ContractHarness } from './contract-harness';

/** Makes an operation return an error. */
export type Provocation = (harness: ContractHarness, operation: Operation) => Promise<Received>;

/** Why an error is not provoked here. */
interface NotProvoked {
  because: string;
}

const HUGE_BODY = { body: JSON.stringify({ name: 'x'.repeat(600_000) }) };
const TWO_CREDENTIALS = ['host', 'x', 'authorization', 'Bearer a', 'authorization', 'Bearer b'];
/** Longer than a header may be: the result is not a request of any operation. */
const HUGE_HEADER = { 'x-filler': 'x'.repeat(20_000) };

const callOnce: Provocation = (harness, operation) => harness.ask(operation);

const whereSwitchedOff: Provocation = async ({ plain }, { method, path }) =>
  (await plain.givenCustomer()).send(method, path, { body: {} });

/** Uses up a day's limit with rows, then sends. */
const afterRows =
  (insert: string): Provocation =>
  async (harness, operation) => {
    const customer = await harness.givenCustomer();
    await harness.pool.query(insert, [customer.accountId]);
    return harness.ask(operation, { as: customer });
  };

const afterManyChanges = afterRows(
  `INSERT INTO sign_in_throttle (subject_sha256, recovered_at)
   SELECT sha256(convert_to('["credential_change","' || $1::text || '"]', 'UTF8')), now() + interval '1 day'`,
);

const onRevokedKey: Provocation = async (harness, operation) => {
  const created = await harness.customer.send('POST', '/v1/api-keys', { body: { name: 'x' } });
  const { key_public_id } = created.json as { key_public_id: string };
  await harness.customer.send('DELETE', `/v1/api-keys/${key_public_id}`);
  return harness.ask(operation, { path: operation.path.replace('{key_public_id}', key_public_id) });
};

/** For operations that also accept an API key. */
const withApiKey = (harness: ContractHarness, { method, path }: Operation, key: string) =>
  harness.send(method, unknownPath(path), { headers: { authorization: `Bearer ${key}` } });

const withExpiredKey: Provocation = async (harness, operation) => {
  const customer = await harness.givenCustomer();
  const created = await customer.send('POST', '/v1/api-keys', { body: { name: 'x' } });
  const { key } = created.json as { key: string };
  await harness.pool.query(`UPDATE api_key SET expires_at = now() - interval '1 s' WHERE account_id = $1`, [
    customer.accountId,
  ]);
  return withApiKey(harness, operation, key);
};

const untilThrottled: Provocation = async (harness, operation) => {
  let answer = await harness.ask(operation);
  for (let i = 0; i < 200 && answer.status !== 429; i++) answer = await harness.ask(operation);
  return answer;
};

/** Looked up by operation, status and code, then by status and code. */
const PROVOCATIONS: Readonly<Record<string, Provocation | NotProvoked | undefined>> = {
  '400 invalid_request_error': (harness, { method, path }) =>
    harness.send(method, path, { headers: TWO_CREDENTIALS }),
  'getHealth 400 invalid_request_error': (harness, operation) =>
    harness.ask(operation, { headers: HUGE_HEADER }),
  'getReadiness 400 invalid_request_error': (harness, operation) =>
    harness.ask(operation, { headers: HUGE_HEADER }),
  '401 authentication_error': (harness, operation) => harness.ask(operation, { as: 'nobody' }),
  '401 invalid_api_key': (harness, operation) => withApiKey(harness, operation, createApiKeySecret()),
  '401 expired_api_key': withExpiredKey,
  '403 beta_access_required': async (harness, operation) =>
    harness.ask(operation, { as: await harness.givenCustomer({ inviteStatus: 'suspended' }) }),
  '404 api_key_not_found': callOnce,
  '404 invalid_request_error': callOnce,
  'createCheckout 404 invalid_request_error': whereSwitchedOff,
  'receiveStripeEvent 404 invalid_request_error': whereSwitchedOff,
  ...Object.fromEntries(
    Object.keys(topUpOperations).map((id) => [`${id} 404 invalid_request_error`, whereSwitchedOff]),
  ),
  '408 invalid_request_error': {
    because: 'the service waits 30 seconds for a request; libs/http provokes it with a shorter time',
  },
  '409 api_key_revoked': onRevokedKey,
  '413 request_too_large': (harness, operation) =>
    harness.ask(operation, { ...HUGE_BODY, headers: { 'content-type': 'application/json' } }),
  // The body is not read without a well-formed signature.
  'receiveStripeEvent 413 request_too_large': (harness, operation) =>
    harness.ask(operation, {
      ...HUGE_BODY,
      headers: { 'content-type': 'application/json', 'stripe-signature': `t=1,v1=${'0'.repeat(64)}` },
    }),
  'createApiKey 429 rate_limit_error': afterRows(
    `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint, revoked_at)
     SELECT gen_random_uuid(), $1, 'x', uuid_send(gen_random_uuid()), 1, 'abcd', now() FROM generate_series(1, 10000)`,
  ),
  'updateAccount 429 rate_limit_error': afterManyChanges,
  'updateBillingDetails 429 rate_limit_error': afterManyChanges,
  'updateApiKey 429 rate_limit_error': afterManyChanges,
  'enableAutomaticTopUp 429 rate_limit_error': afterManyChanges,
  'disableAutomaticTopUp 429 rate_limit_error': afterManyChanges,
  'removeCard 429 rate_limit_error': afterManyChanges,
  'rotateApiKey 429 rate_limit_error': afterManyChanges,
  'obtainPlaygroundKey 429 rate_limit_error': afterManyChanges,
  'renameDevice 429 rate_limit_error': afterManyChanges,
  'createWebhook 429 rate_limit_error': afterManyChanges,
  'updateWebhook 429 rate_limit_error': afterManyChanges,
  'deleteWebhook 429 rate_limit_error': afterManyChanges,
  'rotateWebhookSecret 429 rate_limit_error': afterManyChanges,
  'testWebhook 429 rate_limit_error': async (harness, operation) => {
    const created = await harness.customer.send('POST', '/v1/webhooks', {
      body: { url: 'https://hooks.example.com/' },
    });
    const { webhook_id } = created.json as { webhook_id: string };
    return untilThrottled(harness, { ...operation, path: `/v1/webhooks/${webhook_id}/test` });
  },
  'resendWebhookDelivery 429 rate_limit_error': async (harness, operation) => {
    const { send } = harness.customer;
    const created = await send('POST', '/v1/webhooks', { body: { url: 'https://hooks.example.com/' } });
    const path = `/v1/webhooks/${(created.json as { webhook_id: string }).webhook_id}`;
    await send('POST', '/v1/api-keys', { body: { name: 'x' } });
    const listed = await send('GET', `${path}/deliveries`);
    const [event] = (listed.json as { data: { message_id: string }[] }).data;
    return untilThrottled(harness, {
      ...operation,
      path: `${path}/deliveries/${event?.message_id ?? ''}/resend`,
    });
  },
  'startDeviceSession 429 rate_limit_error': afterManyChanges,
  'registerDevice 429 rate_limit_error': afterRows(
    `INSERT INTO device (id, account_id, name, platform, revoked_at)
     SELECT gen_random_uuid(), $1, 'x', 'x', now() FROM generate_series(1, 1000)`,
  ),
  'createCheckout 429 rate_limit_error': afterRows(
    `INSERT INTO checkout (id, account_id, amount_nano)
     SELECT gen_random_uuid(), $1, 5000000000 FROM generate_series(1, 20)`,
  ),
  'createCardSetup 429 rate_limit_error': afterRows(
    `INSERT INTO card_setup (id, account_id) SELECT gen_random_uuid(), $1 FROM generate_series(1, 20)`,
  ),
  'createSession 429 rate_limit_error': untilThrottled,
  'redeemVoucher 429 rate_limit_error': untilThrottled,
  'spendCode 401 authentication_error': (harness, operation) =>
    harness.ask(operation, { headers: { origin: 'https://evil.example' } }),
  'spendCode 429 rate_limit_error': untilThrottled,
  '500 internal_error': (harness, operation) =>
    withBrokenDatabase(harness.pool, () => harness.ask(operation)),
  '503 service_unavailable': (harness, operation) =>
    withoutDatabase(harness.proxy, () => harness.ask(operation)),
};

/** Throws for an unlisted error: every documented error needs its provocation here. */
export function provocationOf({ id }: Operation, { status, code }: ErrorAnswer): Provocation | NotProvoked {
  const key = `${String(status)} ${code}`;
  const found = PROVOCATIONS[`${id} ${key}`] ?? PROVOCATIONS[key];
  if (!found) throw new Error(`add to PROVOCATIONS how ${id} returns ${key}, or why it is not provoked`);
  return found;
}
