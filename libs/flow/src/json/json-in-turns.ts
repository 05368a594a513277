import { isAscii, isUtf8, transcode } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { splitsCharacter } from '../characters';
import { JsonError } from './json-error';
import { JsonScanner } from './json-scanner';
import { rememberNames } from './member-names';
import { BYTES_AT_ONCE, BYTES_OF_TURN, Pace } from '../pace';
import { WrittenJson } from './written-json';

export interface ReadJson {
  value: unknown;
  /** The long strings of a text that was read in turns. */
  written?: WrittenJson;
}

interface ReadOptions {
  maxValues?: number;
  /** Receives the long strings. */
  written?: WrittenJson;
}

/** Short values take four times as long as long strings of as many bytes: 64 KiB may be thousands of objects. */
const RUN_WEIGHT = 4;

/**
 * Returns what `JSON.parse` returns for a text in UTF-8, without occupying the event loop for longer than a turn: long
 * strings, and parts of long lists and objects, are cut out, read in turns, and put back. Throws `JsonError`; parses
 * nothing if there are more than `maxValues` values.
 *
 * `JSON.parse` of the largest body that is accepted (4 MiB, messages of 40 KB or 900 bytes) would occupy it for 32 or
 * 35 ms. In turns that takes 36 or 63 ms of processor time. Up to `BYTES_AT_ONCE` nothing is done in turns.
 */
export async function readJsonText(bytes: Buffer, options: ReadOptions = {}): Promise<ReadJson> {
  return isShort(bytes)
    ? { value: readShortJsonText(bytes, options.maxValues ?? Infinity) }
    : readTextInTurns(bytes, options);
}

/** `readJsonText`, in turns however short the text is. */
export async function readTextInTurns(
  bytes: Buffer,
  { maxValues = Infinity, written = new WrittenJson() }: ReadOptions = {},
): Promise<ReadJson> {
  const scanner = new JsonScanner(bytes, maxValues);
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
  for (const [at, { start, end, kind }] of ranges.entries()) {
    sinceTurn += (end - from) * (kind === 'string' ? 1 : RUN_WEIGHT);
    if (sinceTurn > BYTES_OF_TURN) {
      sinceTurn = 0;
      await pace.giveWay();
    }
    const name = `"${mark}${String(at)}"`;
    around.push(await decode(bytes.subarray(from, start), pace), kind === 'members' ? `${name}:0` : name);
    from = end;
    const literal = bytes.subarray(start, end);
    if (kind !== 'string') {
      const text = await decode(literal, pace);
      cuts.push(new Run(parse(kind === 'list' ? `[${text}]` : `{${text}}`) as object));
      continue;
    }
    const { text, ...pieces } = await parseString(literal, pace);
    cuts.push(text);
    written.add(text, literal, pieces);
  }
  around.push(await decode(bytes.subarray(from), pace));
  await pace.giveWay();
  const holder = { value: parse(around.join('')) };
  try {
    await fillIn(holder, mark, cuts, pace);
  } catch (error) {
    if (!(error instanceof DuplicateName)) throw error;
    holder.value = parse(await decode(bytes, pace));
  }
  // The caller checks the value in its own turn.
  await pace.giveWay();
  return { value: holder.value, written };
}

/** Whether a text is short enough to be read at once: `readShortJsonText`. */
export function isShort(bytes: Buffer): boolean {
  return bytes.length <= BYTES_AT_ONCE;
}

function readShortJsonText(bytes: Buffer, maxValues: number): unknown {
  new JsonScanner(bytes, maxValues).scan();
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

/**
 * Bytes of a string that are parsed at once. V8 keeps longer strings on pages of their own: the system clears those when
 * they are allocated and takes them back when they are collected, all at once, which took 0.2 ms for each MiB.
 */
const PIECE_BYTES = BYTES_OF_TURN / 2;

/** In UTF-8: two U+FFFD, and a character that takes two units of UTF-16. */
const HALVES_BYTES = 6;
const CHARACTER_BYTES = 4;

/** The string that a literal stands for, its length in UTF-8, and its parts, which are never copied into one. */
async function parseString(
  literal: Buffer,
  pace: Pace,
): Promise<{ text: string; byteLength: number; parts: string[] }> {
  const inside = literal.subarray(1, -1);
  let text = '';
  let byteLength = 0;
  const parts: string[] = [];
  let sinceTurn = 0;
  for (let start = 0; start < inside.length;) {
    const end = cutBefore(inside, start, start + PIECE_BYTES);
    if (sinceTurn >= BYTES_OF_TURN) {
      sinceTurn = 0;
      await pace.giveWay();
    }
    const piece = inside.subarray(start, end);
    const isAsWritten = isPlain(piece);
    const part = isAsWritten ? piece.toString('latin1') : (parse(`"${decodeAtOnce(piece)}"`) as string);
    text += part;
    byteLength += isAsWritten ? piece.length : Buffer.byteLength(part);
    // Two halves of a character, each of which counted as U+FFFD.
    const before = parts.at(-1)?.slice(-1) ?? '';
    if (splitsCharacter(before + part.slice(0, 1), 1)) byteLength -= HALVES_BYTES - CHARACTER_BYTES;
    parts.push(part);
    sinceTurn += piece.length;
    start = end;
  }
  return { text, byteLength, parts };
}

/** Whether the inside of a string is ASCII without escapes, and so needs no parsing. */
function isPlain(inside: Buffer): boolean {
  return !inside.includes(BACKSLASH) && isPrintable(inside);
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

/** Puts what was cut out back in place of its marks. */
async function fillIn(
  holder: object,
  mark: string,
  cuts: readonly (string | Run)[],
  pace: Pace,
): Promise<void> {
  const cutOf = (text: string): string | Run | undefined =>
    text.startsWith(mark) ? cuts[Number(text.slice(mark.length))] : undefined;
  let left = cuts.length;
  const open: object[] = [holder];
  for (let object = open.pop(); object && left > 0; object = open.pop()) {
    const members = object as Record<string, unknown>;
    const runs = new Map<string, Run>();
    for (const key in members) {
      const member = members[key];
      if (typeof member === 'object' && member !== null) open.push(member);
      const cut = cutOf(typeof member === 'string' ? member : key);
      if (cut === undefined) continue;
      if (cut instanceof Run) runs.set(key, cut);
      else members[key] = cut;
      left--;
    }
    if (runs.size === 0) continue;
    await (Array.isArray(object) ? putIntoList(object, runs, pace) : putIntoObject(members, runs, pace));
  }
}

/** Entries of a list, or members of an object, that were parsed separately. */
class Run {
  readonly values: Readonly<Record<string, unknown>> | readonly unknown[];

  constructor(values: object) {
    // Nothing between two commas is neither an entry nor a member.
    if (Object.keys(values).length === 0) throw new JsonError('syntax');
    this.values = values as Run['values'];
  }
}

async function putIntoList(list: unknown[], runs: ReadonlyMap<string, Run>, pace: Pace): Promise<void> {
  for (const [at, part] of list.splice(0).entries()) {
    const run = runs.get(String(at));
    if (!run) list.push(part);
    else {
      for (const entry of run.values as readonly unknown[]) list.push(entry);
      await pace.giveWay();
    }
  }
}

/** A member of a run has the name of one that was parsed with its surroundings: which of them is the last? */
class DuplicateName extends Error {}

/** In their order, so that the last of two members of the same name counts. Throws `DuplicateName`. */
async function putIntoObject(
  object: Record<string, unknown>,
  runs: ReadonlyMap<string, Run>,
  pace: Pace,
): Promise<void> {
  const parts = Object.entries(object);
  const around = new Set(parts.flatMap(([name]) => (runs.has(name) ? [] : [name])));
  for (const [name] of parts) Reflect.deleteProperty(object, name);
  const names = new Set<string>();
  const set = (name: string, member: unknown): void => {
    setMember(object, name, member);
    names.add(name);
  };
  for (const [name, member] of parts) {
    const run = runs.get(name);
    if (!run) set(name, member);
    else {
      const members = run.values as Readonly<Record<string, unknown>>;
      for (const inner in members) {
        if (around.has(inner)) throw new DuplicateName();
        set(inner, members[inner]);
      }
      await pace.giveWay();
    }
  }
  rememberNames(object, [...names]);
}

function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
