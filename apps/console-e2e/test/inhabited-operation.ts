import type { ConsoleStack } from './console-stack';
import { callerWith, givenSignedIn } from './inhabited-service';

/** A customer with everything that an operator looks at, and their request. */
export interface InhabitedOperation {
  accountId: string;
  suspendedId: string;
  apiKey: string;
  requestId: string;
  /** A webhook of the customer's, with an event that has failed. */
  webhookId: string;
}

export async function inhabitOperation(stack: ConsoleStack): Promise<InhabitedOperation> {
  const { admin, baseUrl } = stack;
  const grace = await givenSignedIn(stack, 'grace@example.com');
  const linus = await givenSignedIn(stack, 'linus@example.com');
  await admin('account', 'suspend', linus.accountId);
  const call = callerWith(baseUrl, grace.sessionToken);
  const { key = '' } = await call('POST', '/v1/api-keys', { name: 'Production' });
  await call('POST', '/v1/devices/register', { name: 'Laptop', platform: 'linux-x64' });
  await admin('limit', 'set', '--account', grace.accountId, '--tokens', '100000', '--per', 'minute');
  await admin('voucher', 'create', '--amount', '10', '--expires', '2099-01-31', '--note', 'Meetup', '--yes');
  await admin('account', 'fund', grace.accountId, '--amount', '3', '--reference', 'wire-9', '--yes');
  await admin('dispute', 'open', '--payment', 'wire-9', '--reference', 'case-9', '--yes');
  await admin('management-key', 'create', '--name', 'backoffice', '--role', 'viewer');
  await admin('webhook', 'create', 'https://hooks.example.com/farebox', '--description', 'Slack');
  await stack.db.pool.query(`UPDATE webhook_endpoint SET off_reason = 'failures'`);
  await admin('webhook', 'create', 'https://hooks.example.com/reviews', '--events', 'review.opened');
  const { webhook_id: webhookId = '' } = await call('POST', '/v1/webhooks', {
    url: 'https://hooks.example.com/grace/a-long-path-with-a-token-that-nobody-can-guess',
  });
  await call('POST', `/v1/webhooks/${webhookId}/test`);
  await stack.db.pool.query(
    `UPDATE webhook_delivery SET state = 'failed', attempts = 10, error = 'name_not_found', ended_at = now()`,
  );
  await stack.db.pool.query(
    `INSERT INTO catalog_schedule (id, apply_at, base_version, name, file, content, details, scheduled_by)
     SELECT gen_random_uuid(), now() + interval '3 days', version, 'december.yaml', file, '{}', '{}', 'ada@example.com'
     FROM catalog_version ORDER BY version DESC LIMIT 1`,
  );
  const requestId = await askAModel(stack, key);
  // Refused, for the reports.
  await call('POST', '/v1/chat/completions', { model: 'nothing', messages: MESSAGES }, key);
  return { accountId: grace.accountId, suspendedId: linus.accountId, apiKey: key, requestId, webhookId };
}

const MESSAGES = [{ role: 'user', content: 'Hello' }];

/** One charged request. Returns the id that its client saw. */
export async function askAModel({ baseUrl }: ConsoleStack, apiKey: string): Promise<string> {
  const { id = '' } = await callerWith(baseUrl)(
    'POST',
    '/v1/chat/completions',
    { model: 'small', messages: MESSAGES },
    apiKey,
  );
  return id;
}

/** The status of a request with this key. */
export async function statusOf({ baseUrl }: ConsoleStack, apiKey: string): Promise<number> {
  const response = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', messages: MESSAGES }),
  });
  await response.arrayBuffer();
  return response.status;
}
