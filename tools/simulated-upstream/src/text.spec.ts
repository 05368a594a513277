import { countTokens as countWithTokenizer, encode } from 'gpt-tokenizer/encoding/o200k_base';
import { endlessProse, proseOfTokens, sequenceFrom, shortProse } from './text';

describe('prose', () => {
  it('is the same for the same seed and another for another', () => {
    expect(shortProse('a')).toBe(shortProse('a'));
    expect(shortProse('a')).not.toBe(shortProse('b'));
  });

  it('is whole sentences', () => {
    expect(shortProse('a')).toMatch(/^([A-Z][a-z]*( [a-z]+){5,11}\.( |$)){3,5}$/);
  });

  it('comes in pieces that the tokenizer takes for one token each', () => {
    const pieces: string[] = [];
    for (const piece of endlessProse('pieces')) {
      if (pieces.length === 5_000) break;
      pieces.push(piece);
    }
    expect(pieces.filter((piece) => encode(piece).length !== 1)).toEqual([]);
    expect(encode(pieces.join(''))).toHaveLength(5_000);
  });

  it.each([1, 2, 7, 100, 4_321])('has exactly %i tokens where that is asked for', (tokens) => {
    expect(countWithTokenizer(proseOfTokens('exact', tokens))).toBe(tokens);
  });
});

describe('sequenceFrom', () => {
  it('stays below its bound and reaches all of it', () => {
    const next = sequenceFrom('bound');
    const seen = new Set(Array.from({ length: 1_000 }, () => next(7)));
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});
