import { leastTokensOf, type TokenCount } from '@farebox/catalog';

/** Words with a space in front, each of which is one token of a tokenizer. */
export type TokenWords = ReadonlySet<string>;

export const NO_WORDS: TokenWords = new Set();

const SPACE = 0x20;
const APOSTROPHE = 0x27;
const FIRST_BEYOND_ASCII = 0x80;

/**
 * By how many a text has fewer tokens than bytes, for sure, and without the tables of its tokenizer. Looked at is what
 * begins at `from`, up to `end`: the last place at which a tokenizer cuts, whatever follows.
 *
 * A token has a byte at least. The tokenizers that are known here take a word, and the one space in front of it, as one
 * piece: if it is among `words`, it is one token. It is such a piece only if ASCII stands on both sides: a letter or a mark
 * of another script would be a part of it, as would the rest of "it's".
 */
export function fewerTokens(text: string, from: number, words: TokenWords): { fewer: number; end: number } {
  let fewer = 0;
  let end = from;
  for (let space = text.indexOf(' ', from); space >= 0;) {
    const wordEnd = endOfWord(text, space + 1);
    if (isCutBefore(text, space)) {
      end = space;
      if (isOver(text, wordEnd)) {
        if (words.has(text.slice(space, wordEnd))) fewer += wordEnd - space - 1;
        end = wordEnd;
      }
    }
    space = text.indexOf(' ', wordEnd);
  }
  return { fewer, end };
}

/** So much is looked through for cuts: it takes the event loop up to 10 ms. */
const LOOKED_THROUGH_LENGTH = 1_048_576;

/** How many tokens texts have, without a count: no less than there are cuts, at each of which a token begins. */
export function boundsOf(texts: readonly string[]): TokenCount {
  let [bytes, cuts, unread] = [0, 0, LOOKED_THROUGH_LENGTH];
  for (const text of texts) {
    bytes += Buffer.byteLength(text);
    cuts += countCuts(text.slice(0, unread));
    unread = Math.max(0, unread - text.length);
  }
  return { least: Math.max(cuts, leastTokensOf(bytes)), most: bytes };
}

/** At how many places a tokenizer cuts for sure, whatever follows. */
function countCuts(text: string): number {
  let cuts = 0;
  for (let space = text.indexOf(' '); space >= 0; space = text.indexOf(' ', space + 1))
    if (isCutBefore(text, space)) cuts++;
  return cuts;
}

/** Whether a piece begins with this space: it is the first of its kind, and what is before it is no space of others'. */
function isCutBefore(text: string, space: number): boolean {
  const before = text.charCodeAt(space - 1);
  return before > SPACE && before < FIRST_BEYOND_ASCII;
}

/** Past a capital letter and small ones of ASCII. */
function endOfWord(text: string, start: number): number {
  let end = start;
  if (isWithin(text.charCodeAt(end), 0x41, 0x5a)) end++;
  while (isWithin(text.charCodeAt(end), 0x61, 0x7a)) end++;
  return end;
}

/** Whether a word is over there, whatever follows: at the end of the text it is not. */
function isOver(text: string, end: number): boolean {
  if (end >= text.length) return false;
  const next = text.charCodeAt(end);
  return next < FIRST_BEYOND_ASCII && next !== APOSTROPHE && !isWithin(next & ~0x20, 0x41, 0x5a);
}

function isWithin(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}
