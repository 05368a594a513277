import { createServer, type Server, type ServerResponse } from 'node:http';
import { connectRaw, type RawClient } from '../test/raw-client';
import { listen } from './http-server';
import { onceResponseEnds } from './response-end';
import { UnwrittenResponses } from './unwritten-responses';

/** More than the system buffers on both ends of a connection. */
const LONG = Buffer.alloc(16 * 1024 * 1024, 'x');

let server: Server;
let port: number;
let onAsked: (res: ServerResponse) => void;
beforeAll(async () => {
  server = createServer((_req, res) => {
    onAsked(res);
  });
  port = await listen(server, { host: '127.0.0.1', port: 0 });
});
const clients: RawClient[] = [];
afterAll(() => {
  for (const { socket } of clients) socket.destroy();
  server.close();
  server.closeAllConnections();
});

/** A client who reads nothing of a long response; when that is over, it reports whether it was written. */
async function unread(unwritten: UnwrittenResponses, owner: string) {
  const asked = new Promise<ServerResponse>((resolve) => (onAsked = resolve));
  const client = await connectRaw(port);
  clients.push(client);
  client.socket.pause();
  await client.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const res = await asked;
  const ended = new Promise<boolean>((resolve) => {
    onceResponseEnds(res, resolve);
  });
  res.end(LONG);
  unwritten.follow(res, owner);
  return { client, res, ended };
}

describe('the responses that are not fully written', () => {
  it('are cut for the owner with the most of them, the oldest first, and for nobody else', async () => {
    const cut: string[] = [];
    // Room for five: two for each of two accounts, with as much left as one of them has.
    const unwritten = new UnwrittenResponses(5.5 * LONG.length, (owner) => cut.push(owner));
    const victim = await unread(unwritten, 'victim');
    const first = await unread(unwritten, 'attacker');
    await unread(unwritten, 'attacker');
    expect(cut).toEqual([]);
    const third = await unread(unwritten, 'attacker');
    expect(cut).toEqual(['attacker']);
    expect(await first.ended).toBe(false);
    expect([victim.res.destroyed, third.res.destroyed]).toEqual([false, false]);
    expect(unwritten.bytes).toBeLessThan(5.5 * LONG.length);
  });

  it('are no longer counted once they are read', async () => {
    const unwritten = new UnwrittenResponses(10 * LONG.length);
    const { client, ended } = await unread(unwritten, 'reader');
    expect(unwritten.bytes).toBeGreaterThan(0);
    client.socket.resume();
    expect(await ended).toBe(true);
    expect(unwritten.bytes).toBe(0);
  });
});
