import { randomBytes } from 'node:crypto';
import { BYTES_OF_TURN, Pace } from '../pace';
import { LEAST_LENGTH, type WrittenEntry, type WrittenJson } from './written-json';

/**
 * `JSON.stringify` in pieces. Entries of lists and long strings are written in their original encoding, without copying
 * their bytes. The result has the same meaning, since a literal stands for the same value wherever it is.
 */
export function writeJson(value: unknown, written: WrittenJson): Buffer[] {
  const pieces = new Pieces(written);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) pieces.value(value);
  else pieces.object(value as Record<string, unknown>);
  return pieces.end();
}

/** After this many new entries in a row, the list is a new one. */
const MOST_MISSED = 16;

type Run = Pick<WrittenEntry, 'bytes' | 'start' | 'end'>;

/** Whether only a comma stands between two entries. */
const isNext = (run: Run, found: WrittenEntry): boolean =>
  run.bytes === found.bytes && run.end + 1 === found.start;

class Pieces {
  readonly #written: WrittenJson;
  readonly #pieces: Buffer[] = [];
  #text = '';
  /** Entries that stand beside each other in the original text. */
  #run: Run | undefined;

  constructor(written: WrittenJson) {
    this.#written = written;
  }

  object(object: Record<string, unknown>): void {
    let before = '{';
    for (const name in object) {
      const member = object[name];
      if (member === undefined) continue;
      this.#add(`${before}${JSON.stringify(name)}:`);
      before = ',';
      if (Array.isArray(member)) this.#list(member as unknown[]);
      else this.value(member);
    }
    this.#add(before === '{' ? '{}' : '}');
  }

  value(value: unknown): void {
    this.#parts(value, 0);
  }

  end(): Buffer[] {
    this.#flush();
    return this.#pieces;
  }

  #list(list: readonly unknown[]): void {
    let others: unknown[] = [];
    let before = '[';
    const addOthers = (): void => {
      if (others.length === 0) return;
      this.#add(before);
      before = ',';
      this.#parts(others, 1);
      others = [];
    };
    let missed = 0;
    for (const entry of list) {
      const found = missed < MOST_MISSED ? this.#written.entryOf(entry) : undefined;
      missed = found ? 0 : missed + 1;
      if (!found) others.push(entry);
      else if (this.#run && others.length === 0 && isNext(this.#run, found)) this.#run.end = found.end;
      else {
        addOthers();
        this.#add(before);
        before = ',';
        this.#begin(found);
      }
    }
    addOthers();
    this.#add(before === '[' ? '[]' : ']');
  }

  /** The JSON of a value that has no entries of lists, without its first and last `brackets` characters. */
  #parts(value: unknown, brackets: number): void {
    const literalOf = (part: string | unknown[]): Buffer | undefined =>
      typeof part === 'string' ? this.#written.literalOf(part) : undefined;
    const marked = this.#written.hasStrings ? withMarksFor(value, literalOf) : undefined;
    const cut = (text: string, isFirst: boolean, isLast: boolean): string =>
      text.slice(isFirst ? brackets : 0, isLast ? text.length - brackets : text.length);
    if (!marked) {
      this.#add(cut(JSON.stringify(value), true, true));
      return;
    }
    const pieces = split(marked);
    for (const [i, piece] of pieces.entries())
      if (typeof piece === 'string') this.#add(cut(piece, i === 0, i === pieces.length - 1));
      else this.#addBytes(piece);
  }

  #begin({ bytes, start, end }: WrittenEntry): void {
    this.#flush();
    this.#run = { bytes, start, end };
  }

  #add(text: string): void {
    if (this.#run) this.#flush();
    this.#text += text;
  }

  #addBytes(bytes: Buffer): void {
    this.#flush();
    this.#pieces.push(bytes);
  }

  #flush(): void {
    if (this.#text !== '') this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
    if (this.#run) this.#pieces.push(this.#run.bytes.subarray(this.#run.start, this.#run.end));
    this.#run = undefined;
  }
}

/** Entries that make a list long, and that are written at once. */
const LONG_LIST = 256;
const ENTRIES_AT_ONCE = 64;

/**
 * `writeJson` with the entries of long lists written in turns of the event loop: log probabilities take megabytes.
 */
export async function writeJsonInTurns(value: unknown, written: WrittenJson): Promise<Buffer[]> {
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
  written: WrittenJson,
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
  const marked = withMarksFor(value, apart);
  const pieces = marked ? split(marked) : [JSON.stringify(value)];
  return pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
}

/** A value with marks in place of the parts that were written apart. */
interface Marked {
  value: unknown;
  mark: string;
  apart: readonly Buffer[];
}

function withMarksFor(value: unknown, apart: Apart): Marked | undefined {
  let mark: string | undefined;
  const writtenApart: Buffer[] = [];
  const marked = withMarks(value, (part) => {
    const bytes = apart(part);
    if (!bytes) return undefined;
    mark ??= randomBytes(16).toString('hex');
    return `${mark}${String(writtenApart.push(bytes) - 1)}`;
  });
  return mark === undefined ? undefined : { value: marked, mark, apart: writtenApart };
}

function split({ value, mark, apart }: Marked): (string | Buffer)[] {
  const [first = '', ...others] = JSON.stringify(value).split(`"${mark}`);
  const pieces: (string | Buffer)[] = [first];
  for (const other of others) {
    const quote = other.indexOf('"');
    pieces.push(apart[Number(other.slice(0, quote))] ?? '', other.slice(quote + 1));
  }
  return pieces;
}

/** A copy, as far as it contains marks. */
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
