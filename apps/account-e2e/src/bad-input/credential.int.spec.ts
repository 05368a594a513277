import { connect } from 'node:net';
import { createApiKeySecret, createSessionToken, fromPublicId } from '@farebox/auth';
import type { ApiKeyWithSecret } from '@farebox/api';
import {
  expectError,
  openAccountHarness,
  type AccountHarness,
  type Customer,
} from '../../test/account-harness';
import { EVERY_ENDPOINT } from '../../test/contract-harness';
import { keyHolder, type KeyHolder } from '../../test/holders';

let harness: AccountHarness;
let ada: Customer;
let keys: KeyHolder;

beforeAll(async () => {
  harness = await openAccountHarness();
  ada = await harness.givenCustomer();
  keys = keyHolder(ada);
});
afterAll(() => harness.close());

const UNAUTHENTICATED = { status: 401, code: 'authentication_error' } as const;
const PATH = '/v1/billing/balance';
const HOST = 'farebox.test';

const set = ({ key_public_id }: ApiKeyWithSecret, change: string): Promise<unknown> =>
  harness.pool.query(`UPDATE api_key SET ${change} WHERE id = $1`, [fromPublicId('key', key_public_id)]);

/** The end of a key is its checksum. */
const mistyped = (secret: string): string => secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');

describe('an API key', () => {
  it('is not a session, and the response does not reveal whether it is valid', async () => {
    const [live, expired, revoked, rotated] = await Promise.all([1, 2, 3, 4].map(() => keys.create()));
    if (!live || !expired || !revoked || !rotated) throw new Error('no keys');
    await set(expired, "expires_at = now() - interval '1 day'");
    await keys.revoke(revoked.key_public_id);
    await keys.rotate(rotated.key_public_id);
    const texts = new Set<string>();
    for (const secret of [
      ...[live, expired, revoked, rotated].map(({ key }) => key),
      ...[mistyped(live.key), createApiKeySecret(), 'ak-'],
    ]) {
      for (const headers of [{ authorization: `Bearer ${secret}` }, { cookie: `service_token=${secret}` }]) {
        const answer = await harness.send('GET', PATH, { headers });
        expectError(answer, UNAUTHENTICATED);
        texts.add(answer.text);
      }
      expectError(
        await harness.send('GET', `${PATH}?key=${secret}&authorization=${secret}`),
        UNAUTHENTICATED,
      );
    }
    expect(texts.size).toBe(1);
  });
});

describe('a session token', () => {
  it.each<[string, () => string]>([
    ['an inner space', () => `${ada.sessionToken.slice(0, 20)} ${ada.sessionToken.slice(20)}`],
    ['another scheme before it', () => `Basic ${ada.sessionToken}`],
    ['characters outside ASCII', () => Buffer.from('st-ключ🔑').toString('latin1')],
    ['other capitals', () => ada.sessionToken.toUpperCase()],
    ['an SQL quote', () => `${ada.sessionToken.slice(0, -12)}' OR '1'='1`],
  ])('is invalid with %s', async (_, token) => {
    const answer = await harness.send('GET', PATH, { headers: { authorization: `Bearer ${token()}` } });
    expectError(answer, UNAUTHENTICATED);
  });

  it('with a NUL is refused as a header: 400, in the envelope', async () => {
    const text = await sendRaw(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer st-\0\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"invalid_request_error"');
  });

  it('sent twice is refused, even if both are the same', async () => {
    const bearer = ['authorization', `Bearer ${ada.sessionToken}`];
    const answer = await harness.send('GET', PATH, { headers: ['host', 'x', ...bearer, ...bearer] });
    expectError(answer, { status: 400, code: 'invalid_request_error' });
  });

  it('counts the same for any X-Forwarded-For', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' };
    const [plain, spoofed] = [await ada.send('GET', PATH), await ada.send('GET', PATH, { headers })];
    expect([spoofed.status, spoofed.text]).toEqual([200, plain.text]);
    expect(harness.process.log.join('\n')).not.toContain('203.0.113.7');
  });
});

it('gets no further sign-in attempts through X-Forwarded-For without a trusted proxy', async () => {
  const guess = (network: string) =>
    harness.send('POST', '/auth/sessions', {
      headers: { 'x-forwarded-for': network },
      body: { token: `lt-${'g'.repeat(43)}` },
    });
  let status = 401;
  for (let tries = 0; status === 401 && tries < 400; tries++)
    status = (await guess(`10.0.${String(tries >> 8)}.${String(tries & 255)}`)).status;
  expect(status).toBe(429);
});

describe('a change by cookie', () => {
  const writing = EVERY_ENDPOINT.filter(([method]) => method !== 'GET');
  const cookie = (): string => `service_token=${ada.sessionToken}`;

  it.each(writing)('%s %s is refused from another origin, and without an origin', async (method, path) => {
    for (const origin of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `https://${HOST}:8443` },
      { 'sec-fetch-site': 'cross-site', origin: `https://${HOST}` },
      { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
      { referer: `https://${HOST}/` },
    ]) {
      const headers = { host: HOST, cookie: cookie(), ...origin };
      expectError(await harness.send(method, path, { headers }), UNAUTHENTICATED);
    }
    expect((await ada.send('GET', PATH)).status).toBe(200);
  });

  it('whose cookie disagrees with the bearer gets 400 on every endpoint', async () => {
    for (const [method, path] of EVERY_ENDPOINT) {
      const headers = { cookie: `service_token=${createSessionToken()}`, 'sec-fetch-site': 'same-origin' };
      expectError(await ada.send(method, path, { headers }), { status: 400, code: 'invalid_request_error' });
    }
  });
});

/** Sends raw bytes, and returns everything received until the connection ends. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(harness.process.port, '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.setEncoding('utf8').on('data', (piece: string) => (received += piece));
    socket.on('error', reject).on('close', () => {
      resolve(received);
    });
  });
}
