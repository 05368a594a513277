import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toApiError } from '@farebox/errors';
import { connectRaw, type RawClient } from '../test/raw-client';
import { closeGracefully } from './connections';
import { createHttpServer, listen } from './http-server';
import { closeLingering } from './lingering-close';
import { readJsonBody } from './read-json-body';
import { createRequestContext } from './request-context';
import { sendError } from './respond';
import { RequestBodies } from './request-bodies';

const room = () => new RequestBodies(Infinity).roomFor('account');

const MEBIBYTE = 1024 * 1024;
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => closeGracefully(server, 100)));
});

async function start(listener: RequestListener): Promise<number> {
  const server = createHttpServer(listener);
  servers.push(server);
  return await listen(server, { host: '127.0.0.1', port: 0 });
}

const refusing: RequestListener = (req, res) => {
  createRequestContext(req, res);
  readJsonBody(req, { maxBytes: 1_000, maxDepth: 4, maxValues: 100 }, room()).catch((error: unknown) => {
    sendError(res, toApiError(error));
  });
};

const head = (headers: string): string =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n`;

describe('a client who sends everything before reading', () => {
  it.each([
    ['a declared body', head(`Content-Length: ${String(6 * MEBIBYTE)}\r\n`), 413],
    ['a body in chunks', `${head('Transfer-Encoding: chunked\r\n')}${(6 * MEBIBYTE).toString(16)}\r\n`, 413],
    ['headers without an end', 'GET / HTTP/1.1\r\nHost: x\r\nX: ', 400],
  ])('gets the response to %s that is too long', async (_name, beginning, status) => {
    const client = await connectRaw(await start(refusing));
    client.socket.pause();
    await client.send(beginning);
    for (let sent = 0; sent < 6; sent++) await client.send(Buffer.alloc(MEBIBYTE, 'x'));
    client.socket.resume();
    const { received, reset } = await client.closed();
    expect(reset).toBe(false);
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
    expect(received).toContain('Connection: close');
    expect(received).toMatch(/\{"error":\{.*\}\}$/);
  });

  it('cannot run a request behind a refused one', async () => {
    let served = 0;
    const port = await start((req, res) => {
      served++;
      refusing(req, res);
    });
    const client = await connectRaw(port);
    await client.send(head('Content-Length: 2000\r\n'));
    await client.until('}}');
    await client.send(`${' '.repeat(2_000)}GET / HTTP/1.1\r\nHost: x\r\n\r\n`);
    client.socket.end();
    await client.closed();
    expect(served).toBe(1);
  });
});

it('reads from one address no less than from all the connections of another', async () => {
  const another = '127.0.0.2';
  const sockets: Socket[] = [];
  const port = await start(({ socket }) => {
    sockets.push(socket);
    closeLingering(socket, { maxBytes: 8 * MEBIBYTE, maxMs: 60_000 });
  });
  const bytesFrom = (address: string): number =>
    sockets.reduce((sum, one) => sum + (one.remoteAddress === address ? one.bytesRead : 0), 0);
  const send = async (from?: string): Promise<RawClient> => {
    const client = await connectRaw(port, from);
    client.socket.write(head(`Content-Length: ${String(4 * MEBIBYTE)}\r\n`));
    client.socket.write(Buffer.alloc(4 * MEBIBYTE));
    return client;
  };
  const clients = await Promise.all(Array.from({ length: 100 }, () => send()));
  while (sockets.length < clients.length) await nextTurn();

  const before = bytesFrom('127.0.0.1');
  clients.push(await send(another));
  while (bytesFrom(another) < 2 * MEBIBYTE) await nextTurn();
  // Each connection delivers a little before its first turn.
  expect(bytesFrom('127.0.0.1') - before).toBeLessThan(32 * MEBIBYTE);
  for (const { socket } of clients) socket.destroy();
});

describe('a client who never stops sending', () => {
  const lingering =
    (limits: { maxBytes: number; maxMs: number }): RequestListener =>
    (req) => {
      closeLingering(req.socket, limits);
    };

  it.each([
    ['', ''],
    [', the beginning of it together with the head', 'x'.repeat(50_000)],
  ])('is cut after sending too much%s', async (_name, beginning) => {
    const port = await start(lingering({ maxBytes: 100_000, maxMs: 60_000 }));
    const client = await connectRaw(port);
    client.socket.on('end', () => undefined);
    client.socket.allowHalfOpen = true;
    await client.send(`${head('Content-Length: 100000000\r\n')}${beginning}`);
    const more = setInterval(() => client.socket.write(Buffer.alloc(50_000)), 1);
    await client.closed();
    clearInterval(more);
    expect(client.socket.bytesWritten).toBeGreaterThan(100_000);
  });

  it('is cut after too long a time', async () => {
    const port = await start(lingering({ maxBytes: 100_000, maxMs: 50 }));
    const client = await connectRaw(port);
    client.socket.allowHalfOpen = true;
    await client.send(head('Content-Length: 100000000\r\n'));
    const more = setInterval(() => client.socket.write('x'), 5);
    await client.closed();
    clearInterval(more);
    expect(client.socket.bytesWritten).toBeLessThan(100_000);
  });
});
