import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { german } from './german';

const ROOT = path.join(__dirname, '../../..');
/** Where texts are written, by `t`, `rich` or a table of them. */
const WRITERS = [
  'apps/console/src',
  'apps/account/src/http',
  'libs/http/src',
  'libs/mail/src',
  'libs/texts/src',
  'libs/ui/src',
];
const REMEDY = 'Add it to libs/texts/src/german, see docs/design/languages.md.';

interface Written {
  file: string;
  /** The first arguments of `t` and `rich`. */
  asked: readonly string[];
  literals: readonly string[];
}

function read(file: string): Written {
  const source = readFileSync(path.join(ROOT, file), 'utf8');
  const asked: string[] = [];
  const literals: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) literals.push(node.text);
    if (ts.isCallExpression(node) && /^(?:rich|(?:.+\.)?t)$/.test(node.expression.getText()))
      asked.push(...literalsOf(node.arguments[0]));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return { file, asked, literals };
}

function literalsOf(node: ts.Expression | undefined): string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  return ts.isConditionalExpression(node) ? [node.whenTrue, node.whenFalse].flatMap(literalsOf) : [];
}

const written = WRITERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.spec\.ts$|^german\//.test(name))
    .map((name) => read(path.join(folder, name))),
);

/** The values and the elements of a text, in order, each as often as it is there. */
const partsOf = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)(?:, plural,|\})|<\/?(\w+)>/g)].map(([part]) => part).sort();

describe('the catalogue', () => {
  it('has a German text for each that is written', () => {
    const missing = written.flatMap(({ file, asked }) =>
      asked
        .filter((text) => !Object.hasOwn(german, text))
        .map((text) => `${file}: "${text}" has no German text. ${REMEDY}`),
    );
    expect(written.flatMap(({ asked }) => asked).length).toBeGreaterThan(400);
    expect(missing).toEqual([]);
  });

  it('has no text that nobody writes', () => {
    const used = new Set(written.flatMap(({ literals }) => literals));
    expect(Object.keys(german).filter((text) => !used.has(text))).toEqual([]);
  });

  it('has each text once', () => {
    const folder = path.join(__dirname, 'german');
    const keys = readdirSync(folder)
      .filter((name) => name !== 'index.ts')
      .flatMap((name) => keysIn(path.join(folder, name)));
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
    expect(keys).toHaveLength(Object.keys(german).length);
  });

  it.each(Object.entries(german))('has the same values and elements in both languages of: %s', (en, de) => {
    expect(partsOf(de)).toEqual(partsOf(en));
    expect(de).not.toBe('');
    // A form for one and a form for all others.
    for (const text of [en, de]) expect(text.split(/ (?:one|other) \{/).length - 1).toBe(formsOf(en));
  });
});

const formsOf = (text: string): number => 2 * (text.split(', plural,').length - 1);

function keysIn(file: string): string[] {
  const keys: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node))
      keys.push(ts.isIdentifier(node.name) || ts.isStringLiteral(node.name) ? node.name.text : '');
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
  return keys;
}
