import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { toApiError } from '@farebox/errors';
import { closeGracefully } from './connections';
import { createHttpServer, DEFAULT_SERVER_LIMITS, listen } from './http-server';
import { readJsonBody } from './read-json-body';
import { createRequestContext, refuseAmbiguousHeaders } from './request-context';
import { sendError, sendJson } from './respond';
import { RequestBodies } from './request-bodies';

const room = () => new RequestBodies(Infinity).roomFor('account');

const BODY_LIMITS = { maxBytes: 1_000, maxDepth: 4, maxValues: 100 };

let server: Server;
let port: number;
/** Ends the response that was begun for `/stream`. */
let endStream: () => void;
beforeAll(async () => {
  const limits = {
    ...DEFAULT_SERVER_LIMITS,
    headersTimeoutMs: 300,
    requestTimeoutMs: 600,
    keepAliveTimeoutMs: 2_500,
  };
  server = createHttpServer((req, res) => {
    createRequestContext(req, res);
    if (req.url === '/stream') {
      res.write('begun ');
      endStream = () => res.end('ended');
      return;
    }
    Promise.resolve()
      .then(() => {
        refuseAmbiguousHeaders(req);
        return readJsonBody(req, BODY_LIMITS, room());
      })
      .then((body) => {
        sendJson(res, 200, body);
      })
      .catch((error: unknown) => {
        sendError(res, toApiError(error));
      });
  }, limits);
  port = await listen(server, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await closeGracefully(server, 100);
});

/** Sends bytes and returns everything that comes back until the other side closes. */
function exchange(text: string, thenClose = false): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(text);
      if (thenClose) socket.end();
    });
    socket.on('data', (data) => (received += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(received);
    });
  });
}

const head = (headers: string): string =>
  `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}\r\n`;

/** A duplicate header, with more in between than Node hands on by default. */
const manyHeadersBetween = (header: string): string => `${header}\r\n${'a:\r\n'.repeat(2_500)}${header}\r\n`;

function expectEnvelope(answer: string, status: number): void {
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as { error: object };
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type']);
  expect(answer.toLowerCase()).toContain('x-should-retry: false');
  expect(answer.toLowerCase()).toContain('x-content-type-options: nosniff');
  expect(answer.toLowerCase()).toContain('permissions-policy: ');
}

describe('a body', () => {
  it('is read, in one piece or in chunks', async () => {
    expect(await exchange(`${head('Content-Length: 7\r\n')}{"a":1}`)).toContain('{"a":1}');
    expect(
      await exchange(`${head('Transfer-Encoding: chunked\r\n')}3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n`),
    ).toContain('{"a":1}');
  });

  it('over the limit is refused, and not read on', async () => {
    expectEnvelope(await exchange(head('Content-Length: 1001\r\n')), 413);
    const chunk = `400\r\n${' '.repeat(0x400)}\r\n`;
    expectEnvelope(await exchange(head('Transfer-Encoding: chunked\r\n') + chunk), 413);
  });

  it('with too many levels of nesting is refused', async () => {
    expect(await exchange(`${head('Content-Length: 8\r\n')}[[[[]]]]`)).toContain('[[[[]]]]');
    expectEnvelope(await exchange(`${head('Content-Length: 10\r\n')}[[[[[]]]]]`), 400);
  });

  it('that comes too slowly, or not at all, is refused in time', async () => {
    expectEnvelope(await exchange(`${head('Content-Length: 7\r\n')}{"a"`), 408);
  });
});

describe('a connection that was opened in advance', () => {
  /** Resolves once the time for a request's headers is over. */
  const timeForHeaders = (): Promise<unknown> =>
    new Promise((resolve) => server.once('clientError', resolve));

  it('serves a request that is sent after the time for its headers would have been over', async () => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => (received += data.toString()));
    await timeForHeaders();
    expect(received).toBe('');
    socket.write(`${head('Content-Length: 7\r\n')}{"a":1}`);
    await once(socket, 'close');
    expect(received).toContain('{"a":1}');
  });

  it('has the usual time for a request that it begins then', async () => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => (received += data.toString()));
    await timeForHeaders();
    socket.write('GET / HTTP/1.1\r\n');
    await once(socket, 'close');
    expectEnvelope(received, 408);
  });

  it('has this time even if the pause allowed between two requests is shorter', async () => {
    const limits = { ...DEFAULT_SERVER_LIMITS, headersTimeoutMs: 300, keepAliveTimeoutMs: 10 };
    const impatient = createHttpServer((_req, res) => res.end('served'), limits);
    const socket = connect(await listen(impatient, { host: '127.0.0.1', port: 0 }), '127.0.0.1');
    let received = '';
    socket.on('data', (data) => (received += data.toString()));
    const closed = once(socket, 'close');
    await once(impatient, 'clientError');
    // Longer than the pause.
    await sleep(50);
    socket.write(head(''));
    await closed;
    impatient.close();
    expect(received).toContain('served');
  });

  it('is closed without a response if it is never used', async () => {
    expect(await exchange('')).toBe('');
  });
});

describe('a request that is sent behind one that takes long', () => {
  it('and could not be read in time does not cut the running response: it is refused after it', async () => {
    const late = new Promise((resolve) => server.once('clientError', resolve));
    // More than is read of a request that waits for its turn.
    const behind = `${head('Content-Length: 4000000\r\n')}${'x'.repeat(4_000_000)}`;
    const exchanged = exchange(`GET /stream HTTP/1.1\r\nHost: x\r\n\r\n${behind}`);
    await late;
    endStream();
    const received = await exchanged;
    const [first = '', second = ''] = received.split(/(?=HTTP\/1\.1 4)/);
    expect(first).toContain('begun ');
    expect(first).toMatch(/ended\r\n0\r\n\r\n$/);
    expectEnvelope(second, 408);
  });
});

describe('invalid HTTP', () => {
  it.each([
    ['headers without an end', 'GET / HTTP/1.1\r\nHost: x\r\n', 408],
    ['folded headers', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n', 400],
    ['two lengths', head('Content-Length: 1\r\nContent-Length: 2\r\n'), 400],
    ['a length and chunks', head('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'), 400],
    ['headers over the limit', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 400],
    ['a path over the limit', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 400],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: x\n\n', 400],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', 400],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['bad chunks', `${head('Transfer-Encoding: chunked\r\n')}zz\r\n`, 400],
    ['another transfer encoding', head('Transfer-Encoding: gzip\r\n'), 400],
    ['no Host', 'POST / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', head('Host: y\r\n'), 400],
    ['a second credential behind 2,000 headers', head(manyHeadersBetween('Authorization: a')), 400],
    ['an unknown Expect', head('Expect: miracles\r\n'), 400],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n', 405],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['noise', '\x16\x03\x01\x02\x00\x01', 400],
  ])('%s is answered in the envelope', async (_name, text, status) => {
    expectEnvelope(await exchange(text), status);
  });

  it('includes a body that ends early', async () => {
    expectEnvelope(await exchange(`${head('Content-Length: 7\r\n')}{"a"`, true), 400);
  });

  it('does not include a request for another protocol: that is served normally', async () => {
    const upgrade = 'Upgrade: websocket\r\nContent-Length: 2\r\n';
    const text = head(upgrade).replace('Connection: close', 'Connection: close, Upgrade');
    expect(await exchange(`${text}{}`)).toContain('200 OK');
  });

  it('does not harm the next request', async () => {
    await exchange('nonsense\r\n\r\n');
    expect(await exchange(`${head('Content-Length: 2\r\n')}{}`)).toContain('200 OK');
  });
});
