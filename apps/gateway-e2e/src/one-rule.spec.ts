import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { givenCustomer, startWholeService, type WholeService } from '../test/whole-service';

// Each rule of a key, a device and a session is changed in its one place, libs/accounts/sql/rules.sql. A customer, an
// operator and every gateway follow, without a restart.

const HALF_AN_HOUR = 1_800;
const RULES = readFileSync(join(workspaceRoot(), 'libs/accounts/sql/rules.sql'), 'utf8');

let service: WholeService;
let customer: Awaited<ReturnType<typeof givenCustomer>>;
beforeAll(async () => {
  service = await startWholeService({ gateways: 2 });
});
beforeEach(async () => {
  customer = await givenCustomer(service, `ada-${crypto.randomUUID()}@example.com`, '25.00');
});
afterEach(() => service.db.pool.query(RULES));
afterAll(() => service.close());

/** Installs the rules with one text of them replaced. */
async function withRule(text: string, replacement: string): Promise<void> {
  expect(RULES.split(text)).toHaveLength(2);
  await service.db.pool.query(RULES.replace(text, replacement));
}

interface Received {
  status: number;
  body: Record<string, unknown>;
}

async function asCustomer(method: string, path: string, body?: object): Promise<Received> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${customer.sessionToken}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** What an operator's list of the customer's keys, devices or sessions has. */
async function asOperator(noun: 'key' | 'device' | 'session'): Promise<Record<string, unknown>[]> {
  return (await service.admin(noun, 'list', customer.accountId))['data'] as Record<string, unknown>[];
}

/** What each of the gateways answers to a completion, twice: what it remembers of the key is in it. */
async function onEveryGateway(): Promise<string[]> {
  const outcomes: string[] = [];
  for (const gatewayUrl of [...service.gatewayUrls, ...service.gatewayUrls]) {
    const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 }),
    });
    const { error } = (await response.json()) as { error?: { code: string } };
    outcomes.push(error?.code ?? 'ok');
  }
  return outcomes;
}

/** What customer, operator and gateways say of the customer's key. */
async function seenOfKey() {
  return {
    customer: (await asCustomer('GET', `/v1/api-keys/${customer.keyPublicId}`)).body['status'],
    operator: (await asOperator('key'))[0]?.['status'],
    gateways: await onEveryGateway(),
  };
}

const allSee = (status: string, outcome: string) => ({
  customer: status,
  operator: status,
  gateways: [outcome, outcome, outcome, outcome],
});

it('when a key expires', async () => {
  const expires_at = Math.floor(Date.now() / 1_000) + HALF_AN_HOUR;
  await asCustomer('PATCH', `/v1/api-keys/${customer.keyPublicId}`, { expires_at });
  expect(await seenOfKey()).toEqual(allSee('active', 'ok'));
  await withRule('p_expires_at <= p_now THEN', "p_expires_at <= p_now + interval '1 hour' THEN");
  expect(await seenOfKey()).toEqual(allSee('expired', 'expired_api_key'));
});

it('when a key is revoked', async () => {
  await withRule(
    "p_revoked_at IS NOT NULL THEN 'revoked' WHEN",
    "p_revoked_at < p_now - interval '1 hour' THEN 'revoked' WHEN",
  );
  await asCustomer('DELETE', `/v1/api-keys/${customer.keyPublicId}`);
  expect(await seenOfKey()).toEqual(allSee('active', 'ok'));
  await service.db.pool.query(RULES);
  expect(await seenOfKey()).toEqual(allSee('revoked', 'invalid_api_key'));
});

it('what a device is', async () => {
  const device = (await asCustomer('POST', '/v1/devices/register', { name: 'laptop', platform: 'x' })).body;
  const seen = async () => ({
    customer: ((await asCustomer('GET', '/v1/devices')).body['data'] as { status: string }[])[0]?.status,
    session: (await asCustomer('POST', `/v1/devices/${String(device['device_id'])}/session`)).status,
    operator: (await asOperator('device'))[0]?.['status'],
  });
  expect(await seen()).toEqual({ customer: 'active', session: 201, operator: 'active' });
  await withRule("THEN 'revoked' ELSE 'active' END", "THEN 'revoked' ELSE 'revoked' END");
  expect(await seen()).toEqual({ customer: 'revoked', session: 400, operator: 'revoked' });
});

it.each([
  ['is too old', ' p_expires_at > p_now', " p_expires_at > p_now + interval '100 days'"],
  ['is idle', ' p_idle_expires_at > p_now', " p_idle_expires_at > p_now + interval '100 days'"],
  ['is revoked', 'p_revoked_at IS NULL AND', 'p_revoked_at IS NOT NULL AND'],
])('when a session %s', async (_, text, replacement) => {
  const seen = async () => ({
    customer: (await asCustomer('GET', '/v1/api-keys')).status,
    operator: (await asOperator('session')).length,
  });
  expect(await seen()).toEqual({ customer: 200, operator: 1 });
  await withRule(text, replacement);
  expect(await seen()).toEqual({ customer: 401, operator: 0 });
});
