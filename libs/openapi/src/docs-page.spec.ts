import { createHash } from 'node:crypto';
import { buildDocsPage } from './docs-page';
import { buildDocument } from './document';
import { html, prose } from './html';
import { OPERATIONS } from './operations';

const document = buildDocument();
const page = buildDocsPage(document);

describe('the page', () => {
  it('tells of every operation and every schema, and each of its links leads somewhere', () => {
    const anchors = new Set([...page.html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const { id } of OPERATIONS) expect(anchors).toContain(id);
    for (const name of Object.keys(document.components.schemas)) expect(anchors).toContain(`schema-${name}`);
    for (const [, target] of page.html.matchAll(/href="#([^"]+)"/g)) expect(anchors).toContain(target);
  });

  it('runs no script and asks nothing of any host', () => {
    expect(page.html).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|@import|url\(/i);
    expect([...page.html.matchAll(/(?:src|href)="([^#"][^"]*)"/g)].map(([, url]) => url)).toEqual([
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

describe('html', () => {
  it('escapes what it is given, and not what it has made', () => {
    expect(html`<b title="${'"'}">${'<i>&'}${html`<i>${"'"}</i>`}</b>`.text).toBe(
      '<b title="&quot;">&lt;i&gt;&amp;<i>&#39;</i></b>',
    );
  });

  it('reads the little of CommonMark that there is', () => {
    expect(prose('**A `b`** c\n\n`<d>`').text.replaceAll(/\s*\n\s*/g, '')).toBe(
      '<p><strong>A <code>b</code></strong> c</p><p><code>&lt;d&gt;</code></p>',
    );
  });
});
