import { createServer, type Server, type ServerResponse } from 'node:http';
import { connectRaw, type RawClient } from '../test/raw-client';
import { listen } from './http-server';
import { sendPieces } from './send-pieces';

const PIECE = 'x'.repeat(1024 * 1024);
/** More than the system buffers on both ends of a connection. */
const MANY = 64;
const STALL_MS = 200;
const LONG_STALL_MS = 30_000;

let server: Server;
let sent: Promise<void>;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function serve(pieces: AsyncIterable<string>, stallTimeoutMs = LONG_STALL_MS): Promise<number> {
  let settle: (sending: Promise<void>) => void;
  sent = new Promise((resolve) => (settle = resolve));
  sent.catch(() => undefined);
  server = createServer((_req, res: ServerResponse) => {
    settle(sendPieces(res, pieces, stallTimeoutMs));
  });
  return listen(server, { host: '127.0.0.1', port: 0 });
}

async function givenReader(port: number): Promise<RawClient> {
  const client = await connectRaw(port);
  client.socket.pause();
  await client.send('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return client;
}

describe('a body in pieces', () => {
  it('is made only as far as the client has taken it', async () => {
    let made = 0;
    async function* pieces() {
      for (; made < MANY; made++) yield Promise.resolve(PIECE);
    }
    const client = await givenReader(await serve(pieces()));
    // The system's buffers take some of it; then nothing more is made.
    let before = -1;
    while (made === 0 || made !== before) {
      before = made;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(made).toBeLessThan(MANY);
    client.socket.resume();
    await sent;
    expect(made).toBe(MANY);
    const { reset } = await client.closed();
    expect(reset).toBe(false);
  });

  it('is cut, and makes nothing more, if the client takes nothing of it', async () => {
    let isOver = false;
    async function* pieces() {
      try {
        for (;;) yield Promise.resolve(PIECE);
      } finally {
        isOver = true;
      }
    }
    const client = await givenReader(await serve(pieces(), STALL_MS));
    await sent;
    expect(isOver).toBe(true);
    client.socket.destroy();
  });

  it('does not look whole if a piece cannot be made', async () => {
    async function* pieces() {
      yield Promise.resolve('beginning');
      yield Promise.reject(new Error('no database'));
    }
    const port = await serve(pieces());
    await expect(fetch(`http://127.0.0.1:${String(port)}/`).then((res) => res.text())).rejects.toThrow();
    await expect(sent).rejects.toThrow('no database');
  });
});
