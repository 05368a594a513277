/** The cost of a bare proxy in Node: `bare-proxy dispatch|request`. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { Pool } from 'undici';

const pool = new Pool(process.env['UPSTREAM_ORIGIN'] ?? '', { connections: 256, pipelining: 1 });

createServer(process.argv[2] === 'dispatch' ? dispatch : request).listen(
  Number(process.env['PORT']),
  '127.0.0.1',
);

/** The minimum for a proxy in Node: undici's dispatch, unchanged headers, one write for a whole response. */
function dispatch(req: IncomingMessage, res: ServerResponse): void {
  const parts: Buffer[] = [];
  req.on('data', (part: Buffer) => parts.push(part));
  req.on('end', () => {
    let isStream = false;
    let status = 0;
    let type = '';
    const received: Buffer[] = [];
    pool.dispatch(
      {
        path: req.url ?? '/',
        method: 'POST',
        body: parts.length === 1 ? (parts[0] ?? null) : Buffer.concat(parts),
        headers: ['content-type', 'application/json', 'authorization', 'Bearer upstream'],
      },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, statusCode, headers) {
          status = statusCode;
          type = String(headers['content-type']);
          isStream = type.startsWith('text/event-stream');
          if (isStream) res.writeHead(status, ['content-type', type]);
        },
        onResponseData(controller, chunk) {
          if (!isStream) received.push(chunk);
          else if (!res.write(chunk)) {
            controller.pause();
            res.once('drain', () => {
              controller.resume();
            });
          }
        },
        onResponseEnd() {
          if (isStream) {
            res.end();
            return;
          }
          const body = received.length === 1 ? received[0] : Buffer.concat(received);
          res.writeHead(status, ['content-type', type, 'content-length', String(body?.length ?? 0)]);
          res.end(body);
        },
        onResponseError() {
          res.destroy();
        },
      },
    );
  });
}

/** The usual way: undici's request, and pipes. */
function request(req: IncomingMessage, res: ServerResponse): void {
  pool
    .request({
      path: req.url ?? '/',
      method: 'POST',
      body: req,
      headers: { 'content-type': 'application/json', authorization: 'Bearer upstream' },
    })
    .then(({ statusCode, headers, body }) => {
      res.writeHead(statusCode, { 'content-type': headers['content-type'] });
      pipeline(body, res, () => undefined);
    })
    .catch(() => {
      res.destroy();
    });
}
