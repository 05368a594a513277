import type { Server } from 'node:http';
import { toApiError } from '@farebox/errors';
import { connectRaw, type RawClient } from '../test/raw-client';
import { closeGracefully } from './connections';
import { createHttpServer, listen } from './http-server';
import { readJsonBody } from './read-json-body';
import { createRequestContext } from './request-context';
import { sendError, sendJson } from './respond';
import { RequestBodies } from './request-bodies';

const room = () => new RequestBodies(Infinity).roomFor('account');

const MAX_BYTES = 1_000;

let server: Server;
let port: number;
let client: RawClient;
beforeAll(async () => {
  server = createHttpServer((req, res) => {
    createRequestContext(req, res);
    readJsonBody(req, { maxBytes: MAX_BYTES, maxDepth: 4, maxValues: 100 }, room()).then(
      (body) => {
        sendJson(res, 200, body);
      },
      (error: unknown) => {
        sendError(res, toApiError(error));
      },
    );
  });
  port = await listen(server, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await closeGracefully(server, 100);
});
beforeEach(async () => {
  client = await connectRaw(port);
});
afterEach(() => {
  client.socket.destroy();
});

const head = (headers: readonly string[]): string =>
  ['POST / HTTP/1.1', 'Host: x', ...headers, '', ''].join('\r\n');
const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

/** Invalid in every way except its size. */
const OTHER_CONTENT = ['Content-Type: text/plain', 'Content-Encoding: gzip'];
const CHUNKED = 'Transfer-Encoding: chunked';

async function answerTo(text: string): Promise<string> {
  await client.send(text);
  await client.until('}}');
  const received = client.received();
  const code = /"code":"(\w+)"/.exec(received)?.[1] ?? '';
  return `${received.slice(9, 12)} ${code}`;
}

describe('a body that is not JSON', () => {
  it('is refused for its size first, if that is declared', async () => {
    const text = head([...OTHER_CONTENT, `Content-Length: ${String(MAX_BYTES + 1)}`]);
    expect(await answerTo(text)).toBe('413 request_too_large');
  });

  it('is refused for its size first, as soon as that is exceeded, and is not read on', async () => {
    const text = head([...OTHER_CONTENT, CHUNKED]) + chunk(MAX_BYTES) + chunk(1);
    expect(await answerTo(text)).toBe('413 request_too_large');
  });

  it('is refused for its content at once, if its declared size is not too large', async () => {
    const text = head([...OTHER_CONTENT, `Content-Length: ${String(MAX_BYTES)}`]);
    expect(await answerTo(text)).toBe('400 invalid_request_error');
  });

  it('is refused for its content when all of its chunks have arrived', async () => {
    const beginning = head([...OTHER_CONTENT, CHUNKED]) + chunk(MAX_BYTES);
    expect(await answerTo(`${beginning}0\r\n\r\n`)).toBe('400 invalid_request_error');
  });

  it('is refused for its content if there is none', async () => {
    expect(await answerTo(head([]))).toBe('400 invalid_request_error');
  });
});

describe('a body without memory for it', () => {
  const readWithin = async (mostBytes: number, text: string): Promise<[string, number]> => {
    const bodies = new RequestBodies(mostBytes);
    const small = createHttpServer((req, res) => {
      createRequestContext(req, res);
      readJsonBody(req, { maxBytes: MAX_BYTES, maxDepth: 4, maxValues: 100 }, bodies.roomFor('account')).then(
        (body) => {
          sendJson(res, 200, body);
        },
        (error: unknown) => {
          sendError(res, toApiError(error));
        },
      );
    });
    const other = await connectRaw(await listen(small, { host: '127.0.0.1', port: 0 }));
    await other.send(text);
    await other.until('}');
    other.socket.destroy();
    await closeGracefully(small, 100);
    return [other.received(), bodies.bytes];
  };
  const JSON_TYPE = 'Content-Type: application/json';

  it('is refused before any of it is read, if its size is declared', async () => {
    const [response, bytes] = await readWithin(1_000, head([JSON_TYPE, 'Content-Length: 600']));
    expect(response).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 1\r\n[^]*"code":"service_unavailable"/i);
    expect(bytes).toBe(0);
  });

  it('is refused as it comes, if it comes in chunks', async () => {
    const [response] = await readWithin(1_000, head([JSON_TYPE, CHUNKED]) + chunk(600));
    expect(response).toContain('"code":"service_unavailable"');
  });

  it('is refused for its own size first', async () => {
    const [response] = await readWithin(1_000, head([JSON_TYPE, `Content-Length: ${String(MAX_BYTES + 1)}`]));
    expect(response).toContain('"code":"request_too_large"');
  });
});

describe('the memory of a long body', () => {
  const LENGTH = 1024 * 1024;
  /** Node 20 cannot free it. */
  const isFreed = 'transfer' in ArrayBuffer.prototype;

  it.each([
    ['was read', 2 * LENGTH, '"a'],
    ['is refused', LENGTH / 2, 'request_too_large'],
  ])('is freed as soon as it %s', async (_what, maxBytes, answered) => {
    const chunks: Buffer[] = [];
    const receiving = createHttpServer((req, res) => {
      createRequestContext(req, res);
      readJsonBody(req, { maxBytes, maxDepth: 4, maxValues: 100 }, room()).then(
        (body) => {
          sendJson(res, 200, body);
        },
        (error: unknown) => {
          sendError(res, toApiError(error));
        },
      );
      req.on('data', (received: Buffer) => chunks.push(received));
    });
    const sender = await connectRaw(await listen(receiving, { host: '127.0.0.1', port: 0 }));
    const text = `"${'a'.repeat(LENGTH - 2)}"`;
    const chunked = `${LENGTH.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    await sender.send(head(['Content-Type: application/json', CHUNKED]) + chunked);
    await sender.until(answered);
    await new Promise((resolve) => setImmediate(resolve));
    const own = chunks.filter(({ length }) => length > 0);
    expect(chunks.length).toBeGreaterThan(4);
    expect(own).toHaveLength(isFreed ? 0 : chunks.length);
    sender.socket.destroy();
    await closeGracefully(receiving, 100);
  });
});

it('a body whose client left before it was read is refused as one that ended early', async () => {
  let asked: Promise<unknown> | undefined;
  const late = createHttpServer((req) => {
    req.once('close', () => {
      asked = readJsonBody(req, { maxBytes: MAX_BYTES, maxDepth: 4, maxValues: 100 }, room()).catch(
        toApiError,
      );
    });
  });
  const leaving = await connectRaw(await listen(late, { host: '127.0.0.1', port: 0 }));
  await leaving.send(`${head(['Content-Type: application/json', 'Content-Length: 9'])}{`);
  leaving.socket.resetAndDestroy();
  while (!asked) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(await asked).toMatchObject({ code: 'invalid_request_error' });
  await closeGracefully(late, 100);
});

describe('a body of many values', () => {
  const post = async (body: string, limits = { maxBytes: 4_000_000, maxDepth: 4, maxValues: 100 }) => {
    let turns = 0;
    const reading = createHttpServer((req, res) => {
      createRequestContext(req, res);
      const turn = (): void => {
        turns++;
        if (!res.writableEnded) setImmediate(turn);
      };
      req.once('end', turn);
      readJsonBody(req, limits, room()).then(
        (value) => {
          sendJson(res, 200, value);
        },
        (error: unknown) => {
          sendError(res, toApiError(error));
        },
      );
    });
    const url = `http://127.0.0.1:${String(await listen(reading, { host: '127.0.0.1', port: 0 }))}`;
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body });
    const text = await response.text();
    await closeGracefully(reading, 100);
    return { status: response.status, text, turns };
  };

  it.each([
    ['an array of numbers', `[${Array(100).fill('1').join(',')}]`],
    ['empty objects', `[${Array(100).fill('{}').join(',')}]`],
    ['members', `{${Array.from({ length: 101 }, (_, i) => `"m${String(i)}":1`).join(',')}}`],
  ])('is refused before it is parsed: %s', async (_what, body) => {
    const { status, text } = await post(body);
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { error: { code: 'invalid_request_error', message: 'The request body has more than 100 values.' } },
    ]);
  });

  it('does not count characters in a string that look like values', async () => {
    const body = JSON.stringify(['[{,"'.repeat(1_000), '\\", ['.repeat(1_000), '\\\\']);
    expect(await post(body)).toMatchObject({ status: 200, text: body });
  });

  it('is read in turns, and completely, wherever a character or an escape is cut', async () => {
    for (const shift of ['', 'a', 'ab', 'abc']) {
      const body = JSON.stringify([`${shift}${'漢😀"\\'.repeat(100_000)}`]);
      const { status, text, turns } = await post(body);
      expect([status, text === body]).toEqual([200, true]);
      expect(turns).toBeGreaterThanOrEqual(Math.floor(Buffer.byteLength(body) / (256 * 1024)));
    }
  });
});
