import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import {
  createRequestMeter,
  readConsoleFiles,
  RequestBodies,
  RequestRecorder,
  UnwrittenResponses,
  type ConsoleFiles,
} from '@farebox/http';
import { createLogger, quietTelemetry } from '@farebox/observability';
import { createApp } from '../app';

const INDEX =
  '<!doctype html><html><head><title>Console</title></head><body><div id="root"><div class="frame">…</div></div></body></html>';
const SCRIPT = 'console.log("console");'.repeat(100);
const SCRIPT_PATH = '/console/assets/index-a1b2c3d4.js';

/** The headers of a browser in which a person opens an address. */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};
const OLD_BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let folder: string;
const servers: Server[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-console-'));
  mkdirSync(join(folder, 'console/assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), INDEX);
  writeFileSync(join(folder, 'console/icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, SCRIPT_PATH), SCRIPT);
  writeFileSync(join(folder, `${SCRIPT_PATH}.br`), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, `${SCRIPT_PATH}.gz`), gzipSync(SCRIPT));
  writeFileSync(join(folder, `${SCRIPT_PATH}.map`), '{}');
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const logged: Record<string, unknown>[] = [];

async function serve(files: ConsoleFiles | undefined, name = 'Acme'): Promise<Ask> {
  const write = (line: string): void => {
    logged.push(JSON.parse(line) as Record<string, unknown>);
  };
  const log = createLogger({ service: 'test', level: 'info', destination: { write } });
  const { metrics, tracer } = quietTelemetry();
  const endpoint = { method: 'GET', path: '/v1/things/:thing_id', body: 'none' } as const;
  const app = createApp({
    endpoints: [{ ...endpoint, handle: () => Promise.resolve({ status: 200, body: {} }) }],
    openEndpoints: [],
    keyEndpoints: [],
    findApiKey: () => Promise.resolve(undefined),
    documents: [{ path: '/docs', contentType: 'text/html; charset=utf-8', text: 'the reference' }],
    console: { files, brand: { name, color: '#e8590c', logoUrl: 'https://img.acme.example/logo.svg' } },
    findSession: () => Promise.resolve(undefined),
    trustedProxies: [],
    memory: { bodies: new RequestBodies(Infinity), responses: new UnwrittenResponses(Infinity) },
    consoleOrigins: ['https://console.acme.example'],
    readiness: { isReady: () => true },
    recorder: new RequestRecorder({ log, tracer, requests: createRequestMeter(metrics) }),
    log,
  });
  const server = createServer(app);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return asker((server.address() as AddressInfo).port);
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}
type Ask = (path: string, headers?: Record<string, string>, method?: string) => Promise<Answer>;

/** Node's own client, which sends a path and `Sec-Fetch-Mode` unchanged. */
const asker =
  (port: number): Ask =>
  (path, headers = {}, method = 'GET') =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: res.statusCode ?? 0, headers: res.headers, bytes, text: bytes.toString() });
        });
      });
      sent.on('error', reject).end();
    });

describe('the console', () => {
  let ask: Ask;
  beforeAll(async () => {
    ask = await serve(readConsoleFiles(folder));
  });

  it.each(['/', '/billing?checkout=paid', '/activity/chatcmpl-01kag0s3hze6p9tz3cm7qj5wxe', '/no/such/page'])(
    'is served to a browser that opens %s',
    async (path) => {
      for (const headers of [BROWSER, OLD_BROWSER, { accept: 'text/html' }]) {
        const answer = await ask(path, headers);
        expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
        expect(answer.text).toContain('<div id="root">');
      }
    },
  );

  it.each([
    ['/', true],
    ['/keys', true],
    ['/sign-in', false],
    ['/no-access', false],
  ])('shows an empty frame on %s before its scripts have run: %s', async (path, hasFrame) => {
    expect((await ask(path, BROWSER)).text.includes('class="frame"')).toBe(hasFrame);
  });

  it('runs only its own scripts, and styles with the nonce of this response', async () => {
    const answers = [await ask('/', BROWSER), await ask('/', BROWSER)];
    const nonces = answers.map(
      ({ text }) => /<meta name="csp-nonce" content="([^"]{20,})"/.exec(text)?.[1] ?? '',
    );
    expect(new Set(nonces).size).toBe(2);
    for (const [i, { headers }] of answers.entries()) {
      expect(headers).toMatchObject({
        'content-security-policy': `default-src 'none';script-src 'self';style-src 'self' 'nonce-${nonces[i] ?? ''}';img-src 'self' data: https://img.acme.example;font-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'`,
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
        'permissions-policy': expect.stringMatching(
          /camera=\(\).*geolocation=\(\).*microphone=\(\).*payment=\(\)/,
        ) as string,
      });
    }
  });

  it("has the operator's name as title, whatever the name contains", async () => {
    const other = await serve(readConsoleFiles(folder), 'A $& <b>');
    expect((await other('/', BROWSER)).text).toContain(
      '<title>A $&amp; &lt;b&gt;</title><meta name="theme-color" content="#e8590c" />',
    );
  });

  it('is revalidated each time, and a 304 has no policy, so that the cached one stays', async () => {
    const { headers } = await ask('/', BROWSER);
    const again = await ask('/keys', { ...BROWSER, 'if-none-match': String(headers.etag) });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    expect(again.headers).not.toHaveProperty('content-security-policy');
    expect((await ask('/', { ...BROWSER, 'if-none-match': '"other"' })).status).toBe(200);
  });

  it.each([
    ['br', brotliDecompressSync, 'gzip, deflate, br, zstd'],
    ['gzip', gunzipSync, 'gzip, deflate'],
    [undefined, (bytes: Buffer) => bytes, 'identity'],
    [undefined, (bytes: Buffer) => bytes, 'br;q=0'],
  ] as const)(
    'serves assets as %s to clients that accept it, cacheable for a year',
    async (encoding, decode, accepted) => {
      const answer = await ask(SCRIPT_PATH, { 'accept-encoding': accepted });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-encoding']).toBe(encoding);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        'content-length': String(answer.bytes.length),
      });
      expect(decode(answer.bytes).toString()).toBe(SCRIPT);
    },
  );

  it('serves files without a hash in their name, cacheable for a day', async () => {
    const { status, headers } = await ask('/console/icon.svg');
    expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(headers['cache-control']).toBe('public, max-age=86400');
  });

  it('responds to HEAD without a body', async () => {
    for (const path of ['/', SCRIPT_PATH]) {
      const { status, text } = await ask(path, BROWSER, 'HEAD');
      expect([status, text]).toEqual([200, '']);
    }
  });

  it.each([
    '/console/assets/gone.js',
    '/console/assets/../../../../etc/passwd',
    '/console/assets/%2e%2e/%2e%2e/index.html',
    `${SCRIPT_PATH}.map`,
    `${SCRIPT_PATH}.br`,
    '/console',
  ])('has no file %s', async (path) => {
    const answer = await ask(path, { accept: '*/*' });
    expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('does not answer for missing well-known files', async () => {
    expect((await ask('/.well-known/security.txt', BROWSER)).status).toBe(404);
  });

  it('accepts only GET and HEAD', async () => {
    expect((await ask('/', BROWSER, 'POST')).status).toBe(404);
  });

  it('is logged as the console, and an asset as an asset', async () => {
    logged.length = 0;
    await ask('/some/page?token=secret', BROWSER);
    await ask(SCRIPT_PATH);
    expect(logged.map(({ route }) => route)).toEqual(['console', 'console assets']);
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  it('leaves the API to programs, which get JSON on every path', async () => {
    for (const path of ['/', '/billing', '/v1/nothing', '/v1/things/1', '/auth/nothing']) {
      for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
        const answer = await ask(path, headers);
        expect([answer.status >= 400, answer.headers['content-type']]).toEqual([
          true,
          'application/json; charset=utf-8',
        ]);
      }
    }
    expect((await ask('/docs', BROWSER)).text).toBe('the reference');
  });

  it.each([
    ['/v1/nothing', 404],
    ['/v1/things/1', 401],
    ['/auth/nothing', 404],
    ['/console/assets/gone.js', 404],
    ['/docs/nothing', 404],
  ])('shows a browser that opens %s a page, with the status %i of the error', async (path, status) => {
    for (const headers of [BROWSER, OLD_BROWSER]) {
      const answer = await ask(path, headers);
      expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
      expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none';style-src 'sha256-/);
      expect(answer.text).toContain(String(answer.headers['x-request-id']));
      expect(answer.text).toContain('<a href="/">Open the console</a>');
      expect(answer.headers.link).toMatch(/^<\/docs\/errors\/\w+>; rel="help"$/);
    }
    const fetched = await ask(path, { accept: '*/*', 'sec-fetch-mode': 'cors' });
    expect([fetched.status, fetched.headers['content-type']]).toEqual([
      status,
      'application/json; charset=utf-8',
    ]);
  });
});

it('a console elsewhere passes the origin check before its session is looked up', async () => {
  const ask = await serve(undefined);
  const headers = (origin: string) => ({ origin, 'access-control-request-method': 'GET' });
  const listed = await ask('/v1/things/1', headers('https://console.acme.example'), 'OPTIONS');
  expect([listed.status, listed.headers['access-control-allow-origin']]).toEqual([
    204,
    'https://console.acme.example',
  ]);
  const other = await ask('/v1/things/1', headers('https://acme.example'), 'OPTIONS');
  expect(other.status).toBe(405);
  expect(other.headers).not.toHaveProperty('access-control-allow-origin');
});

describe('a service without the files of the console', () => {
  it('explains that in a sentence, and its API works', async () => {
    expect(readConsoleFiles(join(folder, 'nothing'))).toBeUndefined();
    const ask = await serve(undefined);
    const { status, headers, text } = await ask('/', BROWSER);
    expect([status, headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
    expect(text).toContain('This service was started without the files of the console. The API works');
    expect((await ask('/v1/things/1')).status).toBe(401);
  });
});
