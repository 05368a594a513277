import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { ApiError } from '@farebox/errors';
import { sendError } from '@farebox/http';
import { startEdge, type Edge } from './edge-server';

const servers: Server[] = [];
const edges: Edge[] = [];
const UNREACHABLE = 'http://127.0.0.1:1';

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
  await Promise.all(edges.splice(0).map((edge) => edge.close()));
});

async function backend(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

async function edgeTo(urls: { gateways?: string[]; account?: string }): Promise<Edge> {
  const edge = await startEdge({
    host: '127.0.0.1',
    port: 0,
    gatewayUrls: urls.gateways ?? [UNREACHABLE],
    accountUrl: urls.account ?? UNREACHABLE,
    drainTimeoutMs: 5_000,
  });
  edges.push(edge);
  return edge;
}

const urlOf = (edge: Edge, path: string): string => `http://127.0.0.1:${String(edge.port)}${path}`;

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text;
}

it('passes method, path, body and response through, and spreads traffic over the gateways', async () => {
  const echo =
    (name: string): RequestListener =>
    (req, res) => {
      void textOf(req).then((body) => {
        res.writeHead(201, { 'x-backend': name, 'content-type': 'text/plain' });
        res.end(`${String(req.method)} ${String(req.url)} ${body}`);
      });
    };
  const edge = await edgeTo({
    gateways: [await backend(echo('one')), await backend(echo('two'))],
    account: await backend(echo('account')),
  });
  const answers: string[] = [];
  for (const path of ['/v1/chat/completions?a=%20', '/v1/chat/completions', '/v1/balance']) {
    const response = await fetch(urlOf(edge, path), { method: 'POST', body: 'hello' });
    answers.push(
      `${String(response.status)} ${response.headers.get('x-backend') ?? ''} ${await response.text()}`,
    );
  }

  expect(answers).toEqual([
    '201 one POST /v1/chat/completions?a=%20 hello',
    '201 two POST /v1/chat/completions hello',
    '201 account POST /v1/balance hello',
  ]);
});

it('forwards each part of a stream as it arrives, both ways', async () => {
  const edge = await edgeTo({
    gateways: [
      await backend((req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        // Each part of the response waits for a part of the request: a proxy that buffers either would hang.
        req.on('data', (chunk) => res.write(`got ${String(chunk)}`));
        req.on('end', () => res.end());
      }),
    ],
  });

  const client = request(urlOf(edge, '/v1/chat/completions'), { method: 'POST' });
  client.write('one');
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  const parts: string[] = [];
  for await (const chunk of response) {
    parts.push(String(chunk));
    if (parts.length === 1) client.write('two');
    else client.end();
  }

  expect(parts).toEqual(['got one', 'got two']);
});

it('aborts the request to the service when the client disconnects', async () => {
  let gone: (value: string) => void;
  const ended = new Promise<string>((resolve) => (gone = resolve));
  const edge = await edgeTo({
    gateways: [
      await backend((_req, res) => {
        res.on('close', () => {
          gone(res.writableFinished ? 'finished' : 'cut');
        });
        res.write('first');
      }),
    ],
  });
  const client = request(urlOf(edge, '/v1/chat/completions'), { method: 'POST' });
  client.on('error', () => undefined);
  client.end();
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  await once(response, 'data');

  client.destroy();

  expect(await ended).toBe('cut');
});

it("closes the client's connection when the service aborts its response", async () => {
  const edge = await edgeTo({
    gateways: [
      await backend((_req, res) => {
        res.write('first');
        setTimeout(() => res.destroy(), 20);
      }),
    ],
  });

  const response = await fetch(urlOf(edge, '/v1/models'));

  await expect(response.text()).rejects.toThrow();
});

it('shows a browser a page when the service cannot be reached', async () => {
  const edge = await edgeTo({});
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const [answer] = (await once(request(urlOf(edge, '/billing'), { headers }).end(), 'response')) as [
    IncomingMessage,
  ];
  const text = await textOf(answer);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
  expect(text).toContain('<h1>Not available at the moment</h1>');
  expect(text).toContain(String(answer.headers['x-request-id']));
});

it('responds with 503 in the error envelope when the service cannot be reached', async () => {
  const edge = await edgeTo({});

  const response = await fetch(urlOf(edge, '/v1/chat/completions'), {
    method: 'POST',
    body: 'x',
    headers: { 'x-request-id': 'mine' },
  });

  expect(response.status).toBe(503);
  expect(response.headers.get('x-request-id')).toBe('mine');
  expect(response.headers.get('x-should-retry')).toBe('true');
  expect(await response.json()).toMatchObject({
    error: { code: 'service_unavailable', type: 'service_unavailable', param: null },
  });
});

it('forwards a response that arrives before the whole body was sent', async () => {
  const edge = await edgeTo({
    account: await backend((_req, res) => {
      res.writeHead(413);
      res.end('too large');
    }),
  });
  const client = request(urlOf(edge, '/v1/api-keys'), { method: 'POST' });
  client.on('error', () => undefined);
  client.write('only the beginning');

  const [response] = (await once(client, 'response')) as [IncomingMessage];

  expect(response.statusCode).toBe(413);
  expect(response.headers.connection).toBe('close');
  expect(await textOf(response)).toBe('too large');
  client.destroy();
});

it('does not reset a client that sends its whole body before reading such a response', async () => {
  const edge = await edgeTo({
    account: await backend((_req, res) => {
      sendError(res, new ApiError('request_too_large'));
    }),
  });
  const mebibyte = 1024 * 1024;
  const socket = connect({ port: edge.port, host: '127.0.0.1' });
  socket.pause();
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(6 * mebibyte)}\r\n\r\n`);
  for (let sent = 0; sent < 6; sent++) {
    await new Promise<void>((resolve, reject) => {
      socket.write(Buffer.alloc(mebibyte), (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.resume();
  await once(socket, 'close');

  expect(received).toMatch(/^HTTP\/1\.1 413 /);
  expect(received).toContain('"code":"request_too_large"');
});

it('responds to HEAD with the headers only, and the connection stays usable', async () => {
  const edge = await edgeTo({
    account: await backend((req, res) => {
      res.setHeader('content-length', '4');
      res.end(req.method === 'HEAD' ? undefined : 'body');
    }),
  });
  const socket = connect(edge.port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.write('HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');

  expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  expect(received.endsWith('body')).toBe(true);
});

it.each([
  ['/v1/models?x=1', 'gateway'],
  ['/v1/models/sim-echo', 'gateway'],
  ['/v1/messages/count_tokens', 'gateway'],
  ['/v1/modelsx', 'account'],
  ['/x/v1/models', 'account'],
  ['/readyz', 'account'],
])('sends %s to the %s', async (path, expected) => {
  const named =
    (name: string): RequestListener =>
    (_req, res) =>
      res.end(name);
  const edge = await edgeTo({
    gateways: [await backend(named('gateway'))],
    account: await backend(named('account')),
  });
  expect(await (await fetch(urlOf(edge, path))).text()).toBe(expected);
});

it('says who the client is, whatever the client says', async () => {
  const edge = await edgeTo({
    account: await backend((req, res) => res.end(String(req.headers['x-forwarded-for']))),
  });
  const response = await fetch(urlOf(edge, '/'), { headers: { 'x-forwarded-for': '198.51.100.9' } });
  expect(await response.text()).toBe('127.0.0.1');
});

it('promises nothing about the charge once a service had the request', async () => {
  const edge = await edgeTo({
    gateways: [await backend((req) => req.on('end', () => req.socket.destroy()).resume())],
  });
  const response = await fetch(urlOf(edge, '/v1/chat/completions'), { method: 'POST', body: 'x' });
  expect([response.status, await response.json()]).toMatchObject([
    500,
    { error: { code: 'internal_error' } },
  ]);
});
