import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { LineFault } from './fault-line';
import { startFaultProxy, type FaultProxy } from './fault-proxy';

/** More than the operating systems on the way buffer for a connection. */
const LOTS = Buffer.alloc(24 * 1024 * 1024, 'x');
const LONGER_THAN_THE_TEST_MS = 600_000;

/** One end of a connection, and everything that it received. */
interface End {
  socket: Socket;
  received: () => string;
  /** How it ended: `end` after a FIN, otherwise the error code. */
  ended: Promise<string>;
  until: (isEnough: (received: string) => boolean) => Promise<void>;
}

let server: Server;
let proxy: FaultProxy;
/** The server's ends, in the order of arrival. */
let accepted: End[];

beforeEach(async () => {
  accepted = [];
  server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(endOf(socket));
    server.emit('accepted');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await startFaultProxy((server.address() as AddressInfo).port);
});

afterEach(async () => {
  await proxy.close();
  for (const { socket } of accepted) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function endOf(socket: Socket): End {
  let received = '';
  socket.on('data', (data) => (received += data.toString('latin1')));
  const ended = new Promise<string>((resolve) => {
    socket.once('end', () => {
      resolve('end');
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code ?? '');
    });
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  return {
    socket,
    received: () => received,
    ended,
    async until(isEnough) {
      while (!isEnough(received)) {
        if (socket.destroyed) throw new Error(`closed after ${String(received.length)} bytes`);
        await Promise.race([once(socket, 'data').catch(() => undefined), closed]);
      }
    },
  };
}

/** Both ends of a new connection through the proxy. */
async function connected(): Promise<{ client: End; target: End }> {
  const arrived = once(server, 'accepted');
  const client = endOf(connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true }));
  await arrived;
  const target = accepted.at(-1);
  if (!target) throw new Error('nothing was accepted');
  return { client, target };
}

const has =
  (text: string) =>
  (received: string): boolean =>
    received === text;

it('without a fault, both directions pass everything, and each ends independently', async () => {
  const { client, target } = await connected();
  client.socket.end('ping');
  await target.until(has('ping'));
  expect(await target.ended).toBe('end');
  target.socket.end('pong');
  await client.until(has('pong'));
  expect(await client.ended).toBe('end');
  expect([proxy.toTarget.passedBytes, proxy.toClient.passedBytes]).toEqual([4, 4]);
});

it('held or delayed bytes wait only in their direction, and pass in order when the fault ends', async () => {
  for (const fault of [{ kind: 'hold' }, { kind: 'delay', delayMs: LONGER_THAN_THE_TEST_MS }] as const) {
    const { client, target } = await connected();
    proxy.toTarget.set(fault);
    client.socket.end('late');
    target.socket.write('in time');
    await client.until(has('in time'));
    expect(target.received()).toBe('');
    proxy.toTarget.set({ kind: 'none' });
    await target.until(has('late'));
    expect(await target.ended).toBe('end');
  }
});

it('slightly delayed bytes arrive by themselves', async () => {
  const { client, target } = await connected();
  proxy.toClient.set({ kind: 'delay', delayMs: 5 });
  target.socket.end('late');
  await client.until(has('late'));
  expect(await client.ended).toBe('end');
});

it.each<LineFault>([{ kind: 'throttle', bytesPerSecond: 100 }, { kind: 'hold' }])(
  'a direction with %j makes the sender wait, and loses nothing',
  async (fault) => {
    const { client, target } = await connected();
    proxy.toClient.set(fault);
    const taken = new Promise((resolve) => target.socket.write(LOTS, resolve));
    client.socket.write('ping');
    await target.until(has('ping'));
    // The buffers on the way are full: the rest is still with the sender.
    expect(target.socket.writableLength).toBeGreaterThan(0);
    expect(client.received().length).toBeLessThan(LOTS.length / 2);
    await proxy.heal();
    await taken;
    await client.until(({ length }) => length === LOTS.length);
  },
);

it('a throttled direction passes small pieces', async () => {
  const { client, target } = await connected();
  const pieces: number[] = [];
  client.socket.on('data', ({ length }) => pieces.push(length));
  proxy.toClient.set({ kind: 'throttle', bytesPerSecond: 5_000 });
  target.socket.write(Buffer.alloc(1_000));
  await client.until(({ length }) => length === 1_000);
  expect(pieces.length).toBeGreaterThan(1);
});

it('dropped bytes never arrive, and the connection stays open', async () => {
  const { client, target } = await connected();
  proxy.toTarget.set({ kind: 'drop' });
  client.socket.write('lost');
  target.socket.write('in time');
  await client.until(has('in time'));
  const before = proxy.toTarget.passedBytes;
  proxy.toTarget.set({ kind: 'none' });
  client.socket.write('found');
  await target.until(has('found'));
  expect([before, proxy.toTarget.passedBytes]).toEqual([0, 5]);
});

it('the end of a connection is dropped too', async () => {
  const { client, target } = await connected();
  proxy.toTarget.set({ kind: 'drop' });
  client.socket.end('lost');
  target.socket.end('in time');
  expect(await client.ended).toBe('end');
  expect([target.received(), target.socket.readableEnded]).toEqual(['', false]);
});

it('a direction is truncated after a number of bytes per connection, and the other one continues', async () => {
  proxy.toClient.set({ kind: 'truncate', afterBytes: 3 });
  for (let times = 0; times < 2; times++) {
    const { client, target } = await connected();
    target.socket.write('12');
    await client.until(has('12'));
    target.socket.write('3456');
    expect(await client.ended).toBe('end');
    expect(client.received()).toBe('123');
    client.socket.write('still here');
    await target.until(has('still here'));
  }
});

it('a connection is reset on both sides when data arrives', async () => {
  const { client, target } = await connected();
  target.socket.write('1234');
  await client.until(has('1234'));
  proxy.toClient.set({ kind: 'reset', afterBytes: 0 });
  target.socket.write('5678');
  expect(await Promise.all([client.ended, target.ended])).toEqual(['ECONNRESET', 'ECONNRESET']);
  expect(client.received()).toBe('1234');
});

it('a connection is reset after a number of bytes, counted from when the fault is set', async () => {
  const { client, target } = await connected();
  target.socket.write('1234');
  await client.until(has('1234'));
  proxy.toClient.set({ kind: 'reset', afterBytes: 2 });
  target.socket.write('5678');
  expect(await target.ended).toBe('ECONNRESET');
  // Node may report an end if a reset arrives together with data.
  await client.ended;
  expect(client.received()).toBe('123456');
});

it('a reset on one side is passed to the other', async () => {
  const { client, target } = await connected();
  client.socket.resetAndDestroy();
  expect(await target.ended).toBe('ECONNRESET');
});

it('every connection is reset at once, even a held one', async () => {
  const both = [await connected(), await connected()];
  proxy.toTarget.set({ kind: 'hold' });
  both[0]?.client.socket.write('held');
  expect(proxy.connections()).toBe(2);
  proxy.reset();
  for (const { client, target } of both)
    expect(await Promise.all([client.ended, target.ended])).toEqual(['ECONNRESET', 'ECONNRESET']);
  expect(both.map(({ target }) => target.received())).toEqual(['', '']);
});

it('a proxy that stops accepting refuses new connections, keeps open ones, and can accept again', async () => {
  const { client, target } = await connected();
  proxy.stopAccepting();
  const refused = endOf(connect(proxy.port, '127.0.0.1'));
  expect(await refused.ended).toBe('ECONNREFUSED');
  client.socket.write('ping');
  await target.until(has('ping'));
  await proxy.acceptAgain();
  const again = await connected();
  again.client.socket.write('again');
  await again.target.until(has('again'));
});

it('a client of a missing target is reset', async () => {
  const unused = createServer();
  await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
  const { port } = unused.address() as AddressInfo;
  await new Promise((resolve) => unused.close(resolve));
  const nowhere = await startFaultProxy(port);
  expect(await endOf(connect(nowhere.port, '127.0.0.1')).ended).toBe('ECONNRESET');
  await nowhere.close();
});

it('rewrites a URL to go through itself', () => {
  expect(proxy.through('redis://user:secret@localhost:6399/9?a=b')).toBe(
    `redis://user:secret@127.0.0.1:${String(proxy.port)}/9?a=b`,
  );
});
