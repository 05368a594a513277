import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, type ErrorCode, errorPages } from './error-codes';

const docsFolder = join(__dirname, '../../../docs/use/errors');
const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe('docs/use/errors', () => {
  it('has one page for each code, and no other', () => {
    const pages = readdirSync(docsFolder).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(codes.map((code) => `${code}.md`).sort());
  });

  it.each(codes)('%s: the page matches the table', (code) => {
    const page = readFileSync(join(docsFolder, `${code}.md`), 'utf8');
    const { status, type, retryable } = ERROR_CODES[code];
    expect(page).toContain(`# \`${code}\``);
    expect(page).toContain(`| HTTP status | ${String(status)} |`);
    expect(page).toContain(`| type | \`${type}\` |`);
    expect(page).toContain(`| retry by itself | ${retryable ? 'yes' : 'no'} |`);
  });

  it('lists every code in the index', () => {
    const index = readFileSync(join(docsFolder, 'README.md'), 'utf8');
    const linked = [...index.matchAll(/\]\((\w+)\.md\)/g)].map((match) => match[1]);
    expect(linked.sort()).toEqual([...codes].sort());
  });
});

it.each([...errorPages()])('docs/use/errors/%s is as `npm run openapi` writes it', (name, text) => {
  expect(readFileSync(join(docsFolder, name), 'utf8')).toBe(text);
});

describe('the specification', () => {
  it('has exactly nineteen codes', () => {
    expect(codes).toHaveLength(19);
  });

  it.each(codes)('%s: has "rate limit" or "billing" in its text only if that is the error', (code) => {
    expect(ERROR_CODES[code].message).not.toMatch(/rate limit|billing/i);
  });
});
