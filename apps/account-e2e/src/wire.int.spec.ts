import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { EVERY_ENDPOINT } from '../test/contract-harness';

let harness: AccountHarness;
let ada: Customer;

beforeAll(async () => {
  harness = await openAccountHarness();
  ada = await harness.givenCustomer();
});
afterAll(() => harness.close());

const BAD_REQUEST = { status: 400, code: 'invalid_request_error' } as const;
const JSON_TYPE = { 'content-type': 'application/json' };

describe('routes', () => {
  it.each([
    '/',
    '/v1',
    '/v1/api-keys/',
    '/V1/API-KEYS',
    '/v1/api-keys/key_1/rotate/',
    '/v1/billing',
    '/v1/..%2fetc',
  ])('does not know %s', async (path) => {
    expectError(await ada.send('GET', path), { status: 404, code: 'invalid_request_error' });
  });

  it.each([
    ['PUT', '/v1/api-keys', 'GET, POST'],
    ['PUT', '/v1/api-keys/key_1', 'DELETE, GET, PATCH'],
    ['GET', '/v1/api-keys/key_1/rotate', 'POST'],
    ['POST', '/v1/billing/balance', 'GET'],
    ['DELETE', '/v1/billing/transactions', 'GET'],
    ['OPTIONS', '/v1/api-keys', 'GET, POST'],
    ['TRACE', '/v1/api-keys', 'GET, POST'],
  ])('%s is not a method of %s', async (method, path, allow) => {
    const answer = await ada.send(method, path);
    expectError(answer, { status: 405, code: 'invalid_request_error' });
    expect(String(answer.headers.allow).split(', ').sort().join(', ')).toBe(allow);
  });

  it('refuses broken percent-encoding', async () => {
    expectError(await ada.send('GET', '/v1/api-keys/%zz'), BAD_REQUEST);
  });
});

describe('headers', () => {
  const reading = (headers: string[]) => ada.send('GET', '/v1/billing/balance', { headers });

  it('may not be ambiguous', async () => {
    expectError(await reading(['host', 'a', 'host', 'b']), BAD_REQUEST);
  });

  it('may be requested alone', async () => {
    const { status, text, headers } = await ada.send('HEAD', '/v1/billing/balance');
    expect({ status, text }).toEqual({ status: 200, text: '' });
    expect(headers['content-length']).not.toBe('0');
    expect((await harness.send('HEAD', '/v1/billing/balance')).status).toBe(401);
  });
});

describe('a body', () => {
  const create = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
    ada.send('POST', '/v1/api-keys', { body, headers });

  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['half of it', '{"name":"x"'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a text', '"name"'],
    ['a byte-order mark', '\ufeff{"name":"x"}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{"name":"x"}', 'utf16le')],
    ['a NUL', '{"name":"a\\u0000b"}'],
    ['half of a surrogate pair', '{"name":"\\ud83d"}'],
    ['65 levels', `{"name":${'['.repeat(64)}${']'.repeat(64)}}`],
  ])('may not be %s', async (_, body) => {
    expectError(await create(body), BAD_REQUEST);
  });

  it('with 64 levels is refused for its field, not for its depth', async () => {
    const body = `{"name":${'['.repeat(63)}${']'.repeat(63)}}`;
    expectError(await create(body), { ...BAD_REQUEST, param: 'name' });
  });

  it('must have the content type of JSON', async () => {
    expectError(await create('{"name":"x"}', {}), BAD_REQUEST);
    expectError(await create('{"name":"x"}', { 'content-type': 'text/plain' }), BAD_REQUEST);
    expectError(await create('name=x', { 'content-type': 'application/x-www-form-urlencoded' }), BAD_REQUEST);
  });

  it('must not be compressed', async () => {
    expectError(await create('{"name":"x"}', { ...JSON_TYPE, 'content-encoding': 'gzip' }), BAD_REQUEST);
  });

  it('may have 64 KiB and no more, declared or not', async () => {
    const padded = (bytes: number): string => `{"name":"x"${' '.repeat(bytes - 12)}}`;
    expect((await create(padded(65_536))).status).toBe(201);
    const tooLarge = { status: 413, code: 'request_too_large' } as const;
    expectError(await create(padded(65_537)), tooLarge);
    expectError(await create(padded(65_537), { ...JSON_TYPE, 'transfer-encoding': 'chunked' }), tooLarge);
  });

  it('is harmless with __proto__ and with a duplicate key', async () => {
    expectError(await create('{"name":"x","__proto__":{"status":"revoked"}}'), {
      ...BAD_REQUEST,
      param: '__proto__',
    });
    const answer = await create('{"name":"first","name":"second"}');
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ name: 'second', status: 'active' });
  });
});

describe('every response', () => {
  it('carries the request id of the client if it is well formed', async () => {
    const send = (id: string) => ada.send('GET', '/v1/billing/balance', { headers: { 'x-request-id': id } });
    const kept = await send('trace.1_a-Z');
    expect(kept.headers['x-service-request-id']).toBe('trace.1_a-Z');
    expect(kept.headers['x-request-id']).toBe('trace.1_a-Z');
    for (const bad of ['a b', 'é', 'a\tb', 'x'.repeat(129)]) {
      expect((await send(bad)).headers['x-request-id']).toMatch(/^req_[0-9a-z]{26}$/);
    }
  });

  it.each(EVERY_ENDPOINT)(
    'of %s %s is not cached and reveals nothing about the server',
    async (method, path) => {
      const { headers } = await ada.send(method, path, method === 'POST' ? { body: { name: 'x' } } : {});
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('etag');
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    },
  );
});
