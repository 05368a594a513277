import { createApiKeySecret, createSessionToken } from '@farebox/auth';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { OPERATIONS } from '@farebox/api/operations';
import { EVERY_ENDPOINT, unknownPath } from '../test/contract-harness';

let harness: AccountHarness;
let ada: Customer;

beforeAll(async () => {
  harness = await openAccountHarness();
  ada = await harness.givenCustomer();
});
afterAll(() => harness.close());

const UNAUTHENTICATED = { status: 401, code: 'authentication_error' } as const;
const BAD_REQUEST = { status: 400, code: 'invalid_request_error' } as const;
const NO_ACCESS = { status: 403, code: 'beta_access_required' } as const;

/** The only operation for an account without access. */
const SIGN_OUT = 'DELETE /auth/session';

/** Operations that also accept an API key have their tests in requests.int.spec.ts. */
const TAKE_API_KEYS = OPERATIONS.filter(({ takesApiKey }) => takesApiKey).map(({ path }) =>
  unknownPath(path),
);

describe.each(EVERY_ENDPOINT)('%s %s', (method, path) => {
  it('needs a credential', async () => {
    expectError(await harness.send(method, path), UNAUTHENTICATED);
  });

  it('refuses an API key, by design', async () => {
    const headers = { authorization: `Bearer ${createApiKeySecret()}` };
    const code = TAKE_API_KEYS.includes(path) ? 'invalid_api_key' : 'authentication_error';
    expectError(await harness.send(method, path, { headers }), { status: 401, code });
  });

  if (`${method} ${path}` === SIGN_OUT) return;
  it('refuses an account without access, before it reads the body', async () => {
    for (const inviteStatus of ['none', 'invited', 'suspended'] as const) {
      const outsider = await harness.givenCustomer({ inviteStatus });
      expectError(await outsider.send(method, path, { body: '{ not json' }), NO_ACCESS);
      const cookie = `service_token=${outsider.sessionToken}`;
      const headers = { cookie, 'sec-fetch-site': 'same-origin' };
      expectError(await harness.send(method, path, { headers }), NO_ACCESS);
    }
  });
});

it.each(['none', 'invited', 'suspended'] as const)(
  'an account that is %s can sign out',
  async (inviteStatus) => {
    const outsider = await harness.givenCustomer({ inviteStatus });
    expect((await outsider.send('DELETE', '/auth/session')).status).toBe(200);
    expectError(await outsider.send('GET', '/v1/billing/balance'), UNAUTHENTICATED);
  },
);

describe('a session', () => {
  it.each([
    ['Basic', () => 'Basic c3QtMTpzdC0x'],
    ['an empty Bearer', () => 'Bearer '],
    ['no scheme', () => ada.sessionToken],
    ['an invented token', () => `Bearer ${createSessionToken()}`],
    ['a shortened token', () => `Bearer ${ada.sessionToken.slice(0, -1)}`],
    ['an SQL quote', () => `Bearer st-' OR '1'='1`],
    ['10 KB', () => `Bearer st-${'a'.repeat(10_240)}`],
  ])('is invalid with %s', async (_, authorization) => {
    const headers = { authorization: authorization() };
    expectError(await harness.send('GET', '/v1/billing/balance', { headers }), UNAUTHENTICATED);
  });

  it('is not read from the query', async () => {
    const path = `/v1/billing/balance?token=${ada.sessionToken}&service_token=${ada.sessionToken}`;
    expectError(await harness.send('GET', path), UNAUTHENTICATED);
  });

  it('ends with its time and with its revocation', async () => {
    for (const ending of ['expires_at = now()', 'idle_expires_at = now()', 'revoked_at = now()']) {
      const customer = await harness.givenCustomer();
      expect((await customer.send('GET', '/v1/billing/balance')).status).toBe(200);
      await harness.pool.query(`UPDATE account_session SET ${ending} WHERE account_id = $1`, [
        customer.accountId,
      ]);
      expectError(await customer.send('GET', '/v1/billing/balance'), UNAUTHENTICATED);
    }
  });

  it('loses access with the very next request after a suspension', async () => {
    const customer = await harness.givenCustomer();
    expect((await customer.send('GET', '/v1/billing/balance')).status).toBe(200);
    await harness.pool.query(`UPDATE account SET invite_status = 'suspended' WHERE id = $1`, [
      customer.accountId,
    ]);
    expectError(await customer.send('GET', '/v1/billing/balance'), NO_ACCESS);
  });

  it('is refused in two Authorization headers', async () => {
    const headers = ['host', 'x', 'authorization', `Bearer ${ada.sessionToken}`];
    const twice = [...headers, 'authorization', `Bearer ${createSessionToken()}`];
    expectError(await harness.send('GET', '/v1/billing/balance', { headers: twice }), BAD_REQUEST);
  });
});

describe('the session cookie', () => {
  const cookie = (): string => `theme=dark; service_token=${ada.sessionToken}`;

  it('allows reading without an origin', async () => {
    expect((await harness.send('GET', '/v1/billing/balance', { headers: { cookie: cookie() } })).status).toBe(
      200,
    );
  });

  it.each<[string, Record<string, string>]>([
    ['no origin', {}],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['the origin null', { origin: 'null' }],
    ['another port', { origin: 'http://farebox.test:8443' }],
    ['a host that only begins the same', { origin: 'http://farebox.test.evil.example' }],
    ['a cross-site fetch', { origin: 'http://farebox.test', 'sec-fetch-site': 'cross-site' }],
    ['a same-site fetch', { 'sec-fetch-site': 'same-site' }],
  ])('does not allow writing with %s', async (_, origin) => {
    const headers = { host: 'farebox.test', cookie: cookie(), ...origin };
    expectError(
      await harness.send('POST', '/v1/api-keys', { headers, body: { name: 'x' } }),
      UNAUTHENTICATED,
    );
  });

  it.each<[string, Record<string, string>]>([
    ['the same origin', { origin: 'https://farebox.test' }],
    ['a same-origin fetch', { 'sec-fetch-site': 'same-origin' }],
    ['both', { origin: 'https://farebox.test', 'sec-fetch-site': 'same-origin' }],
  ])('allows writing with %s', async (_, origin) => {
    const headers = { host: 'farebox.test', cookie: cookie(), ...origin };
    expect((await harness.send('POST', '/v1/api-keys', { headers, body: { name: 'x' } })).status).toBe(201);
  });

  it('is refused if it disagrees with the bearer, and accepted if it agrees', async () => {
    const other = await harness.givenCustomer();
    const headers = { cookie: `service_token=${other.sessionToken}` };
    expectError(await ada.send('GET', '/v1/billing/balance', { headers }), BAD_REQUEST);
    const same = { cookie: cookie() };
    expect((await ada.send('GET', '/v1/billing/balance', { headers: same })).status).toBe(200);
    // The bearer authorises the write: no foreign page can send it.
    expect((await ada.send('POST', '/v1/api-keys', { headers: same, body: { name: 'x' } })).status).toBe(201);
  });

  it('is refused with two values', async () => {
    const headers = { cookie: `${cookie()}; service_token=${createSessionToken()}` };
    expectError(await harness.send('GET', '/v1/billing/balance', { headers }), BAD_REQUEST);
  });
});
