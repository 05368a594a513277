import { LONG_BYTES } from './json-scanner';
import type { FoundList, LongString, Place } from './list-scanner';

/** Per long string: each of its characters was written as an escape. */
export const LEAST_LENGTH = Math.floor((LONG_BYTES - 2) / 6);

/** Maximum number of candidates to compare with a searched part. */
const COMPARED = 4;

/** An entry with more is not compared, which would take milliseconds, but written in turns. */
const MOST_MEMBERS = 2_048;

interface WrittenString {
  text: string;
  /** Its encoding, without the quotation marks. */
  inside: readonly Buffer[];
  /** Known if it was read in turns. */
  pieces: Pieces | undefined;
}

/** Answers questions about a text whose parts V8 has not joined, and need not join for that. */
interface Pieces {
  /** The length of the whole text in UTF-8. */
  byteLength: number;
  parts: readonly string[];
}

/** An entry of a list: its value, and its place in the text. */
export interface WrittenEntry extends Place {
  bytes: Buffer;
  value: unknown;
  members: number;
}

/**
 * The long parts of a JSON text as they were written, so that a body that is sent on need not be encoded again: long
 * strings, and the entries of its lists. Look-ups are fastest in the original order. A part that was not found soon
 * is undefined, and then must be encoded. It may belong to another, equal part, which makes no difference.
 *
 * For a body of 426 KB, reading and writing takes 1.3 to 4 ms of processor time, where `JSON.parse` and `JSON.stringify`
 * take 4 to 6.
 */
export class WrittenJson {
  readonly #byLength = new Map<number, { next: number; strings: WrittenString[] }>();
  readonly #entries: WrittenEntry[] = [];
  #nextEntry = 0;
  readonly #values = new Map<object, readonly Buffer[]>();

  add(text: string, literal: Buffer, pieces?: Pieces): void {
    this.#add({ text, inside: [literal.subarray(1, -1)], pieces });
  }

  #add(string: WrittenString): void {
    const same = this.#byLength.get(string.text.length);
    if (same) same.strings.push(string);
    else this.#byLength.set(string.text.length, { next: 0, strings: [string] });
  }

  /** A list of the text `bytes`, and the values of its entries. */
  addList(bytes: Buffer, { entries }: FoundList, values: readonly unknown[]): void {
    for (const [i, { start, end, members, longStrings }] of entries.entries()) {
      const value = values[i];
      this.#entries.push({ bytes, start, end, members, value });
      if (longStrings.length > 0) this.#addStrings(bytes, longStrings, value, members);
    }
  }

  #addStrings(bytes: Buffer, places: readonly LongString[], value: unknown, members: number): void {
    // Duplicate names are in the text alone.
    const strings = countIfSame(value, value) === members ? stringsOf(value) : undefined;
    for (const { start, end, before } of places) {
      const text = strings?.[before];
      if (text !== undefined) this.add(text, bytes.subarray(start, end));
    }
  }

  /** An object or list that has been written. It is written again in the same pieces. */
  addValue(value: object, pieces: readonly Buffer[]): void {
    this.#values.set(value, pieces);
  }

  /** The JSON of a value that has been written. */
  jsonOf(value: unknown): readonly Buffer[] | undefined {
    return typeof value === 'object' && value !== null ? this.#values.get(value) : undefined;
  }

  /** Entries are written again from now on, except for their long strings. */
  forgetEntries(): void {
    this.#entries.length = 0;
  }

  /** Nothing is written any more: frees the bytes of the text. */
  forget(): void {
    this.forgetEntries();
    this.#byLength.clear();
    this.#values.clear();
  }

  /** Joins texts, and records the encoding of the whole: their original forms, one after the other. */
  join(texts: readonly string[]): string {
    const text = texts.join('');
    if (texts.length < 2 || text.length < LEAST_LENGTH) return text;
    const inside = texts.flatMap((one) => this.insideOf(one) ?? [encoded(one)]);
    this.#add({ text, inside, pieces: undefined });
    return text;
  }

  /**
   * A text with another beginning: without its first `length` characters, which are in its first part. The encoding of the
   * result is known, and its parts are not joined, if the text was read in parts and written without escapes.
   */
  withBeginning(beginning: string, text: string, length = 0): string {
    const found = this.#find(text);
    const [inside, ...more] = found?.inside ?? [];
    // Each character of a text without escapes is a byte.
    if (!found?.pieces || inside?.length !== text.length || more.length > 0)
      return beginning + text.slice(length);
    const [first = '', ...others] = found.pieces.parts;
    const parts = [beginning + first.slice(length), ...others];
    const string = {
      text: parts.reduce((sum, part) => sum + part, ''),
      inside: [encoded(beginning), inside.subarray(length)],
      pieces: { parts, byteLength: Buffer.byteLength(beginning) + text.length - length },
    };
    this.#add(string);
    return string.text;
  }

  /** Whether there is a string to find. */
  get hasStrings(): boolean {
    return this.#byLength.size > 0;
  }

  /** The original encoding of a string, without the quotation marks. */
  insideOf(text: string): readonly Buffer[] | undefined {
    return this.#find(text)?.inside;
  }

  /** The length of a text in UTF-8. */
  byteLengthOf(text: string): number {
    return this.#piecesOf(text)?.byteLength ?? Buffer.byteLength(text);
  }

  /** The parts of a text that was read in parts. Looking into the text itself would join them. */
  partsOf(text: string): readonly string[] | undefined {
    return this.#piecesOf(text)?.parts;
  }

  /** The first and last characters of a text. */
  endsOf(text: string, length: number): [string, string] {
    const parts = this.#piecesOf(text)?.parts ?? [text];
    let [head, tail] = ['', ''];
    for (let i = 0; i < parts.length && head.length < length; i++) head += parts[i] ?? '';
    for (let i = parts.length - 1; i >= 0 && tail.length < length; i--) tail = (parts[i] ?? '') + tail;
    return [head.slice(0, length), tail.slice(-length)];
  }

  /**
   * V8 joins a text of many parts as soon as somebody looks into it. That copy costs time, above all when its memory is
   * freed.
   */
  #piecesOf(text: string): Pieces | undefined {
    return this.#find(text)?.pieces;
  }

  #find(text: string): WrittenString | undefined {
    if (text.length < LEAST_LENGTH) return undefined;
    const same = this.#byLength.get(text.length);
    for (let i = 0; same && i < Math.min(COMPARED, same.strings.length); i++) {
      const at = (same.next + i) % same.strings.length;
      const found = same.strings[at];
      if (found?.text !== text) continue;
      same.next = at + 1;
      return found;
    }
    return undefined;
  }

  /** The entry of a list with the same members and values. */
  entryOf(value: unknown): WrittenEntry | undefined {
    const entries = this.#entries;
    for (let i = 0; i < Math.min(COMPARED, entries.length); i++) {
      const at = (this.#nextEntry + i) % entries.length;
      const entry = entries[at];
      if (entry && entry.members > MOST_MEMBERS) continue;
      // A duplicate member would also be sent, though only the last one was read.
      if (entry?.members !== countIfSame(value, entry?.value)) continue;
      this.#nextEntry = at + 1;
      return entry;
    }
    return undefined;
  }
}

const encoded = (text: string): Buffer => Buffer.from(JSON.stringify(text).slice(1, -1));

/** For a body that was read at once. */
export const NOTHING_WRITTEN: Pick<WrittenJson, 'byteLengthOf' | 'endsOf' | 'withBeginning'> =
  new WrittenJson();

/** A text may be nested as deep as it has values, but no request is served that is nested deeper than this. */
const DEEPEST = 64;

/**
 * All names and strings of a value in their order; undefined if its names may be in another order, or if it is nested
 * too deep.
 */
function stringsOf(value: unknown, depthLeft = DEEPEST, strings: string[] = []): string[] | undefined {
  if (typeof value === 'string') strings.push(value);
  if (typeof value !== 'object' || value === null) return strings;
  if (depthLeft === 0) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) {
      // Objects list such names first.
      if (STARTS_LIKE_NUMBER.test(name)) return undefined;
      strings.push(name);
    }
    if (!stringsOf(member, depthLeft - 1, strings)) return undefined;
  }
  return strings;
}

const STARTS_LIKE_NUMBER = /^\d/;

/** Larger numbers may have been rounded when they were read. */
const EXACT = 2 ** 53;

/**
 * The number of members in all objects of a value; -1 if it has something that differs from what was read, or is
 * nested too deep to tell. Whether it lacks a member that was read shows in the number.
 */
function countIfSame(value: unknown, read: unknown, depthLeft = DEEPEST): number {
  if (typeof value !== 'object' || value === null)
    return value === read && !(typeof value === 'number' && Math.abs(value) > EXACT) ? 0 : -1;
  if (typeof read !== 'object' || read === null || depthLeft === 0) return -1;
  if (Array.isArray(value)) return Array.isArray(read) ? countInSameList(value, read, depthLeft) : -1;
  if (Array.isArray(read)) return -1;
  const [members, readMembers] = [value as Record<string, unknown>, read as Record<string, unknown>];
  let count = 0;
  for (const name in members) {
    const member = members[name];
    if (member === undefined) continue;
    if (!Object.hasOwn(readMembers, name)) return -1;
    const inner = countIfSame(member, readMembers[name], depthLeft - 1);
    if (inner < 0) return -1;
    count += inner + 1;
  }
  return count;
}

function countInSameList(list: readonly unknown[], read: readonly unknown[], depthLeft: number): number {
  if (list.length !== read.length) return -1;
  let count = 0;
  for (let i = 0; i < list.length; i++) {
    const inner = countIfSame(list[i], read[i], depthLeft - 1);
    if (inner < 0) return -1;
    count += inner;
  }
  return count;
}
