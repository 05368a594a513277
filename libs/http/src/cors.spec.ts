import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { allowOrigins } from './cors';

const CONSOLE = 'https://console.acme.example';
const LISTED = [CONSOLE, 'http://127.0.0.1:5173'];
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function ask(listed: readonly string[], method: string, headers: Record<string, string>) {
  const allow = allowOrigins(listed);
  const server = createServer((req, res) => {
    allow(req, res, () => {
      res.statusCode = req.method === 'OPTIONS' ? 405 : 200;
      res.end('served');
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${String(port)}/v1/account`, { method, headers });
  const allowed = [...answer.headers].filter(([name]) => name.startsWith('access-control-'));
  return { status: answer.status, vary: answer.headers.get('vary'), allowed: Object.fromEntries(allowed) };
}

const preflight = (origin: string) => ({
  origin,
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'content-type,authorization,idempotency-key',
});

it.each(LISTED)(
  'a page of %s may send the request of its preflight, with the cookie, and caches that',
  async (origin) => {
    const { status, allowed } = await ask(LISTED, 'OPTIONS', preflight(origin));
    expect(status).toBe(204);
    expect(allowed).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET,HEAD,POST,PATCH,DELETE',
      'access-control-allow-headers': 'content-type,authorization,idempotency-key',
      'access-control-max-age': '600',
      'access-control-expose-headers': expect.stringContaining('X-Service-Request-Id') as string,
    });
  },
);

it('it reads the response, with the headers that clients need', async () => {
  const { status, vary, allowed } = await ask(LISTED, 'GET', { origin: CONSOLE });
  expect([status, vary]).toEqual([200, 'Origin']);
  expect(allowed).toMatchObject({
    'access-control-allow-origin': CONSOLE,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': expect.stringMatching(/Retry-After,Link/) as string,
  });
});

it.each([
  'https://evil.example',
  'https://console.acme.example.evil.example',
  'https://console.acme.example:8443',
  'http://console.acme.example',
  'https://sub.console.acme.example',
  'HTTPS://CONSOLE.ACME.EXAMPLE',
  'null',
])('a page of %s gets no permission', async (origin) => {
  expect(await ask(LISTED, 'GET', { origin })).toEqual({ status: 200, vary: 'Origin', allowed: {} });
  expect(await ask(LISTED, 'OPTIONS', preflight(origin))).toEqual({
    status: 405,
    vary: 'Origin',
    allowed: {},
  });
});

it('without a list no header mentions origins', async () => {
  expect(await ask([], 'GET', { origin: CONSOLE })).toEqual({ status: 200, vary: null, allowed: {} });
  expect(await ask([], 'OPTIONS', preflight(CONSOLE))).toMatchObject({ status: 405, allowed: {} });
});
