import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromPublicId } from '@farebox/auth';
import { workspaceRoot } from '@farebox/local-services';
import { givenCustomer, startWholeService, type WholeService } from '../test/whole-service';

// Each rule of a key, a device and a session is changed in its single place. Customer, operator and every
// gateway must follow: without a restart for libs/accounts/sql/rules.sql and the ledger's admission, after a
// build for code.

const HALF_AN_HOUR = 1_800;
const sqlOf = (file: string): string => readFileSync(join(workspaceRoot(), 'libs', file), 'utf8');
const RULES = sqlOf('accounts/sql/rules.sql');
const ADMISSION = sqlOf('ledger/sql/decide.sql');

let service: WholeService;
let customer: Awaited<ReturnType<typeof givenCustomer>>;
beforeAll(async () => {
  service = await startWholeService({ gateways: 2 });
});
beforeEach(async () => {
  customer = await givenCustomer(service, `ada-${crypto.randomUUID()}@example.com`, '25.00');
});
afterEach(async () => {
  await service.db.pool.query(RULES);
  await service.db.pool.query(ADMISSION);
});
afterAll(() => service.close());

/** Replaces a part of a text that must occur exactly once. */
function replaceOnce(whole: string, text: string | RegExp, replacement: string): string {
  expect(whole.split(text)).toHaveLength(2);
  return whole.replace(text, replacement);
}

/** Installs the rules, or those of a file, with one text replaced. */
async function withRule(text: string, replacement: string, sql = RULES): Promise<void> {
  await service.db.pool.query(replaceOnce(sql, text, replacement));
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

/** The operator's list of the customer's keys, devices or sessions. */
async function asOperator(noun: 'key' | 'device' | 'session'): Promise<Record<string, unknown>[]> {
  return (await service.admin(noun, 'list', customer.accountId))['data'] as Record<string, unknown>[];
}

/** Asks a gateway with the customer's key for a completion or for its cost. */
async function ask(gatewayUrl: string, path: string, model: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 }),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** Each gateway's answers to two completions, so that its memory of the key is covered. */
async function onEveryGateway(model = 'small'): Promise<string[]> {
  const outcomes: string[] = [];
  for (const gatewayUrl of [...service.gatewayUrls, ...service.gatewayUrls]) {
    const { error } = await ask(gatewayUrl, '/v1/chat/completions', model);
    outcomes.push((error as { code: string } | undefined)?.code ?? 'ok');
  }
  return outcomes;
}

/** The state of the customer's key as seen by customer, operator and gateways. */
async function seenOfKey() {
  return {
    customer: (await asCustomer('GET', `/v1/api-keys/${customer.keyPublicId}`)).body['status'],
    operator: (await asOperator('key'))[0]?.['status'],
    gateways: await onEveryGateway(),
  };
}

const onAll = (outcome: string): string[] => [outcome, outcome, outcome, outcome];

const allSee = (status: string, outcome: string) => ({
  customer: status,
  operator: status,
  gateways: onAll(outcome),
});

it('customer, operator and gateways follow a change of when a key expires', async () => {
  const expires_at = Math.floor(Date.now() / 1_000) + HALF_AN_HOUR;
  await asCustomer('PATCH', `/v1/api-keys/${customer.keyPublicId}`, { expires_at });
  expect(await seenOfKey()).toEqual(allSee('active', 'ok'));
  await withRule('p_expires_at <= p_now THEN', "p_expires_at <= p_now + interval '1 hour' THEN");
  expect(await seenOfKey()).toEqual(allSee('expired', 'expired_api_key'));
});

it('customer, operator and gateways follow a change of when a key is revoked', async () => {
  await withRule(
    "p_revoked_at IS NOT NULL THEN 'revoked' WHEN",
    "p_revoked_at < p_now - interval '1 hour' THEN 'revoked' WHEN",
  );
  await asCustomer('DELETE', `/v1/api-keys/${customer.keyPublicId}`);
  expect(await seenOfKey()).toEqual(allSee('active', 'ok'));
  await service.db.pool.query(RULES);
  expect(await seenOfKey()).toEqual(allSee('revoked', 'invalid_api_key'));
});

it('customer, operator and gateways follow a change of what a device is', async () => {
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
])('customer, operator and gateways follow a change of when a session %s', async (_, text, replacement) => {
  const seen = async () => ({
    customer: (await asCustomer('GET', '/v1/api-keys')).status,
    operator: (await asOperator('session')).length,
  });
  expect(await seen()).toEqual({ customer: 200, operator: 1 });
  await withRule(text, replacement);
  expect(await seen()).toEqual({ customer: 401, operator: 0 });
});

it("customer, operator and gateways follow a change of what counts against a key's monthly limit and an account's daily caps", async () => {
  await asCustomer('PATCH', `/v1/api-keys/${customer.keyPublicId}`, { monthly_spend_limit: '5.00' });
  const seen = async () => ({
    quoted: await Promise.all(
      service.gatewayUrls.map(async (url) => (await ask(url, '/v1/quotes', 'small'))['binds']),
    ),
    gateways: await onEveryGateway(),
  });
  expect(await seen()).toEqual({ quoted: [null, null], gateways: onAll('ok') });

  await withRule('p_amount_nano > p_month_limit_nano THEN', 'p_amount_nano > 0 THEN', ADMISSION);
  expect(await seen()).toEqual({
    quoted: ['key_month', 'key_month'],
    gateways: onAll('spending_limit_exceeded'),
  });
  await withRule('p_amount_nano > p_daily_spend_cap_nano THEN', 'p_amount_nano > 0 THEN', ADMISSION);
  expect(await seen()).toEqual({
    quoted: ['account_day', 'account_day'],
    gateways: onAll('rate_limit_error'),
  });
  await withRule('p_day_requests + 1 > p_daily_request_cap', 'p_day_requests + 1 > 0', ADMISSION);
  expect(await seen()).toEqual({
    quoted: ['account_day_requests', 'account_day_requests'],
    gateways: onAll('rate_limit_error'),
  });
});

/** Rules in code, each in one place of libs, from which all bundles include it. */
const CHANGED_CODE: [text: string, replacement: string][] = [
  // A rotated key that had expired gets its former lifetime again: here that ends before it begins.
  [
    '= expiresAt.getTime() - lifetimeStartsAt.getTime();',
    '= lifetimeStartsAt.getTime() - expiresAt.getTime();',
  ],
  // The models that an account may use: here all public ones but one.
  ['function isOffered({ visibility }, cohortName) {', '$& if (arguments[0].id === "slow") return false;'],
  // The ones that a key may use: here those not on its list.
  ['models.includes(modelId) === (', 'models.includes(modelId) !== ('],
];

/** Bundles have other spaces than the source, and lines of limited length. */
function inBundle(text: string): RegExp {
  const tokens = text.match(/\w+|\S/g) ?? [];
  return new RegExp(tokens.map((token) => token.replace(/\W/, '\\$&')).join('\\s*'));
}

describe('a change of the rules in code', () => {
  /** Gives the customer's key a list of models, and returns the status. */
  const setModels = async (mode: 'allow' | 'block', model: string): Promise<number> => {
    const body = { model_policy: { mode, models: [model] } };
    return (await asCustomer('PATCH', `/v1/api-keys/${customer.keyPublicId}`, body)).status;
  };

  /** The current service and customer as seen by customer, operator and gateways. */
  async function seenOfCode() {
    const offered = (await asCustomer('GET', '/v1/account/models')).body['data'] as { id: string }[];
    const ofAccount = {
      isListed: offered.some(({ id }) => id === 'slow'),
      asPolicy: await setModels('block', 'slow'),
      gateways: await onEveryGateway('slow'),
    };

    await setModels('allow', 'small');
    const models = await fetch(`${service.baseUrl}/v1/models`, {
      headers: { authorization: `Bearer ${customer.apiKey}` },
    });
    const { data } = (await models.json()) as { data: { id: string }[] };
    const ofKey = { listed: data.map(({ id }) => id).sort(), gateways: await onEveryGateway() };
    await asCustomer('PATCH', `/v1/api-keys/${customer.keyPublicId}`, { model_policy: null });

    await service.db.pool.query(
      `UPDATE api_key SET lifetime_starts_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'
       WHERE id = $1`,
      [fromPublicId('key', customer.keyPublicId)],
    );
    const rotated = await asCustomer('POST', `/v1/api-keys/${customer.keyPublicId}/rotate`, {});
    customer = { ...customer, apiKey: String(rotated.body['key']) };
    return { ofAccount, ofKey, rotated: await seenOfKey() };
  }

  it('changes which models an account and a key may use, and when a rotated key expires', async () => {
    expect(await seenOfCode()).toEqual({
      ofAccount: { isListed: true, asPolicy: 200, gateways: onAll('model_not_allowed') },
      ofKey: { listed: ['small'], gateways: onAll('ok') },
      rotated: allSee('active', 'ok'),
    });
  });

  describe('takes effect everywhere', () => {
    const changed = new Set<string>();
    let before: WholeService;
    beforeAll(async () => {
      before = service;
      service = await startWholeService({
        gateways: 2,
        changeCode: (code) =>
          CHANGED_CODE.reduce((soFar, [text, replacement]) => {
            const written = inBundle(text);
            if (!written.test(soFar)) return soFar;
            changed.add(text);
            return replaceOnce(soFar, written, replacement);
          }, code),
      });
    });
    afterAll(async () => {
      if (service !== before) await service.close();
      service = before;
    });

    it('for account, key and rotation', async () => {
      expect(changed.size).toBe(CHANGED_CODE.length);
      expect(await seenOfCode()).toEqual({
        ofAccount: { isListed: false, asPolicy: 400, gateways: onAll('model_not_found') },
        ofKey: { listed: ['endless', 'paced', 'slower'], gateways: onAll('model_not_allowed') },
        rotated: allSee('expired', 'expired_api_key'),
      });
    });
  });
});
