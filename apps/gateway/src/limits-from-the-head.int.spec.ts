import { connect, type Socket } from 'node:net';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../test/gateway-harness';
import { toLimiterSettings } from './limiter/request-limits';

const MEBIBYTE = 1_048_576;
const AT_ONCE = 4;
const LIMITS = { requests: 1_000, windowMs: 60_000, concurrent: AT_ONCE };

let harness: GatewayHarness;
const sockets: Socket[] = [];
beforeAll(async () => {
  harness = await startGatewayHarness({
    requestLimits: toLimiterSettings(LIMITS, { account: { concurrent: 10 }, free: { concurrent: 3 } }),
    memory: { bodiesBytes: 32 * MEBIBYTE, responsesBytes: 256 * MEBIBYTE },
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const MESSAGES = '"messages":[{"role":"user","content":"';

/** A request whose body of this length never ends, and the response so far. */
function unfinished(secret: string, path: string, bytes: number): () => string {
  const socket = connect(Number(new URL(harness.url).port), '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.on('data', (data) => (received += data.toString()));
  socket.on('error', () => undefined);
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: ${String(bytes)}\r\n\r\n{"model":"plain","max_tokens":5,${MESSAGES}`);
  return () => received;
}

const statusOf = (received: string): string => received.slice(9, 12);

async function refused(all: (() => string)[], count: number): Promise<string[]> {
  const told = (): string[] => all.map((received) => received()).filter((text) => text.includes('\r\n\r\n{'));
  await waitUntil(() => told().length >= count, 'the requests beyond the limit are refused');
  return told();
}

const ENDPOINTS = ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings', '/v1/quotes'];

describe.each(ENDPOINTS)('%s', (path) => {
  it.each([100, 3 * MEBIBYTE])(
    'refuses a key at its request limit before bodies of %d bytes have arrived',
    async (bytes) => {
      const { secret } = await harness.givenKey();
      const may = path.endsWith('quotes') ? 3 : AT_ONCE;
      const all = [];
      for (let i = 0; i < may + 2; i++) all.push(unfinished(secret, path, bytes));
      const told = await refused(all, 2);
      expect(told.map(statusOf)).toContain('429');
      expect(told.find((text) => statusOf(text) === '429')).toContain('at once');
    },
  );
});

it('token counts are refused by their own limit before their bodies have arrived', async () => {
  const { secret } = await harness.givenKey();
  const all = [];
  for (let i = 0; i < 4 * AT_ONCE + 2; i++) all.push(unfinished(secret, '/v1/messages/count_tokens', 100));
  const told = await refused(all, 2);
  expect(told.map(statusOf)).toContain('429');
});

it('an account whose keys together are at its limit is refused, and nobody else', async () => {
  const { accountId, secret } = await harness.givenKey();
  const secrets = [secret];
  for (let i = 0; i < 3; i++) secrets.push((await harness.givenKeyOf(accountId)).secret);
  const all = secrets.flatMap((one) =>
    Array.from({ length: 3 }, () => unfinished(one, '/v1/chat/completions', 100)),
  );
  const told = await refused(all, 2);
  expect(told).toHaveLength(2);
  for (const text of told)
    expect(text).toContain('This account has reached its limit of 10 requests by all of its keys');
  const other = await harness.givenKey();
  expect((await harness.complete(other.secret, 'plain')).status).toBe(200);
});

it('lists of models count as free requests', async () => {
  const { secret } = await harness.givenKey();
  await refused(
    Array.from({ length: 4 }, () => unfinished(secret, '/v1/quotes', 100)),
    1,
  );
  const response = await fetch(`${harness.url}/v1/models`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(response.status).toBe(429);
  expect(await response.text()).toContain('This account has reached its limit of 3 requests that are free');
});

/** Unfinished bodies of 3 MiB from two keys of an account. */
async function largeBodies(count: number) {
  const { accountId, secret } = await harness.givenKey();
  const secrets = [secret, (await harness.givenKeyOf(accountId)).secret];
  const all = Array.from({ length: count }, (_, i) =>
    unfinished(secrets[i % 2] ?? '', '/v1/chat/completions', 3 * MEBIBYTE),
  );
  return { secret, all };
}

async function completeLarge(secret: string): Promise<number> {
  const body = `{"model":"plain","max_tokens":5,${MESSAGES}Hello"}]}`.padEnd(4 * MEBIBYTE);
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  return (await harness.complete(secret, 'plain', undefined, { body, headers })).status;
}

it('bodies have a common limit, of which an account leaves enough for others', async () => {
  const { all } = await largeBodies(6);
  const told = await refused(all, 1);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 1\r\n[^]*"code":"service_unavailable"/i);
  expect(await completeLarge((await harness.givenKey()).secret)).toBe(200);
});

it('a body releases its memory when its request is over', async () => {
  const { secret, all } = await largeBodies(6);
  await refused(all, 1);
  expect(await completeLarge(secret)).toBe(503);
  for (const socket of sockets.splice(0)) socket.destroy();
  await waitUntil(async () => (await completeLarge(secret)) === 200, 'there is room again');
});
