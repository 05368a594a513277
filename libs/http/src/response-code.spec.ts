import { createServer, type RequestListener, type Server } from 'node:http';
import { ApiError } from '@farebox/errors';
import { responseCodeOf, noteErrorCode, type ResponseCode } from './response-end';
import { onceResponseEnds } from './response-end';
import { listen } from './http-server';
import { sendError, sendJson } from './respond';

let server: Server | undefined;
afterEach(() => server?.close());

/** How a response ends, on a real connection. */
async function codeOf(serve: RequestListener): Promise<ResponseCode> {
  let tell: (code: ResponseCode) => void;
  const told = new Promise<ResponseCode>((resolve) => (tell = resolve));
  server = createServer((req, res) => {
    onceResponseEnds(res, (isWritten) => {
      tell(responseCodeOf(res, isWritten));
    });
    serve(req, res);
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  await fetch(`http://127.0.0.1:${String(port)}/`)
    .then((response) => response.text())
    .catch(() => undefined);
  return told;
}

it.each<[ResponseCode, RequestListener]>([
  [
    'ok',
    (_req, res) => {
      sendJson(res, 201, {});
    },
  ],
  [
    'ok',
    (_req, res) => {
      res.writeHead(303, { location: '/' }).end();
    },
  ],
  [
    'rate_limit_error',
    (_req, res) => {
      sendError(res, new ApiError('rate_limit_error'));
    },
  ],
  [
    'client_gone',
    (_req, res) => {
      res.write('half');
      res.destroy();
    },
  ],
  [
    'upstream_timeout',
    (_req, res) => {
      noteErrorCode(res, 'upstream_timeout');
      res.write('half');
      res.destroy();
    },
  ],
  [
    'invalid_request_error',
    (_req, res) => {
      res.writeHead(410).end('a page');
    },
  ],
  [
    'internal_error',
    (_req, res) => {
      res.writeHead(502).end('a page');
    },
  ],
])('a response ends as %s', async (code, serve) => {
  expect(await codeOf(serve)).toBe(code);
});
