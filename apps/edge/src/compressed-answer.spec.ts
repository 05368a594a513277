import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { startEdge } from './edge-server';

const LONG = JSON.stringify({ data: Array.from({ length: 300 }, (_, i) => ({ id: `model-${String(i)}` })) });

interface Exchange {
  method?: string;
  accept?: string;
  status?: number;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

/** Asks an account service with such a response through the edge. */
async function exchange({
  method = 'GET',
  accept = 'gzip, br',
  status = 200,
  headers,
  body = LONG,
}: Exchange) {
  const service = createServer((_req, res) => {
    res.writeHead(status, { 'content-type': 'application/json', etag: '"one"', ...headers });
    res.end(body);
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const accountUrl = `http://127.0.0.1:${String((service.address() as AddressInfo).port)}`;
  const edge = await startEdge({
    ...{ host: '127.0.0.1', port: 0, gatewayUrls: [], accountUrl },
    ...{ trustedProxies: [], drainTimeoutMs: 5_000 },
  });
  try {
    const sent = request(`http://127.0.0.1:${String(edge.port)}/v1/account/models`, {
      method,
      headers: { 'accept-encoding': accept },
    });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    return { headers: answer.headers, body: Buffer.concat(parts) };
  } finally {
    service.close();
    service.closeAllConnections();
    await edge.close();
  }
}

const withLength = { 'content-length': Buffer.byteLength(LONG) };

describe('the edge', () => {
  it('compresses long JSON for a client that takes gzip', async () => {
    const { headers, body } = await exchange({ headers: withLength });
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding', etag: 'W/"one"' });
    expect(headers['content-length']).toBeUndefined();
    expect(body.length).toBeLessThan(LONG.length / 3);
    expect(gunzipSync(body).toString()).toBe(LONG);
  });

  it.each<[string, Exchange]>([
    ['for a client that refuses gzip', { headers: withLength, accept: 'br, gzip;q=0' }],
    ['for a client that names no coding', { headers: withLength, accept: '' }],
    ['that a request has created', { headers: withLength, method: 'POST' }],
    ['of an error', { headers: withLength, status: 404 }],
    ['of unknown length', {}],
    ['that must not be transformed', { headers: { ...withLength, 'cache-control': 'no-transform' } }],
    ['that is no JSON', { headers: { ...withLength, 'content-type': 'text/event-stream' } }],
    ['that is short', { body: '{"id":"model-1"}', headers: { 'content-length': 16 } }],
  ])('sends a response as it is %s', async (_, given) => {
    const { headers, body } = await exchange(given);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.etag).toBe('"one"');
    expect(body.toString()).toBe(given.body ?? LONG);
  });
});
