import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeGracefully } from './connections';
import { createHttpServer, listen } from './http-server';
import { connectRaw } from '../test/raw-client';
import { sendJson, sendJsonText } from './respond';

const SHORT_MS = 40;

/** Requests in the order in which they were begun; the test responds to them. */
let begun: { req: IncomingMessage; res: ServerResponse }[];
let server: Server;
let port: number;
beforeEach(async () => {
  begun = [];
  server = createHttpServer((req, res) => {
    begun.push({ req, res });
  });
  port = await listen(server, { host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await closeGracefully(server, 20);
});

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const urls = (): (string | undefined)[] => begun.map(({ req }) => req.url);

async function untilBegun(count: number): Promise<void> {
  while (begun.length < count) await sleep(2);
}

describe('requests on one connection', () => {
  it('are served one after the other, however they are sent', async () => {
    const client = await connectRaw(port);
    await client.send(get('/1') + get('/2') + get('/3'));
    for (const served of [1, 2, 3]) {
      await untilBegun(served);
      expect(begun).toHaveLength(served);
      const last = begun.at(-1);
      if (last) sendJson(last.res, 200, { url: last.req.url });
      await client.until(`{"url":"/${String(served)}"}`);
    }
    client.socket.destroy();
  });

  it('that waited are not cut by the time-out of the former response', async () => {
    const client = await connectRaw(port);
    await client.send(get('/1') + get('/2'));
    await untilBegun(1);
    if (begun[0]) sendJsonText(begun[0].res, 200, '{}');
    await untilBegun(2);
    await sleep(3 * SHORT_MS);
    if (begun[1]) sendJson(begun[1].res, 200, { second: true });
    await client.until('{"second":true}');
    client.socket.destroy();
  });

  it('are answered in turn even if they expect something unsupported', async () => {
    const client = await connectRaw(port);
    await client.send(get('/1') + get('/2').replace('\r\n\r\n', '\r\nExpect: miracles\r\n\r\n') + get('/3'));
    await untilBegun(1);
    if (begun[0]) sendJson(begun[0].res, 200, {});
    await untilBegun(2);
    await client.until('HTTP/1.1 400');
    expect(urls()).toEqual(['/1', '/3']);
    expect(client.received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    client.socket.destroy();
  });

  it('that wait are not begun if the client has left', async () => {
    const client = await connectRaw(port);
    await client.send(get('/1') + get('/2'));
    await untilBegun(1);
    const closed = new Promise((resolve) => begun[0]?.res.once('close', resolve));
    client.socket.destroy();
    await closed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(urls()).toEqual(['/1']);
  });

  it('that wait are not begun if the former response was the last one', async () => {
    const client = await connectRaw(port);
    await client.send(get('/1') + get('/2'));
    await untilBegun(1);
    const [first] = begun;
    first?.res.setHeader('Connection', 'close');
    if (first) sendJson(first.res, 200, {});
    await client.closed();
    expect(urls()).toEqual(['/1']);
  });

  it('have a maximum number', async () => {
    const client = await connectRaw(port);
    await client.send(Array.from({ length: 100 }, (_, i) => get(`/${String(i)}`)).join(''));
    await client.closed();
    expect(urls()).toEqual(['/0']);
  });
});

it.each([
  ['bytes that are no request', '\x01\x02 nonsense\r\n\r\n'],
  ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n'],
])('an answer that has begun is cut, not written into, where the client sends %s', async (_name, text) => {
  const client = await connectRaw(port);
  await client.send(get('/stream'));
  await untilBegun(1);
  begun[0]?.res.write('event');
  await client.until('event');
  await client.send(text);
  const { received } = await client.closed();
  expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(received).not.toContain('error');
});
