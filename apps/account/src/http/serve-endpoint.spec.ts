import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RequestBodies, UnwrittenResponses, createRequestMeter, RequestRecorder } from '@farebox/http';
import { createLogger, quietTelemetry } from '@farebox/observability';
import { createApp } from '../app';
import type { Endpoint } from './endpoint';

const METERED = quietTelemetry();
const log = createLogger({ service: 'test', level: 'silent', destination: { write: () => undefined } });
const NOW = new Date();
const HOURS = Array.from({ length: 8_784 }, (_, i) => ({ starts_at: i, requests: 0, cost: '0.000000000' }));

let server: Server;
let origin: string;
/** Per account, how many of its requests run, and the maximum at once. */
let running: Map<string, number>;
let most: Map<string, number>;
let lookUps: { running: number; most: number };
let finish: () => void;

beforeEach(async () => {
  running = new Map();
  most = new Map();
  lookUps = { running: 0, most: 0 };
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const slow: Endpoint = {
    method: 'GET',
    path: '/v1/slow',
    body: 'none',
    async handle({ accountId }) {
      const count = (running.get(accountId) ?? 0) + 1;
      running.set(accountId, count);
      most.set(accountId, Math.max(count, most.get(accountId) ?? 0));
      if (accountId !== 'quick') await finished;
      running.set(accountId, (running.get(accountId) ?? 0) - 1);
      return { status: 200, body: {} };
    },
  };
  const long: Endpoint = {
    method: 'GET',
    path: '/v1/long',
    body: 'none',
    handle: () => Promise.resolve({ status: 200, body: { data: HOURS } }),
  };
  const endless: Endpoint = {
    method: 'GET',
    path: '/v1/endless',
    body: 'none',
    handle: () =>
      Promise.resolve({ status: 200, document: { mediaType: 'text/csv', content: endlessPieces() } }),
  };
  const app = createApp({
    ...{
      endpoints: [slow, long, endless],
      openEndpoints: [],
      keyEndpoints: [],
      findApiKey: () => Promise.resolve(undefined),
      documents: [],
      trustedProxies: [],
      memory: { bodies: new RequestBodies(Infinity), responses: new UnwrittenResponses(Infinity) },
      consoleOrigins: [],
    },
    console: { files: undefined, brand: { name: 'Test', color: undefined, logoUrl: undefined } },
    async findSession(token) {
      lookUps.most = Math.max(lookUps.most, ++lookUps.running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      lookUps.running--;
      const accountId = token.replace(/^st-\d?/, '').replace(/x+$/, '');
      const rest = { inviteStatus: 'active', deviceId: null, expiresAt: NOW, now: NOW } as const;
      return { sessionId: token, accountId, ...rest };
    },
    readiness: { isReady: () => true },
    recorder: new RequestRecorder({
      log,
      tracer: METERED.tracer,
      requests: createRequestMeter(METERED.metrics),
    }),
    log,
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const read = (who: string, path: string): Promise<Response> =>
  fetch(`${origin}${path}`, { headers: { authorization: `Bearer st-${who.padEnd(43, 'x')}` } });

async function ask(who: string): Promise<number> {
  return (await read(who, '/v1/slow')).status;
}

it('a long list is written in parts, with the same content as in one piece', async () => {
  const written = jest.spyOn(JSON, 'stringify');
  const response = await read('quick', '/v1/long');
  const text = await response.text();
  const longest = Math.max(...written.mock.results.map(({ value }) => String(value).length));
  written.mockRestore();
  expect(text).toBe(JSON.stringify({ data: HOURS }));
  expect(response.headers.get('content-length')).toBe(String(text.length));
  expect(longest).toBeLessThan(text.length / 10);
});

it('an account with many concurrent requests waits for itself, even across sessions, and blocks nobody else', async () => {
  const many = Array.from({ length: 20 }, (_, i) => ask(`${String(i % 4)}greedy`));
  while ((running.get('greedy') ?? 0) < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await ask('quick')).toBe(200);
  expect(running.get('greedy')).toBe(2);
  finish();
  expect(await Promise.all(many)).toEqual(Array(20).fill(200));
  expect(most.get('greedy')).toBe(2);
});

async function* endlessPieces(): AsyncGenerator<string> {
  for (;;) yield Promise.resolve('x'.repeat(64 * 1024));
}

it('an account whose downloads nobody reads goes on with everything but a third download', async () => {
  const downloads = [await read('busy', '/v1/endless'), await read('busy', '/v1/endless')];
  let begun = false;
  const third = read('busy', '/v1/endless').then((response) => {
    begun = true;
    return response;
  });
  finish();
  expect(await ask('busy')).toBe(200);
  expect(begun).toBe(false);
  await downloads[0]?.body?.cancel();
  downloads.push(await third);
  for (const { body } of downloads.slice(1)) await body?.cancel();
});

it('a session is looked up for two requests at a time', async () => {
  finish();
  const statuses = await Promise.all(Array.from({ length: 20 }, () => ask('quick')));
  expect(statuses).toEqual(Array(20).fill(200));
  expect(lookUps.most).toBeLessThanOrEqual(2);
});
