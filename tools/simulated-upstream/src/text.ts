import { createHash } from 'node:crypto';

/** Each word is one token of o200k_base, with a space before it and with a capital; the spec holds them to it. */
const WORDS = (
  'the a small river window light paper garden morning quiet road stone train letter table music ' +
  'winter summer city house station water green old new open under over near with and then every ' +
  'some three seven people children market bridge island forest story answer question number ' +
  'ticket driver teacher friend before after between without clear warm cold long short early late ' +
  'north south into'
).split(' ');

const WORDS_PER_SENTENCE = { least: 6, most: 12 };
const SENTENCES_PER_ANSWER = { least: 3, most: 5 };

/** Gives the next number of a sequence, in [0, below). */
export type Sequence = (below: number) => number;

/** A sequence that depends on the seed alone (mulberry32 over the first bytes of its SHA-256). */
export function sequenceFrom(seed: string): Sequence {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function between(next: Sequence, range: { least: number; most: number }): number {
  return range.least + next(range.most - range.least + 1);
}

function sentence(next: Sequence): string[] {
  const length = between(next, WORDS_PER_SENTENCE);
  const words = Array.from({ length }, () => WORDS[next(WORDS.length)] ?? 'the');
  const [first = 'the', ...rest] = words;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest.map((word) => ` ${word}`), '.'];
}

/** Sentences without end, in pieces of one token each. */
export function* endlessProse(seed: string): Generator<string, never, undefined> {
  const next = sequenceFrom(seed);
  yield* sentence(next);
  for (;;) {
    const [first = '', ...rest] = sentence(next);
    yield ` ${first}`;
    yield* rest;
  }
}

/** A few whole sentences. */
export function shortProse(seed: string): string {
  const next = sequenceFrom(seed);
  const count = between(next, SENTENCES_PER_ANSWER);
  return Array.from({ length: count }, () => sentence(next).join('')).join(' ');
}

/** Prose of exactly this many tokens, cut off mid-sentence where it must be. */
export function proseOfTokens(seed: string, tokens: number): string {
  const pieces: string[] = [];
  for (const piece of endlessProse(seed)) {
    if (pieces.length === tokens) break;
    pieces.push(piece);
  }
  return pieces.join('');
}
