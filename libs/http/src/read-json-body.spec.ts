import type { Server } from 'node:http';
import { toApiError } from '@farebox/errors';
import { closeGracefully } from './drain';
import { createHttpServer, listen } from './http-server';
import { connectRaw, type RawClient } from './raw-client.stand';
import { readJsonBody } from './read-json-body';
import { createRequestContext } from './request-context';
import { sendError, sendJson } from './respond';

const MAX_BYTES = 1_000;

let server: Server;
let port: number;
let client: RawClient;
beforeAll(async () => {
  server = createHttpServer((req, res) => {
    createRequestContext(req, res);
    readJsonBody(req, { maxBytes: MAX_BYTES, maxDepth: 4 }).then(
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

/** Wrong in every way but its size. */
const OTHER_CONTENT = ['Content-Type: text/plain', 'Content-Encoding: gzip'];
const CHUNKED = 'Transfer-Encoding: chunked';

async function answerTo(text: string): Promise<string> {
  await client.send(text);
  await client.until('}}');
  const received = client.received();
  const code = /"code":"(\w+)"/.exec(received)?.[1] ?? '';
  return `${received.slice(9, 12)} ${code}`;
}

describe('a body that is no JSON', () => {
  it('is refused for its size first, where that is declared', async () => {
    const text = head([...OTHER_CONTENT, `Content-Length: ${String(MAX_BYTES + 1)}`]);
    expect(await answerTo(text)).toBe('413 request_too_large');
  });

  it('is refused for its size first, where that shows as it comes, and is not read on', async () => {
    const text = head([...OTHER_CONTENT, CHUNKED]) + chunk(MAX_BYTES) + chunk(1);
    expect(await answerTo(text)).toBe('413 request_too_large');
  });

  it('is refused for its content at once, where its declared size is not too large', async () => {
    const text = head([...OTHER_CONTENT, `Content-Length: ${String(MAX_BYTES)}`]);
    expect(await answerTo(text)).toBe('400 invalid_request_error');
  });

  it('is refused for its content when all of it has come in chunks', async () => {
    const beginning = head([...OTHER_CONTENT, CHUNKED]) + chunk(MAX_BYTES);
    expect(await answerTo(`${beginning}0\r\n\r\n`)).toBe('400 invalid_request_error');
  });

  it('is refused for its content where there is none', async () => {
    expect(await answerTo(head([]))).toBe('400 invalid_request_error');
  });
});

it('a body whose client went before it was asked for is refused as one that ended early', async () => {
  let asked: Promise<unknown> | undefined;
  const late = createHttpServer((req) => {
    req.once('close', () => {
      asked = readJsonBody(req, { maxBytes: MAX_BYTES, maxDepth: 4 }).catch(toApiError);
    });
  });
  const leaving = await connectRaw(await listen(late, { host: '127.0.0.1', port: 0 }));
  await leaving.send(`${head(['Content-Type: application/json', 'Content-Length: 9'])}{`);
  leaving.socket.resetAndDestroy();
  while (!asked) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(await asked).toMatchObject({ code: 'invalid_request_error' });
  await closeGracefully(late, 100);
});
