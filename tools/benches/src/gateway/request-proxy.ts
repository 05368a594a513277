import { createServer } from 'node:http';
import { pipeline } from 'node:stream';
import { Pool } from 'undici';

/** The usual way: undici's request, and pipes. */

const pool = new Pool(process.env['UPSTREAM_ORIGIN'] ?? '', { connections: 256, pipelining: 1 });

createServer((req, res) => {
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
}).listen(Number(process.env['PORT']), '127.0.0.1');
