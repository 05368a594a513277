import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAccountHarness, type AccountHarness } from '../../test/account-harness';

const COMMITTED = join(__dirname, '../../../../docs/openapi.json');

let harness: AccountHarness;
beforeAll(async () => {
  harness = await openAccountHarness();
});
afterAll(() => harness.close());

describe('GET /openapi.json', () => {
  it('is the committed document, without a credential', async () => {
    const { status, json, headers } = await harness.send('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json).toEqual(JSON.parse(readFileSync(COMMITTED, 'utf8')));
  });
});

describe('GET /docs', () => {
  it('is a page that may show its own style, and do nothing else', async () => {
    const { status, headers, text } = await harness.send('GET', '/docs');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';style-src 'sha256-[^ ]+';/);
    expect(text).toContain('POST</b> <code>/v1/chat/completions</code>');
  });
});

describe.each(['/openapi.json', '/docs'])('%s', (path) => {
  it('is kept by a cache for as long as it is the same', async () => {
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
