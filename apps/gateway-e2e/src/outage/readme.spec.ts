import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';

/** A row of the table in the README of this folder. */
interface Row {
  fault: string;
  file: string;
  test: string;
}

const ROW = /^\| (?<fault>[^|]+?) +\| `(?<file>[^`|]+)` +\| (?<test>[^|]+?) +\|$/;
const TITLE = /^ *(?:it|test)(?:\.each\([^]*?\))?\(\s*(?:'(?<single>(?:[^'\\]|\\.)+)'|"(?<double>[^"]+)")/gm;
const SKIPPED = /\b(?:it|test|describe)\.(?:skip|todo|only)\b|\bx(?:it|test|describe)\(/;

const rows = readFileSync(join(__dirname, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => line.includes('.spec.ts'))
  .map((line): Row => {
    const { fault = '', file = '', test = '' } = ROW.exec(line)?.groups ?? {};
    return { fault, file, test };
  });

/** The test titles of a file as written: `%s` stands for a value from `it.each`. */
function titlesIn(source: string): string[] {
  return [...source.matchAll(TITLE)].map(({ groups }) => groups?.['single'] ?? groups?.['double'] ?? '');
}

const sourceOf = (file: string): string => readFileSync(join(workspaceRoot(), file), 'utf8');

it.each(rows)('$fault: $test', ({ file, test }) => {
  const source = sourceOf(file);
  expect(titlesIn(source)).toContain(test);
  expect(source).not.toMatch(SKIPPED);
});

it('every test of this folder is in the table', () => {
  const specs = readdirSync(__dirname).filter(
    (name) => name.endsWith('.spec.ts') && name !== 'readme.spec.ts',
  );
  const titles = specs.flatMap((name) => titlesIn(readFileSync(join(__dirname, name), 'utf8')));
  const named = new Set(rows.map(({ test }) => test));
  expect(titles.length).toBeGreaterThan(0);
  expect(titles.filter((title) => !named.has(title))).toEqual([]);
});
