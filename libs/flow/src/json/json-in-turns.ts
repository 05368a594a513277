import { isAscii, isUtf8, transcode } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { JsonError } from './json-error';
import { JsonScanner } from './json-scanner';
import { BYTES_OF_TURN, Pace } from '../pace';
import { WrittenJson } from './written-json';

export interface ReadJson {
  value: unknown;
  /** The long strings of a text that was read in turns. */
  written?: WrittenJson;
}

interface ReadOptions {
  maxValues?: number;
  cutsLists?: boolean;
  /** Receives the long strings. */
  written?: WrittenJson;
}

/**
 * Returns what `JSON.parse` returns for a text in UTF-8, without occupying the event loop for longer than a turn: long
 * strings are cut out, decoded in turns, and put back. With `cutsLists`, long lists of short values are parsed part by
 * part too. Throws `JsonError`; parses nothing if there are more than `maxValues` values.
 *
 * `JSON.parse` of the largest body that is accepted (4 MiB, messages of 40 KB or 900 bytes) would occupy it for 32 or
 * 35 ms. In turns that takes 36 or 63 ms of processor time. Below `BYTES_OF_TURN` nothing is done in turns.
 */
export async function readJsonText(
  bytes: Buffer,
  { maxValues = Infinity, cutsLists = false, written = new WrittenJson() }: ReadOptions = {},
): Promise<ReadJson> {
  if (isShort(bytes)) return { value: readShortJsonText(bytes, maxValues) };
  const scanner = new JsonScanner(bytes, { maxValues, cutsLists });
  const pace = new Pace();
  while (scanner.scan()) await pace.giveWay();
  if (!isUtf8(bytes)) throw new JsonError('encoding');

  await pace.giveWay();
  const { cuts: ranges } = scanner;
  const mark = randomBytes(16).toString('hex');
  const around: string[] = [];
  const cuts: (string | Run)[] = [];
  let from = 0;
  let sinceTurn = 0;
  for (const [at, { start, end, isRun }] of ranges.entries()) {
    sinceTurn += end - from;
    if (sinceTurn > BYTES_OF_TURN) {
      sinceTurn = 0;
      await pace.giveWay();
    }
    around.push(await decode(bytes.subarray(from, start), pace), `"${mark}${String(at)}"`);
    from = end;
    const literal = bytes.subarray(start, end);
    if (isRun) {
      cuts.push(new Run(parse(`[${await decode(literal, pace)}]`)));
      continue;
    }
    const text = await parseString(literal, pace);
    cuts.push(text);
    written.add(text, literal);
  }
  around.push(await decode(bytes.subarray(from), pace));
  await pace.giveWay();
  const holder = { value: parse(around.join('')) };
  fillIn(holder, mark, cuts);
  // The caller checks the value in its own turn.
  await pace.giveWay();
  return { value: holder.value, written };
}

/** Whether a text is short enough to be read at once: `readShortJsonText`. */
export function isShort(bytes: Buffer): boolean {
  return bytes.length <= BYTES_OF_TURN;
}

function readShortJsonText(bytes: Buffer, maxValues: number): unknown {
  new JsonScanner(bytes, { maxValues, cutsLists: false }).scan();
  if (!isUtf8(bytes)) throw new JsonError('encoding');
  return parse(decodeAtOnce(bytes));
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonError('syntax', cause);
  }
}

const BACKSLASH = 0x5c;

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

/** Maximum to parse at once of a string: V8 stores longer ones separately, which takes twice as long. */
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

/** Whether the inside of a string is ASCII without escapes, and so needs no parsing. */
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

/** Whether bytes are ASCII without control characters. Checking four at a time takes a quarter of the time. */
function isPrintable(bytes: Buffer): boolean {
  const head = -bytes.byteOffset & (BYTES_OF_WORD - 1);
  const count = Math.max(0, Math.floor((bytes.length - head) / BYTES_OF_WORD));
  const isOdd = (byte: number): boolean => byte < 0x20 || byte >= 0x80;
  if (count === 0) return !bytes.some(isOdd);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + head, count);
  // The first part sets the high bit for a byte below a space, the other for one above ASCII. By index: an iterator
  // takes seven times as long.
  let odd = 0;
  for (let i = 0; i < count; i++) {
    const word = words[i] ?? 0;
    odd |= ((word - SPACES) & ~word) | word;
  }
  if ((odd & HIGH_BITS) !== 0) return false;
  const rest = [...bytes.subarray(0, head), ...bytes.subarray(head + count * BYTES_OF_WORD)];
  return !rest.some(isOdd);
}

/** For bytes that are valid UTF-8. Going through UTF-16 takes a quarter of the time. */
export function decodeAtOnce(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}

/** The end of the character that contains `end`. */
function endOfCharacter(bytes: Buffer, end: number): number {
  let at = end;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return Math.min(at, bytes.length);
}

/** The longest escape. */
const ESCAPE_BYTES = 6;

/**
 * Where the inside of a string may be cut near `end` without splitting a character or an escape. No cut is made at
 * `start`.
 */
function cutBefore(inside: Buffer, start: number, end: number): number {
  if (end >= inside.length) return inside.length;
  const near = inside.subarray(end - ESCAPE_BYTES, end).lastIndexOf(BACKSLASH);
  if (near < 0) return endOfCharacter(inside, end);
  const last = end - ESCAPE_BYTES + near;
  let run = last;
  while (run > start && inside[run - 1] === BACKSLASH) run--;
  // The first of a run of backslashes begins an escape; from there on, they are pairs.
  return run > start ? run : last + ((last - start) % 2);
}

/** Puts the cut-out strings back in place of their marks. */
function fillIn(holder: object, mark: string, cuts: readonly (string | Run)[]): void {
  let left = cuts.length;
  const open: object[] = [holder];
  for (let object = open.pop(); object && left > 0; object = open.pop()) {
    const members = object as Record<string, unknown>;
    let hasRuns = false;
    for (const key in members) {
      const member = members[key];
      if (typeof member === 'object' && member !== null) open.push(member);
      else if (typeof member === 'string' && member.startsWith(mark)) {
        const cut = cuts[Number(member.slice(mark.length))];
        members[key] = cut;
        hasRuns ||= cut instanceof Run;
        left--;
      }
    }
    if (hasRuns && Array.isArray(object)) putRunsInto(object);
  }
}

/** Entries of a list that were parsed separately. */
class Run {
  readonly entries: readonly unknown[];

  constructor(entries: unknown) {
    // Nothing between two commas is not an entry.
    if (!Array.isArray(entries) || entries.length === 0) throw new JsonError('syntax');
    this.entries = entries;
  }
}

function putRunsInto(list: unknown[]): void {
  const parts = list.splice(0);
  for (const part of parts) {
    if (part instanceof Run) for (const entry of part.entries) list.push(entry);
    else list.push(part);
  }
}
