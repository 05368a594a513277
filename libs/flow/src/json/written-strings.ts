import { randomBytes } from 'node:crypto';
import { BYTES_OF_TURN, Pace } from '../pace';

/** Shorter strings are read and written with their surroundings. */
export const LONG_BYTES = 1_024;

/** Per long string: each of its characters was written as an escape. */
const LEAST_LENGTH = Math.floor((LONG_BYTES - 2) / 6);

const QUOTE_MARK = Buffer.from('"');

/** Maximum number of strings of equal length to compare with the searched one. */
const COMPARED = 4;

/**
 * The long strings of a JSON text in their original encoding, so that a body that is sent on need not be encoded
 * again. For a body of 426 KB in messages of 40 KB, `writeJson` takes 0.06 ms where `JSON.stringify` takes 3.3; in
 * messages of 900 bytes, 0.6 ms.
 */
export class WrittenStrings {
  readonly #byLength = new Map<number, { next: number; strings: { text: string; literal: Buffer }[] }>();

  add(text: string, literal: Buffer): void {
    const same = this.#byLength.get(text.length);
    if (same) same.strings.push({ text, literal });
    else this.#byLength.set(text.length, { next: 0, strings: [{ text, literal }] });
  }

  /** Joins texts, and records the encoding of the whole: their original forms, one after the other. */
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
   * The original encoding of a string; undefined if it was not found soon. Look-ups are fastest in the original
   * order. It may belong to another, equal string, which makes no difference.
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
 * `JSON.stringify` in pieces. Long strings are written in their original encoding, without copying their bytes. The
 * result has the same meaning, since a literal stands for the same string wherever it is.
 */
export function writeJson(value: unknown, written: WrittenStrings): Buffer[] {
  return writeWithout(value, (part) => (typeof part === 'string' ? written.literalOf(part) : undefined));
}

/** Entries that make a list long, and that are written at once. */
const LONG_LIST = 256;
const ENTRIES_AT_ONCE = 64;

/**
 * `writeJson` with the entries of long lists written in turns of the event loop: log probabilities take megabytes.
 */
export async function writeJsonInTurns(value: unknown, written: WrittenStrings): Promise<Buffer[]> {
  const places = new Map<Buffer, unknown[]>();
  const pieces = writeWithout(value, (part) => {
    if (typeof part === 'string') return written.literalOf(part);
    if (part.length < LONG_LIST) return undefined;
    const place = Buffer.alloc(0);
    places.set(place, part);
    return place;
  });
  if (places.size === 0) return pieces;
  const pace = new Pace();
  const whole: Buffer[] = [];
  for (const piece of pieces) {
    const list = places.get(piece);
    if (list) await writeList(list, written, pace, whole);
    else whole.push(piece);
  }
  return whole;
}

async function writeList(
  list: readonly unknown[],
  written: WrittenStrings,
  pace: Pace,
  to: Buffer[],
): Promise<void> {
  let sinceTurn = 0;
  for (let from = 0; from < list.length; from += ENTRIES_AT_ONCE) {
    if (sinceTurn >= BYTES_OF_TURN) {
      sinceTurn = 0;
      await pace.giveWay();
    }
    const pieces = writeJson(list.slice(from, from + ENTRIES_AT_ONCE), written);
    // The list keeps its own brackets at both ends; in between, commas replace them.
    const [first, last] = [pieces[0], pieces.at(-1)];
    if (from > 0) first?.write(',');
    const isLast = from + ENTRIES_AT_ONCE >= list.length;
    if (!isLast && last) pieces[pieces.length - 1] = last.subarray(0, -1);
    for (const piece of pieces) {
      to.push(piece);
      sinceTurn += piece.length;
    }
  }
}

type Apart = (part: string | unknown[]) => Buffer | undefined;

/** `JSON.stringify`, except for long strings and lists that `apart` has written. */
function writeWithout(value: unknown, apart: Apart): Buffer[] {
  const mark = randomBytes(16).toString('hex');
  const writtenApart: Buffer[] = [];
  const text = JSON.stringify(
    withMarks(value, (part) => {
      const bytes = apart(part);
      return bytes && `${mark}${String(writtenApart.push(bytes) - 1)}`;
    }),
  );
  const [first = '', ...others] = text.split(`"${mark}`);
  const pieces: Buffer[] = [Buffer.from(first)];
  for (const other of others) {
    const quote = other.indexOf('"');
    pieces.push(
      writtenApart[Number(other.slice(0, quote))] ?? Buffer.alloc(0),
      Buffer.from(other.slice(quote + 1)),
    );
  }
  return pieces;
}

/** A copy, as far as it contains marks, with marks for the parts that are written separately. */
function withMarks(value: unknown, markFor: (part: string | unknown[]) => string | undefined): unknown {
  if (typeof value === 'string') return value.length < LEAST_LENGTH ? value : (markFor(value) ?? value);
  if (typeof value !== 'object' || value === null) return value;
  const mark = Array.isArray(value) ? markFor(value as unknown[]) : undefined;
  if (mark !== undefined) return mark;
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
