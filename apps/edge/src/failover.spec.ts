import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from '@farebox/errors';
import { NOT_BEGUN_HEADER, sendError } from '@farebox/http';
import { startEdge, type Edge } from './edge-server';

const UNREACHABLE = 'http://127.0.0.1:1';
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function gateway(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, server };
}

async function edgeTo(gatewayUrls: string[], unavailable: string[] = []): Promise<Edge> {
  const config = { host: '127.0.0.1', port: 0, accountUrl: UNREACHABLE, trustedProxies: ['127.0.0.1'] };
  const edge = await startEdge({ ...config, gatewayUrls, drainTimeoutMs: 5_000 }, (url, reason) =>
    unavailable.push(`${url.origin} ${reason}`),
  );
  closing.push(() => edge.close());
  return edge;
}

/** Sends a completion, and returns status and text. */
async function ask(edge: Edge, body = 'hello'): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${String(edge.port)}/v1/chat/completions`, {
    method: 'POST',
    body,
    headers: { 'x-forwarded-for': '198.51.100.9' },
  });
  return [response.status, await response.text()];
}

const echo =
  (name: string): RequestListener =>
  (req, res) => {
    let length = 0;
    req.on('data', (chunk: Buffer) => (length += chunk.length));
    req.on('end', () =>
      res.end(`${name} got ${String(length)} from ${String(req.headers['x-forwarded-for'])}`),
    );
  };

it('sends the whole body to the next gateway if one cannot be reached', async () => {
  const unavailable: string[] = [];
  const { url } = await gateway(echo('two'));
  const edge = await edgeTo([UNREACHABLE, url], unavailable);

  for (const body of ['x'.repeat(3_000_000), 'y'])
    expect(await ask(edge, body)).toEqual([
      200,
      `two got ${String(body.length)} from 198.51.100.9, 127.0.0.1`,
    ]);
  expect(unavailable).toEqual([`${UNREACHABLE} ECONNREFUSED`]);
});

it('deprioritises a draining gateway from its first refusal on', async () => {
  const unavailable: string[] = [];
  let asked = 0;
  const draining = await gateway((_req, res) => {
    asked += 1;
    res.writeHead(503, { connection: 'close' });
    res.end('draining');
  });
  const edge = await edgeTo([draining.url, (await gateway(echo('two'))).url], unavailable);

  expect(await ask(edge)).toEqual([503, 'draining']);
  for (let i = 0; i < 3; i++) expect((await ask(edge))[0]).toBe(200);
  expect([asked, unavailable]).toEqual([1, [`${draining.url} stopping`]]);
});

/** Refuses like a draining gateway: at once, before it has read the body. */
const draining: RequestListener = (_req, res) => {
  res.setHeader(NOT_BEGUN_HEADER, 'draining').setHeader('connection', 'close');
  sendError(res, new ApiError('service_unavailable'));
};

it.each([
  ['all of it sent', 'hello'],
  ['a part of it sent', 'x'.repeat(60_000)],
])('repeats a request that a draining gateway refused, with the whole body: %s', async (_what, body) => {
  const unavailable: string[] = [];
  const stopping = await gateway(draining);
  const edge = await edgeTo([stopping.url, (await gateway(echo('two'))).url], unavailable);

  expect(await ask(edge, body)).toEqual([200, `two got ${String(body.length)} from 198.51.100.9, 127.0.0.1`]);
  expect(unavailable).toEqual([`${stopping.url} stopping`]);
});

it('sends the rest of a body to the gateway that takes over', async () => {
  let refuse: () => void = () => undefined;
  const refused = new Promise<void>((resolve) => (refuse = resolve));
  const stopping = await gateway((req, res) => {
    res.once('finish', refuse);
    draining(req, res);
  });
  const edge = await edgeTo([stopping.url, (await gateway(echo('two'))).url]);

  const client = request(`http://127.0.0.1:${String(edge.port)}/v1/chat/completions`, { method: 'POST' });
  client.write('first');
  await refused;
  client.end('rest');
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  const parts: string[] = [];
  for await (const part of response) parts.push(String(part));
  expect(parts.join('')).toBe('two got 9 from 127.0.0.1');
});

it('forwards the refusal if the body is too long to keep, or every gateway is draining', async () => {
  const stopping = [await gateway(draining), await gateway(draining)].map(({ url }) => url);
  const working = (await gateway(echo('two'))).url;
  const answers = [
    await ask(await edgeTo([stopping[0] ?? '', working]), 'x'.repeat(3_000_000)),
    await ask(await edgeTo(stopping)),
  ];

  for (const [status, text] of answers)
    expect([status, JSON.parse(text)]).toMatchObject([503, { error: { code: 'service_unavailable' } }]);
});

it('does not repeat a request that a gateway may have started to process', async () => {
  let asked = 0;
  const dying = await gateway((req) => {
    asked += 1;
    req.on('end', () => req.socket.destroy()).resume();
  });
  const other = await gateway(() => {
    asked += 1;
  });
  const edge = await edgeTo([dying.url, other.url]);

  expect((await ask(edge))[0]).toBe(503);
  expect(asked).toBe(1);
});

it('repeats a read-only request if a gateway dies during it', async () => {
  const dying = await gateway((req) => req.socket.destroy());
  const other = await gateway((req, res) => res.end(`${String(req.method)} ${String(req.url)}`));
  const edge = await edgeTo([dying.url, other.url]);

  const response = await fetch(`http://127.0.0.1:${String(edge.port)}/v1/models`);
  expect([response.status, await response.text()]).toEqual([200, 'GET /v1/models']);
});

it('responds with 503 if no gateway can be reached', async () => {
  const edge = await edgeTo([UNREACHABLE, 'http://127.0.0.1:2']);

  const [status, text] = await ask(edge);

  expect([status, JSON.parse(text)]).toMatchObject([503, { error: { code: 'service_unavailable' } }]);
});
