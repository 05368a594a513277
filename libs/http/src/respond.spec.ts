import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@farebox/errors';
import { connectRaw, type RawClient } from '../test/raw-client';
import { listen } from './http-server';
import { retryHeaders, sendJsonText } from './respond';
import { onceResponseEnds } from './response-end';

/** More than the system buffers on both ends of a connection. */
const LONG_TEXT = 'x'.repeat(16 * 1024 * 1024);
const WRITES_OF_HANDLE = [
  'writeBuffer',
  'writev',
  'writeUtf8String',
  'writeAsciiString',
  'writeLatin1String',
  'writeUcs2String',
];
const STALL_MS = 200;
/** For a client who must stay within it on a busy machine. */
const LONG_STALL_MS = 2_000;

let server: Server;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/** A client who has sent a request, and does not read yet. */
async function givenReader(
  stallTimeoutMs: number,
  leastBytesPerSecond = 1_000_000,
): Promise<{ client: RawClient; res: ServerResponse }> {
  const asked = new Promise<ServerResponse>((resolve) => {
    server = createServer((_req, res) => {
      sendJsonText(res, 200, LONG_TEXT, { stallTimeoutMs, leastBytesPerSecond });
      resolve(res);
    });
  });
  const client = await connectRaw(await listen(server, { host: '127.0.0.1', port: 0 }));
  client.socket.pause();
  await client.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return { client, res: await asked };
}

/** The system calls that a response took. */
async function writesOf(text: string): Promise<string[]> {
  const writes: string[] = [];
  server = createServer((_req, res) => {
    const socket = res.req.socket as Socket & { _handle: object };
    // Each of Node's ways to write ends in one of the handle's, which is one system call.
    const handle = socket._handle as Record<string, (...args: unknown[]) => unknown>;
    for (const name of WRITES_OF_HANDLE) {
      const write = handle[name]?.bind(handle);
      handle[name] = (...args) => {
        writes.push(name);
        return write?.(...args);
      };
    }
    res.setHeader('x-request-id', 'req_1');
    sendJsonText(res, 200, text, undefined, ['X-Other', '1']);
  });
  const response = await fetch(
    `http://127.0.0.1:${String(await listen(server, { host: '127.0.0.1', port: 0 }))}`,
  );
  expect(await response.text()).toBe(text);
  return writes;
}

const writtenOut = (res: ServerResponse): Promise<boolean> =>
  new Promise((resolve) => {
    onceResponseEnds(res, resolve);
  });

describe('a response', () => {
  it('is cut if the client takes nothing of it', async () => {
    const { client, res } = await givenReader(STALL_MS);
    expect(await writtenOut(res)).toBe(false);
    client.socket.destroy();
  });

  it('is cut if the client makes progress, but takes longer than its length allows', async () => {
    const { client, res } = await givenReader(LONG_STALL_MS, LONG_TEXT.length);
    const written = writtenOut(res);
    const trickle = setInterval(() => {
      client.socket.once('data', () => client.socket.pause());
      client.socket.resume();
    }, LONG_STALL_MS / 20);
    expect(await written).toBe(false);
    clearInterval(trickle);
    expect(client.received().length).toBeLessThan(LONG_TEXT.length);
    client.socket.destroy();
  });

  it('is written out to a client who is slow but continues', async () => {
    const { client, res } = await givenReader(LONG_STALL_MS);
    const written = writtenOut(res);
    for (let pauses = 0; pauses < 8; pauses++) {
      await sleep(LONG_STALL_MS / 6);
      // The system chooses how much arrives at once: it may be all of the rest.
      const enough = Math.min(client.received().length + 1024 * 1024, LONG_TEXT.length);
      client.socket.resume();
      while (client.received().length < enough) await sleep(1);
      client.socket.pause();
    }
    client.socket.resume();
    expect(await written).toBe(true);
    client.socket.destroy();
  });

  it.each([
    ['of ASCII alone', '{"text":"x"}'],
    ['of other characters', '{"text":"日本"}'],
  ])('%s leaves in one write with its headers', async (_name, text) => {
    expect(await writesOf(text)).toHaveLength(1);
  });

  it('tells the client whether, and when, to retry after an error', () => {
    expect(retryHeaders(new ApiError('service_unavailable', { retryAfterSeconds: 3 }))).toEqual([
      ['x-should-retry', 'true'],
      ['Retry-After', '3'],
    ]);
    expect(retryHeaders(new ApiError('request_too_large'))).toEqual([['x-should-retry', 'false']]);
  });
});
