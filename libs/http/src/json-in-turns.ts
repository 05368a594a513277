import { isAscii, isUtf8, transcode } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { BYTES_OF_TURN, Pace } from './turns';

/** Shorter strings are read with what is around them. */
const LONG_BYTES = 1_024;

export type JsonFault = 'values' | 'encoding' | 'syntax';

/** Why a text was not read as JSON. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly fault: JsonFault;

  constructor(fault: JsonFault, cause?: unknown) {
    super(`not readable as JSON: ${fault}`, { cause });
    this.fault = fault;
  }
}

export interface ReadJson {
  value: unknown;
  /** The long strings of a text that was read in turns. */
  written?: WrittenStrings;
}

/**
 * What `JSON.parse` makes of a text in UTF-8. What takes long of a long text are its long strings: they are cut out,
 * decoded in turns, and put in again. Throws `JsonError`; nothing is parsed if there are more than `maxValues` values.
 */
export async function readJsonText(bytes: Buffer, maxValues = Infinity): Promise<ReadJson> {
  const scanner = new Scanner(bytes, maxValues);
  const pace = new Pace();
  while (scanner.scan()) await pace.giveWay();
  if (!isUtf8(bytes)) throw new JsonError('encoding');
  if (bytes.length <= BYTES_OF_TURN) return { value: parse(decodeAtOnce(bytes)) };

  await pace.giveWay();
  const { longStrings } = scanner;
  const mark = randomBytes(16).toString('hex');
  const around: string[] = [];
  const texts: string[] = [];
  const written = new WrittenStrings();
  let from = 0;
  let sinceTurn = 0;
  for (const [at, { start, end }] of longStrings.entries()) {
    sinceTurn += end - from;
    if (sinceTurn > BYTES_OF_TURN) {
      sinceTurn = 0;
      await pace.giveWay();
    }
    around.push(await decode(bytes.subarray(from, start), pace), `"${mark}${String(at)}"`);
    const literal = bytes.subarray(start, end);
    const text = await parseString(literal, pace);
    texts.push(text);
    written.add(text, literal);
    from = end;
  }
  around.push(await decode(bytes.subarray(from), pace));
  await pace.giveWay();
  const holder = { value: parse(around.join('')) };
  fillIn(holder, mark, texts);
  // Whoever checks the value has a turn of their own.
  await pace.giveWay();
  return { value: holder.value, written };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonError('syntax', cause);
  }
}

interface Range {
  start: number;
  end: number;
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE, COLON] = [...Buffer.from('"\\,[{:')] as [
  number,
  number,
  number,
  number,
  number,
  number,
];
const WHITE_SPACE = new Set(Buffer.from(' \t\n\r'));

/** So much of a string is looked at byte by byte before its end, or its next escape, is searched for. */
const SEARCHED_AFTER = 32;

/**
 * Finds the long strings of a JSON text, quotes included, but for names of members, and counts its values by what stands
 * before each of them. Of what is no JSON it finds something, which does not matter: it is refused when it is parsed.
 */
class Scanner {
  readonly longStrings: Range[] = [];
  readonly #bytes: Buffer;
  readonly #maxValues: number;
  #values = 1;
  #at = 0;
  #stringStart = -1;
  #nextQuote = -1;
  #nextBackslash = -1;

  constructor(bytes: Buffer, maxValues: number) {
    this.#bytes = bytes;
    this.#maxValues = maxValues;
  }

  /** Looks at the next part. Answers whether there is another one. */
  scan(): boolean {
    const bytes = this.#bytes;
    const pause = this.#at + BYTES_OF_TURN;
    const end = Math.min(pause, bytes.length);
    let at = this.#at;
    while (at < end) {
      if (this.#stringStart >= 0) {
        at = this.#inString(at, pause);
        continue;
      }
      const byte = bytes[at];
      if (byte === QUOTE) this.#stringStart = at;
      else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
        if (++this.#values > this.#maxValues) throw new JsonError('values');
      }
      at++;
    }
    this.#at = at;
    return at < bytes.length;
  }

  /** Goes on within a string: to behind its end, or as far as this part goes. */
  #inString(from: number, pause: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (at < bytes.length && at < pause) {
      for (const stop = Math.min(at + SEARCHED_AFTER, bytes.length); at < stop; at++) {
        const byte = bytes[at];
        if (byte === BACKSLASH) at++;
        else if (byte === QUOTE) {
          this.#close(at + 1);
          return at + 1;
        }
      }
      if (this.#nextQuote < at) this.#nextQuote = this.#find(QUOTE, at);
      if (this.#nextBackslash < at) this.#nextBackslash = this.#find(BACKSLASH, at);
      at = Math.min(this.#nextQuote, this.#nextBackslash);
    }
    return at;
  }

  #find(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at < 0 ? this.#bytes.length : at;
  }

  #close(end: number): void {
    const start = this.#stringStart;
    this.#stringStart = -1;
    if (end - start < LONG_BYTES) return;
    let next = end;
    while (WHITE_SPACE.has(this.#bytes[next] ?? 0)) next++;
    if (this.#bytes[next] !== COLON) this.longStrings.push({ start, end });
  }
}

async function decode(bytes: Buffer, pace: Pace): Promise<string> {
  let text = '';
  for (let start = 0; start < bytes.length;) {
    const end = endOfCharacter(bytes, start + BYTES_OF_TURN);
    if (start > 0) await pace.giveWay();
    text += decodeAtOnce(bytes.subarray(start, end));
    start = end;
  }
  return text;
}

/** What is parsed at once of a string: V8 keeps longer ones apart, which takes twice as long. */
const PARSED_BYTES = 64 * 1024;

/** The string that a literal stands for. */
async function parseString(literal: Buffer, pace: Pace): Promise<string> {
  if (literal.length <= BYTES_OF_TURN) return parse(decodeAtOnce(literal)) as string;
  const inside = literal.subarray(1, -1);
  if (await isPlain(inside, pace)) return inside.toString('latin1');
  let text = '';
  let sinceTurn = 0;
  for (let start = 0; start < inside.length;) {
    if (sinceTurn >= BYTES_OF_TURN) {
      sinceTurn = 0;
      await pace.giveWay();
    }
    const end = cutBefore(inside, start, start + PARSED_BYTES);
    text += parse(`"${decodeAtOnce(inside.subarray(start, end))}"`) as string;
    sinceTurn += end - start;
    start = end;
  }
  return text;
}

/** Whether the inside of a string is ASCII without escapes: then it is what it says, and need not be parsed. */
async function isPlain(inside: Buffer, pace: Pace): Promise<boolean> {
  if (inside.includes(BACKSLASH)) return false;
  for (let start = 0; start < inside.length; start += BYTES_OF_TURN) {
    if (start > 0) await pace.giveWay();
    if (!isPrintable(inside.subarray(start, start + BYTES_OF_TURN))) return false;
  }
  return true;
}

const BYTES_OF_WORD = 4;
const SPACES = 0x20202020;
const HIGH_BITS = 0x80808080;

/** Whether bytes are ASCII without control characters. Four at a time take a quarter of the time. */
function isPrintable(bytes: Buffer): boolean {
  const head = -bytes.byteOffset & (BYTES_OF_WORD - 1);
  const count = Math.max(0, Math.floor((bytes.length - head) / BYTES_OF_WORD));
  const isOdd = (byte: number): boolean => byte < 0x20 || byte >= 0x80;
  if (count === 0) return !bytes.some(isOdd);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + head, count);
  // Of a byte under a space the first part has the high bit, of one over ASCII the other. By index: an iterator takes
  // seven times as long.
  let odd = 0;
  for (let i = 0; i < count; i++) {
    const word = words[i] ?? 0;
    odd |= ((word - SPACES) & ~word) | word;
  }
  if ((odd & HIGH_BITS) !== 0) return false;
  const rest = [...bytes.subarray(0, head), ...bytes.subarray(head + count * BYTES_OF_WORD)];
  return !rest.some(isOdd);
}

/** Of bytes that are valid UTF-8. By way of UTF-16 it takes a quarter of the time. */
function decodeAtOnce(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}

/** The end of the character that `end` is in. */
function endOfCharacter(bytes: Buffer, end: number): number {
  let at = end;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return Math.min(at, bytes.length);
}

/** The longest escape. */
const ESCAPE_BYTES = 6;

/** Where the inside of a string may be cut near `end`: in no character, and in no escape. None is cut at `start`. */
function cutBefore(inside: Buffer, start: number, end: number): number {
  if (end >= inside.length) return inside.length;
  const near = inside.subarray(end - ESCAPE_BYTES, end).lastIndexOf(BACKSLASH);
  if (near < 0) return endOfCharacter(inside, end);
  const last = end - ESCAPE_BYTES + near;
  let run = last;
  while (run > start && inside[run - 1] === BACKSLASH) run--;
  // What a run of them begins with begins an escape; from the start on, they are pairs.
  return run > start ? run : last + ((last - start) % 2);
}

/** Puts long strings where their marks stand. */
function fillIn(holder: object, mark: string, texts: readonly string[]): void {
  let left = texts.length;
  const open: object[] = [holder];
  for (let object = open.pop(); object && left > 0; object = open.pop()) {
    const members = object as Record<string, unknown>;
    for (const key in members) {
      const member = members[key];
      if (typeof member === 'object' && member !== null) open.push(member);
      else if (typeof member === 'string' && member.startsWith(mark)) {
        members[key] = texts[Number(member.slice(mark.length))];
        left--;
      }
    }
  }
}

/** Of a long string: each of its characters was written as an escape. */
const LEAST_LENGTH = Math.floor((LONG_BYTES - 2) / 6);

const QUOTE_MARK = Buffer.from('"');

/** So many strings of the same length are compared with one that is looked for. */
const COMPARED = 4;

/** The long strings of a JSON text, and how they were written there. */
export class WrittenStrings {
  readonly #byLength = new Map<number, { next: number; strings: { text: string; literal: Buffer }[] }>();

  add(text: string, literal: Buffer): void {
    const same = this.#byLength.get(text.length);
    if (same) same.strings.push({ text, literal });
    else this.#byLength.set(text.length, { next: 0, strings: [{ text, literal }] });
  }

  /** Joins texts, and notes how the whole is written: as they were, one after the other. */
  join(texts: readonly string[]): string {
    const text = texts.join('');
    if (texts.length < 2 || text.length < LEAST_LENGTH) return text;
    const insides = texts.map((one) =>
      (this.literalOf(one) ?? Buffer.from(JSON.stringify(one))).subarray(1, -1),
    );
    this.add(text, Buffer.concat([QUOTE_MARK, ...insides, QUOTE_MARK]));
    return text;
  }

  /**
   * How a string was written; undefined if it was not found soon. They are best asked for in their order. It may have
   * been another string there: one that is equal is as good.
   */
  literalOf(text: string): Buffer | undefined {
    const same = this.#byLength.get(text.length);
    if (!same) return undefined;
    const { next, strings } = same;
    for (let i = 0; i < Math.min(COMPARED, strings.length); i++) {
      const at = (next + i) % strings.length;
      const found = strings[at];
      if (found?.text !== text) continue;
      same.next = at + 1;
      return found.literal;
    }
    return undefined;
  }
}

/**
 * `JSON.stringify` in pieces, but for long strings, which are written as they were: nothing is done to their bytes, which
 * are not copied. What is written says the same to whoever reads it, since a string is what its literal says, wherever it
 * stands.
 */
export function writeJson(value: unknown, written: WrittenStrings): Buffer[] {
  const mark = randomBytes(16).toString('hex');
  const literals: Buffer[] = [];
  const text = JSON.stringify(
    withMarks(value, (long) => {
      const literal = written.literalOf(long);
      return literal && `${mark}${String(literals.push(literal) - 1)}`;
    }),
  );
  const [first = '', ...others] = text.split(`"${mark}`);
  const pieces: Buffer[] = [Buffer.from(first)];
  for (const other of others) {
    const quote = other.indexOf('"');
    pieces.push(
      literals[Number(other.slice(0, quote))] ?? Buffer.alloc(0),
      Buffer.from(other.slice(quote + 1)),
    );
  }
  return pieces;
}

/** A copy, as far as there are marks in it, with marks for long strings. */
function withMarks(value: unknown, markFor: (long: string) => string | undefined): unknown {
  if (typeof value === 'string') return value.length < LEAST_LENGTH ? value : (markFor(value) ?? value);
  if (typeof value !== 'object' || value === null) return value;
  let copy: Record<string, unknown> | undefined;
  const members = value as Record<string, unknown>;
  for (const key in members) {
    const member = members[key];
    const marked = withMarks(member, markFor);
    if (marked === member) continue;
    copy ??= (Array.isArray(value) ? [...(value as unknown[])] : { ...members }) as Record<string, unknown>;
    copy[key] = marked;
  }
  return copy ?? value;
}
