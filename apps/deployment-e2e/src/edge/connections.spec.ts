import { connect, type Socket } from 'node:net';
import { waitUntil } from '@farebox/testing';
import { startEdge, type EdgeProcess } from './edge-process';
import { startFakeService, type FakeService } from './fake-service';

const MOST = 5;
const EDGE = '127.0.0.1';
const PROXY = '127.0.0.9';

let service: FakeService;
let edge: EdgeProcess;
const sockets: Socket[] = [];
beforeAll(async () => {
  service = await startFakeService((_req, res) => res.end('served'));
  edge = await startEdge({
    FAREBOX_EDGE_CONNECTIONS_PER_ADDRESS: String(MOST),
    FAREBOX_EDGE_ACCOUNT_1: service.address,
    FAREBOX_EDGE_TRUSTED_PROXIES: PROXY,
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await edge.process.stop();
  await service.close();
});

function open(localAddress: string): Socket {
  const socket = connect({ port: edge.port, host: EDGE, localAddress });
  sockets.push(socket);
  socket.on('error', () => undefined);
  return socket;
}

/** The status line of a response, after which the connection stays open, or that it was closed. */
function ask(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (data) => {
      resolve(String(data).split('\r\n')[0] ?? '');
    });
    socket.once('close', () => {
      resolve('closed');
    });
    if (socket.destroyed) resolve('closed');
    else socket.write('GET /v1/balance HTTP/1.1\r\nhost: a\r\n\r\n');
  });
}

const SERVED = 'HTTP/1.1 200 OK';

it('an address that has used up its connections keeps nobody else out, and gets one again for each that ends', async () => {
  const [kept, ended] = [open('127.0.0.2'), open('127.0.0.2')];
  const idle = [kept, ended, ...Array.from({ length: MOST - 2 }, () => open('127.0.0.2'))];
  for (const socket of idle) expect(await ask(socket)).toBe(SERVED);
  expect(await ask(open('127.0.0.2'))).toBe('closed');
  expect(await ask(open('127.0.0.3'))).toBe(SERVED);
  expect(await ask(kept)).toBe(SERVED);
  ended.destroy();
  await waitUntil(async () => (await ask(open('127.0.0.2'))) === SERVED, 'a connection is free again');
});

it('a trusted proxy, behind which are many clients, has no such limit', async () => {
  for (let opened = 0; opened < 3 * MOST; opened++) expect(await ask(open(PROXY))).toBe(SERVED);
});
