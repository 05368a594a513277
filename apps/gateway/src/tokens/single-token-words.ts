import { leastTokensOf, type TokenCount } from '@farebox/catalog';

/** Words with a leading space, each of which is one token of a tokenizer. */
export type TokenWords = ReadonlySet<string>;

export const NO_WORDS: TokenWords = new Set();

const SPACE = 0x20;
const APOSTROPHE = 0x27;
const FIRST_BEYOND_ASCII = 0x80;

/**
 * A certain minimum by which a text has fewer tokens than bytes, found without the tables of its tokenizer. It
 * examines the text from `from` up to `end`, the last certain cut of the tokenizer.
 *
 * A token has at least one byte. The tokenizers that are known here take a word and one leading space as one piece,
 * which is one token if it is among `words`. That holds only between ASCII characters: a letter or a mark of another
 * script would belong to the piece, as would the rest of "it's".
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

/** Characters that are searched for cuts, which takes the event loop up to 10 ms. */
const LOOKED_THROUGH_LENGTH = 1_048_576;

/** A minimum of the tokens of texts, without a count: each cut begins a token. */
export function boundsOf(texts: readonly string[]): TokenCount {
  let [bytes, cuts, unread] = [0, 0, LOOKED_THROUGH_LENGTH];
  for (const text of texts) {
    bytes += Buffer.byteLength(text);
    cuts += countCuts(text.slice(0, unread));
    unread = Math.max(0, unread - text.length);
  }
  return { least: Math.max(cuts, leastTokensOf(bytes)), most: bytes };
}

/** The number of certain cuts of a tokenizer, whatever follows. */
function countCuts(text: string): number {
  let cuts = 0;
  for (let space = text.indexOf(' '); space >= 0; space = text.indexOf(' ', space + 1))
    if (isCutBefore(text, space)) cuts++;
  return cuts;
}

/** Whether a piece begins with this space: it is the first of its kind, and not preceded by another kind of space. */
function isCutBefore(text: string, space: number): boolean {
  const before = text.charCodeAt(space - 1);
  return before > SPACE && before < FIRST_BEYOND_ASCII;
}

/** The position after a capital letter and small letters of ASCII. */
function endOfWord(text: string, start: number): number {
  let end = start;
  if (isWithin(text.charCodeAt(end), 0x41, 0x5a)) end++;
  while (isWithin(text.charCodeAt(end), 0x61, 0x7a)) end++;
  return end;
}

/** Whether a word certainly ends there, whatever follows: at the end of the text it does not. */
function isOver(text: string, end: number): boolean {
  if (end >= text.length) return false;
  const next = text.charCodeAt(end);
  return next < FIRST_BEYOND_ASCII && next !== APOSTROPHE && !isWithin(next & ~0x20, 0x41, 0x5a);
}

function isWithin(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}
