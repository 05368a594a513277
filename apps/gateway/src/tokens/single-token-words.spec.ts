import fc from 'fast-check';
import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base';
import * as o200k from 'gpt-tokenizer/encoding/o200k_base';
import { boundsOf, fewerTokens } from './single-token-words';

const AS_PLAIN_TEXT = { disallowedSpecial: new Set<string>() };
const KNOWN = [' token', ' The', ' a', ' I', ' word', ' it', ' don', ' can', ' re', ' x', ' na', ' token'];
const ODD = [
  "'s",
  "'",
  "'LL",
  's',
  'T',
  '.',
  ',',
  '\n',
  '\r\n',
  '  ',
  ' ',
  '\t',
  '\u00a0',
  '\u3000',
  '\u0301',
  'é',
  '漢',
];
const MORE = [
  '🦊',
  '1',
  '12345',
  '/',
  '<|endoftext|>',
  '()',
  'token',
  'Token',
  ' TOKEN',
  ' wordß',
  ' internationalisation',
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...KNOWN), fc.constantFrom(...ODD, ...MORE), fc.string({ maxLength: 4 })), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''));

describe.each([
  ['o200k_base', o200k],
  ['cl100k_base', cl100k],
])('words that %s takes as one token', (_name, { countTokens }) => {
  const words = new Set(KNOWN);
  const count = (text: string): number => countTokens(text, AS_PLAIN_TEXT);

  it('are one token each', () => {
    for (const word of KNOWN) expect(count(word)).toBe(1);
  });

  it('never reduce the count below the true one, whatever surrounds them', () => {
    fc.assert(
      fc.property(texts, texts, (text, rest) => {
        const { fewer, end } = fewerTokens(text, 0, words);
        expect(end).toBeLessThanOrEqual(text.length);
        expect(count(text + rest)).toBeLessThanOrEqual(Buffer.byteLength(text + rest) - fewer);
      }),
      { numRuns: 300 },
    );
  });

  it('are counted within the bounds of their text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { least, most } = boundsOf([text]);
        expect(count(text)).toBeGreaterThanOrEqual(least);
        expect(count(text)).toBeLessThanOrEqual(most);
      }),
      { numRuns: 300 },
    );
  });

  it('are found once, however the text arrives', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 6 }), (pieces) => {
        let [text, fewer, from] = ['', 0, 0];
        for (const piece of pieces) {
          text += piece;
          const found = fewerTokens(text, from, words);
          fewer += found.fewer;
          from = found.end;
        }
        expect(fewer).toBe(fewerTokens(text, 0, words).fewer);
      }),
      { numRuns: 200 },
    );
  });
});

it('a token is certain without a count for each word of prose but the first', () => {
  const prose = 'The quick brown fox jumps over the lazy dog.';
  expect(boundsOf([prose])).toEqual({ least: 8, most: prose.length });
});

it('the first megabyte is searched', () => {
  const texts = ['word '.repeat(100_000), 'word '.repeat(1_000_000), 'word word'];
  expect(boundsOf(texts).least).toBe(209_715);
});

it('most words of prose are found', () => {
  const words = new Set(' quick brown fox jumps over the lazy dog'.split(/(?= )/));
  expect(fewerTokens('The quick brown fox jumps over the lazy dog.', 0, words)).toEqual({
    fewer: ' quick brown fox jumps over the lazy dog'.length - 8,
    end: 43,
  });
});
