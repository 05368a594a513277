import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSignInLink } from '@farebox/accounts';
import { openAccountHarness, type AccountHarness } from '../../test/account-harness';

const COMMITTED = join(__dirname, '../../../../docs/use/openapi.json');

let harness: AccountHarness;
beforeAll(async () => {
  harness = await openAccountHarness();
});
afterAll(() => harness.close());

describe('GET /openapi.json', () => {
  it('returns the committed document, without a credential', async () => {
    const { status, json, headers } = await harness.send('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json).toEqual(JSON.parse(readFileSync(COMMITTED, 'utf8')));
  });
});

describe('GET /docs', () => {
  it('returns a page that may show its own style, and do nothing else', async () => {
    const { status, headers, text } = await harness.send('GET', '/docs');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';style-src 'sha256-[^ ]+';/);
    expect(text).toContain('POST</b> <code>/v1/chat/completions</code>');
  });
});

it('the first steps of /docs lead a shell from the token of a link to a session and a key', async () => {
  const { text } = await harness.send('GET', '/docs');
  const commands = [...text.matchAll(/<li>[^]*?<pre><code>([^]*?)<\/code><\/pre>/g)].map(([, command = '']) =>
    command
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&gt;', '>')
      .replaceAll('&lt;', '<'),
  );
  const { accountId } = await harness.givenCustomer();
  const { token } = await createSignInLink(accountId, harness.pool, 'sign_in');
  const [, signIn = '', makeKey = ''] = commands;
  const script = [signIn, makeKey, 'echo "$FAREBOX_SESSION $FAREBOX_API_KEY"']
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', `http://127.0.0.1:${String(harness.process.port)}`)
    .replace('lt-…', token);
  const { stdout } = await promisify(execFile)('bash', ['-c', script]);
  expect(stdout).toMatch(/^st-[\w-]{43} ak-[0-9A-Za-z]{38}\n$/);
});

describe.each(['/docs/errors', '/docs/errors/rate_limit_error'])('GET %s', (path) => {
  it('returns the page that the Link of an error leads to', async () => {
    const { status, headers, text } = await harness.send('GET', path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('rate_limit_error');
    const refused = await harness.send('GET', '/v1/billing/balance');
    expect(refused.headers.link).toBe('</docs/errors/authentication_error>; rel="help"');
    expect((await harness.send('GET', '/docs/errors/authentication_error')).status).toBe(200);
  });
});

describe.each(['/openapi.json', '/docs'])('%s', (path) => {
  it('may be cached until it changes', async () => {
    const { headers } = await harness.send('GET', path);
    expect(headers['cache-control']).toBe('public, no-cache');
    const again = await harness.send('GET', path, { headers: { 'if-none-match': headers.etag } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    expect((await harness.send('GET', path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('answers HEAD with the length and no body, and another method with 405', async () => {
    const { bytes, headers } = await harness.send('GET', path);
    const head = await harness.send('HEAD', path);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(bytes.length)]);
    expect(headers['content-length']).toBe(String(bytes.length));
    const posted = await harness.send('POST', path);
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET']);
  });
});
