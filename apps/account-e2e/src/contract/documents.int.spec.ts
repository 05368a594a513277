import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAccountStand, type AccountStand } from '../account-stand';

const COMMITTED = join(__dirname, '../../../../docs/openapi.json');

let stand: AccountStand;
beforeAll(async () => {
  stand = await openAccountStand();
});
afterAll(() => stand.close());

describe('GET /openapi.json', () => {
  it('is the committed document, without a credential', async () => {
    const { status, json, headers } = await stand.send('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json).toEqual(JSON.parse(readFileSync(COMMITTED, 'utf8')));
  });
});

describe('GET /docs', () => {
  it('is a page that may show its own style, and do nothing else', async () => {
    const { status, headers, text } = await stand.send('GET', '/docs');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';style-src 'sha256-[^ ]+';/);
    expect(text).toContain('POST</b> <code>/v1/chat/completions</code>');
  });
});

describe.each(['/openapi.json', '/docs'])('%s', (path) => {
  it('is kept by a cache for as long as it is the same', async () => {
    const { headers } = await stand.send('GET', path);
    expect(headers['cache-control']).toBe('public, no-cache');
    const again = await stand.send('GET', path, { headers: { 'if-none-match': headers.etag } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    expect((await stand.send('GET', path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('answers HEAD with the length and no body, and another method with 405', async () => {
    const { bytes, headers } = await stand.send('GET', path);
    const head = await stand.send('HEAD', path);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(bytes.length)]);
    expect(headers['content-length']).toBe(String(bytes.length));
    const posted = await stand.send('POST', path);
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET']);
  });
});
