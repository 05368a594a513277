import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { ERROR_CODES } from '@farebox/errors';
import { OPERATIONS } from '../operations';
import { buildDocsPage } from './docs-page';
import { buildDocument } from './document';
import { buildErrorDocs } from './error-docs';
import { html, prose } from './docs-layout';

const document = buildDocument();
const BASE_URL = 'https://farebox.example';
const page = buildDocsPage(document, { baseUrl: BASE_URL, name: 'Acme & Co' });

describe('the page', () => {
  it('describes every operation and every schema, and each of its links has a target', () => {
    const anchors = new Set([...page.html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const { id } of OPERATIONS) expect(anchors).toContain(id);
    for (const name of Object.keys(document.components.schemas)) expect(anchors).toContain(`schema-${name}`);
    for (const [, target] of page.html.matchAll(/href="#([^"]+)"/g)) expect(anchors).toContain(target);
  });

  it('runs no script and requests nothing from any host', () => {
    expect(page.html).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|@import|url\(/i);
    expect([...page.html.matchAll(/(?:src|href)="([^#"][^"]*)"/g)].map(([, url]) => url)).toEqual([
      '/',
      '/docs/errors',
      '/openapi.json',
    ]);
  });

  it('has the one style that its policy permits', () => {
    const styles = [...page.html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style = '']) => style);
    expect(styles).toHaveLength(1);
    expect(page.html).not.toContain(' style=');
    const hash = createHash('sha256').update(styles.join('')).digest('base64');
    expect(page.contentSecurityPolicy).toBe(
      `default-src 'none';style-src 'sha256-${hash}';base-uri 'none';form-action 'none';frame-ancestors 'none'`,
    );
  });
});

describe('a reader', () => {
  const commands = [...page.html.matchAll(/<pre><code>([^]*?)<\/code><\/pre>/g)].map(([, text = '']) =>
    text
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  );

  it("sees the base URL and the operator's name", () => {
    expect(page.html).toContain('<h1>Acme &amp; Co API</h1>');
    expect(page.html).toContain(`Base URL: <code>${BASE_URL}</code>`);
  });

  it('finds a command for each operation, with that base URL and the variable of its credential', () => {
    for (const { id, method, path, credential, body } of OPERATIONS) {
      const entry = new RegExp(`<div id="${id}">[^]*?<pre><code>([^]*?)</code>`).exec(page.html)?.[1] ?? '';
      expect([id, entry]).toEqual([
        id,
        expect.stringMatching(/^curl (-X [A-Z]+ )?&#39;https:\/\/farebox\.example\//),
      ]);
      expect([id, entry.includes('FAREBOX_API_KEY')]).toEqual([id, credential === 'api_key']);
      expect([id, entry.includes('FAREBOX_SESSION')]).toEqual([id, credential === 'session']);
      expect([id, entry.includes('-d &#39;')]).toEqual([id, body !== undefined]);
      expect([id, entry.includes('{')]).toEqual([id, body !== undefined]);
      if (method !== 'GET' && !(method === 'POST' && body)) expect(entry).toContain(`-X ${method}`);
      expect(path).toMatch(/^\//);
    }
  });

  it('can paste every command: the shell takes it', () => {
    expect(commands.length).toBeGreaterThan(OPERATIONS.length);
    const { status, stderr } = spawnSync('bash', ['-n'], { input: commands.join('\n'), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('sees tokens literally', () => {
    for (const prefix of ['ak-…', 'st-…', 'lt-…']) expect(page.html).toContain(prefix);
    expect(page.html).not.toContain('si-example');
  });

  it('sees every operation and every schema folded, so that the page can be browsed', () => {
    const entries =
      page.html.match(/<section><details>|<\/details>\s*<details>\s*<summary><b>/g)?.length ?? 0;
    expect(entries).toBeGreaterThanOrEqual(OPERATIONS.length);
    for (const { id } of OPERATIONS) expect(page.html).toMatch(new RegExp(`</summary>\\s*<div id="${id}">`));
  });
});

describe('the pages about errors', () => {
  const pages = buildErrorDocs();

  it('are one for each code, and a table of all', () => {
    const paths = Object.keys(ERROR_CODES).map((code) => `/docs/errors/${code}`);
    expect([...pages.keys()]).toEqual(['/docs/errors', ...paths]);
    for (const path of paths) expect(pages.get('/docs/errors')?.html).toContain(`<a href="${path}">`);
  });

  it('show when the error occurs and what to do, without a script', () => {
    for (const [code, { status, remedy }] of Object.entries(ERROR_CODES)) {
      const { html: text = '', contentSecurityPolicy } = pages.get(`/docs/errors/${code}`) ?? {};
      expect(text).toContain(`<h1>${code}</h1>`);
      expect(text).toContain(String(status));
      expect(text).toContain(prose(remedy).text);
      expect(text).not.toMatch(/<script|<img|\sstyle=|\son\w+=/i);
      expect(contentSecurityPolicy).toBe(page.contentSecurityPolicy);
    }
  });
});

describe('html', () => {
  it('escapes its values, but not its own output', () => {
    expect(html`<b title="${'"'}">${'<i>&'}${html`<i>${"'"}</i>`}</b>`.text).toBe(
      '<b title="&quot;">&lt;i&gt;&amp;<i>&#39;</i></b>',
    );
  });

  it('renders the small part of CommonMark that is used', () => {
    expect(prose('**A `b`** c\n\n`<d>`').text.replaceAll(/\s*\n\s*/g, '')).toBe(
      '<p><strong>A <code>b</code></strong> c</p><p><code>&lt;d&gt;</code></p>',
    );
  });
});
