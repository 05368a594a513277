import { once } from 'node:events';
import { request, type IncomingMessage, type RequestListener } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { GATEWAY_PATHS } from '@farebox/api/gateway-paths';
import { ERROR_CODES } from '@farebox/errors';
import { exchange, startEdge, type EdgeProcess } from './edge-process';
import { echo, startFakeService } from './fake-service';

const removals: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0).reverse()) await remove();
});

async function service(listener: RequestListener): Promise<string> {
  const started = await startFakeService(listener);
  removals.push(() => started.close());
  return started.address;
}

async function edgeTo(env: Record<string, string>): Promise<EdgeProcess> {
  const edge = await startEdge(env);
  removals.push(() => edge.process.stop());
  return edge;
}

const textOf = async (url: string, init?: RequestInit): Promise<string> => (await fetch(url, init)).text();

it('sends the paths of the gateways to them in turn, and everything else to the account services', async () => {
  const edge = await edgeTo({
    FAREBOX_EDGE_GATEWAY_1: await service((_req, res) => res.end('gateway')),
    FAREBOX_EDGE_GATEWAY_2: await service((_req, res) => res.end('gateway')),
    FAREBOX_EDGE_ACCOUNT_1: await service((_req, res) => res.end('account')),
    FAREBOX_EDGE_ACCOUNT_2: await service((_req, res) => res.end('account')),
  });
  for (const path of Object.values(GATEWAY_PATHS))
    expect([path, await textOf(`${edge.url}${path.replace('{model}', 'a')}?b`)]).toEqual([path, 'gateway']);
  for (const path of ['/', '/v1/balance', '/v1/modelsx', '/v1/api-keys', '/console/assets/a.js'])
    expect([path, await textOf(`${edge.url}${path}`)]).toEqual([path, 'account']);
});

it('forwards each part of a stream as it arrives, both ways', async () => {
  const edge = await edgeTo({
    FAREBOX_EDGE_GATEWAY_1: await service((req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      // Each part of the response waits for a part of the request: a proxy that buffers either would hang.
      req.on('data', (chunk) => res.write(`got ${String(chunk)}`));
      req.on('end', () => res.end());
    }),
  });
  const client = request(`${edge.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'accept-encoding': 'gzip' },
  });
  client.write('one');
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  const parts: string[] = [];
  for await (const part of response) {
    parts.push(String(part));
    if (parts.length === 1) client.write('two');
    else client.end();
  }
  expect(parts).toEqual(['got one', 'got two']);
});

it('aborts the request to the service when the client disconnects', async () => {
  let gone: (how: string) => void;
  const ended = new Promise<string>((resolve) => (gone = resolve));
  const edge = await edgeTo({
    FAREBOX_EDGE_GATEWAY_1: await service((req, res) => {
      req.resume();
      res.on('close', () => {
        gone(res.writableFinished ? 'finished' : 'cut');
      });
      res.write('first');
    }),
  });
  const client = request(`${edge.url}/v1/chat/completions`, { method: 'POST' });
  client.on('error', () => undefined);
  client.end();
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  await once(response, 'data');
  response.on('error', () => undefined);
  client.destroy();
  expect(await ended).toBe('cut');
});

it('passes on who the client is, and lets only a trusted proxy say so for another one', async () => {
  const seen: RequestListener = (req, res) => {
    const names = Object.keys(req.headers).filter((name) => /^(?:forwarded|x-forwarded-|x-real)/.test(name));
    res.end(JSON.stringify([req.headers['x-forwarded-for'], names]));
  };
  const claims = {
    'x-forwarded-for': '198.51.100.9',
    'x-forwarded-host': 'evil.example',
    'x-real-ip': '198.51.100.9',
    forwarded: 'for=198.51.100.9',
  };
  const [account, other] = [await service(seen), '127.0.0.1'];
  const strict = await edgeTo({ FAREBOX_EDGE_ACCOUNT_1: account });
  const trusting = await edgeTo({
    FAREBOX_EDGE_ACCOUNT_1: account,
    FAREBOX_EDGE_TRUSTED_PROXIES: '10.0.0.0/8 127.0.0.1',
  });
  expect(JSON.parse(await textOf(`${strict.url}/`, { headers: claims }))).toEqual([
    other,
    ['x-forwarded-for'],
  ]);
  expect(JSON.parse(await textOf(`${trusting.url}/`, { headers: claims }))).toEqual([
    `198.51.100.9, ${other}`,
    ['x-forwarded-for'],
  ]);
});

it('compresses JSON that was read, and nothing that a request has created', async () => {
  const text = JSON.stringify({ data: 'x'.repeat(5_000) });
  const edge = await edgeTo({
    FAREBOX_EDGE_ACCOUNT_1: await service((req, res) => {
      req.resume();
      res.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(text);
    }),
  });
  const read = async (method: string): Promise<[string | undefined, string]> => {
    const client = request(`${edge.url}/v1/usage`, { method, headers: { 'accept-encoding': 'gzip' } }).end();
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const coding = response.headers['content-encoding'];
    return [coding, (coding === 'gzip' ? gunzipSync(body) : body).toString()];
  };
  expect(await read('GET')).toEqual(['gzip', text]);
  expect(await read('POST')).toEqual([undefined, text]);
});

describe('an error of the edge itself', () => {
  const envelope = (code: 'service_unavailable' | 'internal_error') => {
    const { type, message } = ERROR_CODES[code];
    return { error: { message, type, param: null, code } };
  };

  it("has the shape of the services' errors, a request id, and no word about what is behind", async () => {
    const edge = await edgeTo({});
    const response = await fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
    const id = response.headers.get('x-request-id');
    expect([response.status, await response.json()]).toEqual([503, envelope('service_unavailable')]);
    expect(id).toMatch(/^req_[0-9a-f]{32}$/);
    expect(response.headers.get('x-service-request-id')).toBe(id);
    expect(response.headers.get('x-should-retry')).toBe('true');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect([response.headers.get('server'), response.headers.get('via')]).toEqual([null, null]);
  });

  it('keeps the id of the client, if it is well formed', async () => {
    const edge = await edgeTo({});
    const idFor = async (id: string) =>
      (await fetch(`${edge.url}/v1/models`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idFor('mine-1')).toBe('mine-1');
    expect(await idFor('not mine')).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it('promises nothing about the charge once a service had the request', async () => {
    const edge = await edgeTo({
      FAREBOX_EDGE_GATEWAY_1: await service((req) => req.on('end', () => req.socket.destroy()).resume()),
    });
    const response = await fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
    expect([response.status, await response.json()]).toEqual([500, envelope('internal_error')]);
  });

  it('names nothing to whom sends no HTTP', async () => {
    const edge = await edgeTo({});
    const received = await exchange(edge.port, 'NONSENSE\r\n\r\n');
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).not.toMatch(/haproxy|server|gateway|127\.0\.0\.1/i);
  });

  it("leaves a service's own errors as they are", async () => {
    const edge = await edgeTo({
      FAREBOX_EDGE_GATEWAY_1: await service((req, res) => {
        req.resume();
        res.writeHead(504, { 'x-request-id': 'req_theirs' }).end('theirs');
      }),
    });
    const response = await fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('x-request-id'), await response.text()]).toEqual([
      504,
      'req_theirs',
      'theirs',
    ]);
  });
});

it('takes bodies of 4 MiB', async () => {
  const edge = await edgeTo({ FAREBOX_EDGE_GATEWAY_1: await service(echo('one')) });
  const body = 'x'.repeat(4 * 1024 * 1024);
  expect(await textOf(`${edge.url}/v1/chat/completions`, { method: 'POST', body })).toBe(
    `one got ${String(body.length)} from 127.0.0.1`,
  );
});
