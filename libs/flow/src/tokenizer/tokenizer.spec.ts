import fc from 'fast-check';
import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base';
import * as o200k from 'gpt-tokenizer/encoding/o200k_base';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packTable } from './token-table';
import { openTokenizer } from './tokenizer';

const AS_PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

describe.each([
  ['o200k_base', o200k],
  ['cl100k_base', cl100k],
] as const)('%s', (name, reference) => {
  const tokenizer = openTokenizer(name);
  const expectSame = (text: string): void => {
    const tokens = reference.encode(text, AS_PLAIN_TEXT);
    expect(tokenizer.encode(text)).toEqual(tokens);
    expect(tokenizer.countTokens(text)).toBe(tokens.length);
  };

  it('splits any text into the same tokens as the package', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), expectSame));
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), expectSame));
  });

  it.each([
    ['prose', "The fare's paid before the ride begins. ".repeat(50)],
    ['code', readFileSync(__filename, 'utf8')],
    ['long runs', `${'a'.repeat(700)} ${'='.repeat(300)}${' '.repeat(200)}\n\n${'1234567890'.repeat(40)}`],
    ['other scripts', 'naïve 日本語の文章 русский текст עברית 🧑🏽‍🚀🦊 e\u0301'],
    ['lone surrogates', '\ud800 a \udc00b'],
    ['names of special tokens', '<|endoftext|><|im_start|>'],
  ])('splits %s into the same tokens as the package', (_, text) => {
    expectSame(text);
  });

  it('has the bytes of every token', () => {
    const text = 'Zürich 東京 🧑🏽‍🚀';
    const bytes = tokenizer.encode(text).map((token) => tokenizer.bytesOf(token));
    expect(Buffer.concat(bytes).toString()).toBe(text);
  });
});

it('the build writes the table of each tokenizer that it is given', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-tokens-'));
  const script = path.join(__dirname, 'write-token-tables.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, folder, 'cl100k_base'], {
    encoding: 'utf8',
  });
  const written = readdirSync(folder).map((file) => [file, readFileSync(path.join(folder, file))] as const);
  rmSync(folder, { recursive: true });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(written).toEqual([['cl100k_base.tokens', packTable('cl100k_base')]]);
});
