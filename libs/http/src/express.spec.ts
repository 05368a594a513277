import type { Server } from 'node:http';
import { ApiError } from '@farebox/errors';
import express from 'express';
import { connectRaw } from '../test/raw-client';
import { closeGracefully } from './connections';
import { errorMiddleware, listenerOf, methodsFor, noRouteError, notFoundMiddleware } from './express';
import { createHttpServer, listen } from './http-server';
import { requestIdMiddleware } from './request-context';

const routes = [
  { method: 'GET', path: '/v1/api-keys/:key_public_id' },
  { method: 'DELETE', path: '/v1/api-keys/:key_public_id' },
  { method: 'POST', path: '/v1/api-keys/:key_public_id/rotate' },
];

describe('routes', () => {
  it('know the methods of a path', () => {
    expect(methodsFor(routes, '/v1/api-keys/key_1')).toEqual(['GET', 'DELETE']);
    expect(methodsFor(routes, '/v1/api-keys/key_1/rotate')).toEqual(['POST']);
    expect(methodsFor(routes, '/v1/api-keys/')).toEqual([]);
    expect(methodsFor(routes, '/v1/api-keys/key_1/rotate/now')).toEqual([]);
  });

  it('that do not exist are 404, or 405 if another method exists', () => {
    expect(noRouteError([]).status).toBe(404);
    expect(noRouteError(['GET']).status).toBe(405);
    expect(noRouteError(['GET']).code).toBe('invalid_request_error');
  });
});

const logged: object[] = [];
let server: Server;
let port: number;
beforeAll(async () => {
  const app = express();
  app.use(requestIdMiddleware());
  app.get('/things/:id', (_req, res) => {
    res.json({});
  });
  app.get('/throws/:what', (req) => {
    switch (req.params.what) {
      case 'api':
        throw new ApiError('rate_limit_error', { retryAfterSeconds: 7, param: 'x' });
      case 'upstream':
        throw new ApiError('service_unavailable', {
          cause: new Error('upstream failed'),
          isCauseLogged: true,
        });
      default:
        throw new Error('a password in a connection string');
    }
  });
  app.use(notFoundMiddleware([{ method: 'GET', path: '/things/:id' }]));
  const log = {
    error: (fields: object) => logged.push({ level: 'error', ...fields }),
    warn: (fields: object) => logged.push({ level: 'warn', ...fields }),
  };
  app.use(errorMiddleware(log));
  server = createHttpServer(listenerOf(app, log));
  port = await listen(server, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await closeGracefully(server, 100);
});

async function ask(
  method: string,
  path: string,
  more = 'Connection: close',
): Promise<{ status: number; headers: string; error: object }> {
  const client = await connectRaw(port);
  await client.send(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`);
  const { received } = await client.closed();
  const [headers = '', body = ''] = received.split('\r\n\r\n');
  const { error } = JSON.parse(body) as { error: object };
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
  expect(headers).toMatch(/\r\nx-request-id: req_/);
  return { status: Number(headers.split(' ')[1]), headers, error };
}

describe('a request that the chain of Express does not serve', () => {
  it.each([
    ['an unknown path', 'GET', '/nothing', 404],
    ['an encoded traversal', 'GET', '/nothing/%2e%2e%2fetc', 404],
    ['broken percent-encoding in a path', 'GET', '/nothing/%zz', 404],
    ['broken percent-encoding in a parameter', 'GET', '/things/%zz', 400],
    ['a wrong method', 'DELETE', '/things/1', 405],
    ['TRACE', 'TRACE', '/things/1', 405],
    ['the server itself', 'OPTIONS', '*', 404],
    ['a whole URL that is none', 'GET', 'https://[::1/v1', 404],
  ])('%s is answered in the envelope', async (_name, method, path, status) => {
    const answer = await ask(method, path);
    expect(answer.status).toBe(status);
    expect(answer.error).toMatchObject({ code: 'invalid_request_error', param: null });
    expect(answer.headers).toContain('x-should-retry: false');
    expect(answer.headers.includes('Allow: GET')).toBe(status === 405);
  });

  it.each([
    ['as it comes', 'Connection: Upgrade\r\nUpgrade: websocket'],
    ['through a proxy, which takes the header of its hop away', 'Connection: close'],
  ])('a WebSocket on a path of HTTP gets the answer at once that there is none (%s)', async (_how, hop) => {
    const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    const { status, headers, error } = await ask('POST', '/things/1', `${hop}\r\n${key}`);
    expect(status).toBe(426);
    expect(headers).toContain('Upgrade: HTTP/1.1');
    expect(headers).toContain('x-should-retry: false');
    expect(error).toMatchObject({ code: 'invalid_request_error' });
    expect((await ask('GET', '/nothing', `${hop}\r\n${key}`)).status).toBe(404);
  });

  it('an error for the client is sent unchanged, with the retry delay', async () => {
    const { status, headers, error } = await ask('GET', '/throws/api');
    expect(status).toBe(429);
    expect(error).toMatchObject({ code: 'rate_limit_error', param: 'x' });
    expect(headers).toContain('Retry-After: 7');
    expect(headers).toContain('x-should-retry: true');
    expect(logged).toEqual([]);
  });

  it('any other error is internal, and only the log shows it', async () => {
    const { status, headers, error } = await ask('GET', '/throws/other');
    expect([status, headers.includes('x-should-retry: true')]).toEqual([500, true]);
    expect(JSON.stringify(error)).not.toContain('password');
    expect(logged.splice(0)).toEqual([
      expect.objectContaining({ level: 'error', event: 'request_failed', code: 'internal_error' }),
    ]);
  });

  it('a failure whose cause was logged where it arose is a warning without it', async () => {
    expect((await ask('GET', '/throws/upstream')).status).toBe(503);
    expect(logged.splice(0)).toEqual([
      {
        ...{ level: 'warn', event: 'request_failed', code: 'service_unavailable' },
        request_id: expect.any(String) as string,
      },
    ]);
  });
});
