import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { closeGracefully, drainParsedRequests } from './connections';
import { healthRoutes } from './open-routes';
import { createHttpServer, listen } from './http-server';
import { connectRaw, type RawClient } from '../test/raw-client';
import { sendJson } from './respond';

const LONG_MS = 60_000;

let running: ServerResponse[];
let server: Server;
let port: number;
beforeEach(async () => {
  running = [];
  const health = healthRoutes({ isReady: () => false });
  server = createHttpServer((req, res) => {
    health(req, res, () => {
      if (req.url === '/quick') sendJson(res, 200, { quick: true });
      else running.push(res);
    });
  });
  port = await listen(server, { host: '127.0.0.1', port: 0 });
});

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

async function given(path: string, begins: string | undefined): Promise<[RawClient, ServerResponse]> {
  const client = await connectRaw(port);
  const before = running.length;
  const asked = new Promise<ServerResponse>((resolve) => {
    server.once('request', (_req: IncomingMessage, res: ServerResponse) => {
      resolve(res);
    });
  });
  await client.send(get(path));
  const res = await asked;
  expect(running).toHaveLength(before + 1);
  if (begins !== undefined) {
    res.write(begins);
    await client.until(begins);
  }
  return [client, res];
}

/** A connection on which one request was answered. */
async function givenIdle(): Promise<RawClient> {
  const client = await connectRaw(port);
  await client.send(get('/quick'));
  await client.until('{"quick":true}');
  return client;
}

describe('a server that is asked to close', () => {
  it('lets a stream end, and then is closed at once, including kept-alive connections', async () => {
    const idle = await givenIdle();
    const [client, res] = await given('/stream', 'one ');
    const closed = closeGracefully(server, LONG_MS);
    res.write('two ');
    await client.until('two ');
    res.end('three');
    await closed;
    const { received, reset } = await client.closed();
    expect([received.includes('three'), received.endsWith('0\r\n\r\n'), reset]).toEqual([true, true, false]);
    expect((await idle.closed()).reset).toBe(false);
  });

  it('marks a response that has not begun as the last one of its connection', async () => {
    const [client, res] = await given('/slow', undefined);
    const closed = closeGracefully(server, LONG_MS);
    sendJson(res, 200, { slow: true });
    const { received } = await client.closed();
    expect(received).toContain('Connection: close');
    expect(received.endsWith('{"slow":true}')).toBe(true);
    await closed;
  });

  it('takes no new connection, and asks new requests on open ones to retry', async () => {
    const idle = await givenIdle();
    const probe = await givenIdle();
    const [client, res] = await given('/stream', 'one');
    const closed = closeGracefully(server, LONG_MS);
    await expect(connectRaw(port)).rejects.toThrow('ECONNREFUSED');

    await idle.send(get('/quick'));
    const refused = (await idle.closed()).received;
    const answer = refused.slice(refused.lastIndexOf('HTTP/1.1'));
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    for (const header of [
      'Connection: close',
      'Retry-After: 1',
      'x-should-retry: true',
      'x-farebox-not-begun: draining',
      'X-Service-Request-Id: req_',
    ])
      expect(answer).toContain(header);
    expect(answer).toContain('"code":"service_unavailable"');

    await probe.send(get('/readyz'));
    const health = (await probe.closed()).received;
    expect(health).toContain('{"status":"not_ready"}');
    expect(health.slice(health.lastIndexOf('HTTP/1.1'))).toContain('Connection: close');

    res.end();
    await closed;
    expect((await client.closed()).reset).toBe(false);
  });

  it('refuses a request as 425 if the proxy that sent it can repeat it because of a status alone', async () => {
    const idle = await givenIdle();
    const [, res] = await given('/stream', 'one');
    const closed = closeGracefully(server, LONG_MS);
    await idle.send('GET /quick HTTP/1.1\r\nHost: x\r\nX-Farebox-Not-Begun: 425\r\n\r\n');
    const { received } = await idle.closed();
    expect(received.slice(received.lastIndexOf('HTTP/1.1'))).toMatch(/^HTTP\/1\.1 425 [^]*Connection: close/);
    res.end();
    await closed;
  });

  it('stays for a proxy that may not know yet, though nothing runs: its next request is refused, not cut', async () => {
    const toProxy = 'GET /quick HTTP/1.1\r\nHost: x\r\nX-Farebox-Not-Begun: 425\r\n\r\n';
    const [used, unused] = [await connectRaw(port), await connectRaw(port)];
    for (const client of [used, unused]) {
      await client.send(toProxy);
      await client.until('{"quick":true}');
    }
    const other = await givenIdle();
    const closed = closeGracefully(server, LONG_MS);
    await other.closed();
    await used.send(toProxy);
    const { received } = await used.closed();
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 425']);
    await closed;
    expect((await unused.closed()).received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  it('serves requests that had arrived before, read or not', async () => {
    const client = await givenIdle();
    // The system has it when the write returns, and it is not read before the next turn.
    client.socket.write(get('/quick'));
    await drainParsedRequests();
    await closeGracefully(server, LONG_MS);
    const { received } = await client.closed();
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  it('does not cut a response whose last part the client has not read yet', async () => {
    const [client, res] = await given('/stream', 'one');
    const size = 16 * 1024 * 1024;
    client.socket.pause();
    res.end(Buffer.alloc(size, 'x'));
    const closed = closeGracefully(server, LONG_MS);
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.socket.resume();
    expect((await client.closed()).received.length).toBeGreaterThan(size);
    await closed;
  });

  it('waits for a request that has partly arrived, and refuses it', async () => {
    const client = await connectRaw(port);
    await client.send('GET /quick HTTP/1.1\r\nHost: ');
    const accepted = new Promise<void>((resolve) => {
      server.getConnections(() => {
        resolve();
      });
    });
    await accepted;
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closed = closeGracefully(server, LONG_MS);
    await client.send('x\r\n\r\n');
    expect((await client.closed()).received).toMatch(/^HTTP\/1\.1 503 /);
    await closed;
  });

  it('cuts running requests at the deadline', async () => {
    const [client] = await given('/stream', 'one');
    await closeGracefully(server, 50);
    const { received } = await client.closed();
    expect(received.endsWith('0\r\n\r\n')).toBe(false);
  });
});
