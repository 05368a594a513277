import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeRoomForValues } from '../free-memory';
import { BYTES_AT_ONCE, BYTES_OF_TURN, Pace } from '../pace';
import { JsonError } from './json-error';
import { decodeAtOnce, isShort, parse, readTextInTurns, type ReadJson } from './json-in-turns';
import {
  ListScanner,
  type FoundEntry,
  type FoundList,
  type ListScannerOptions,
  type Place,
} from './list-scanner';
import { WrittenJson } from './written-json';

/** In a shorter text, finding the entries takes as long as writing them again. */
const LEAST_BYTES = 8 * 1024;
/**
 * A longer body is handled in turns of the event loop. Turns cool the caches: reading 421 KB took 4.8 ms of processor
 * time in turns, and takes 3.4 at once.
 */
export const BODY_BYTES_AT_ONCE = 2 * BYTES_AT_ONCE;
/** A body with more values is handled in turns, however short it is: 64 KB may be 30,000 values. */
const VALUES_AT_ONCE = 4_096;
/**
 * A body with a longer string is handled in turns, too. V8 keeps such a string on pages of its own, and the system takes back
 * those of dozens of bodies at once in a collection, which took 7 ms.
 */
const STRING_BYTES_AT_ONCE = 128 * 1024;
/** Copying twice as many objects in a collection takes 5 to 10 ms. */
const MANY_VALUES = 16_384;
/** Shorter entries are parsed together, and longer ones in parts: this many bytes may be thousands of values. */
const PARSED_BYTES = 32 * 1024;

/** The value and the facts of a request's body. */
export interface ReadBody extends ReadJson {
  /** Levels of nesting of objects and arrays. */
  depth: number;
  /** Whether a string, or a name, has NUL or half of a surrogate pair, or had before it was replaced. */
  hasUnfit: boolean;
  /** Whether any work on the whole of it must be done in turns of the event loop. */
  isLong: boolean;
}

/**
 * Returns what `JSON.parse` returns for a request's body in UTF-8, and how its lists of objects were written: they are
 * parsed entry by entry. Throws `JsonError`; parses nothing if there are more than `maxValues` values. A long text is
 * read without occupying the event loop for longer than a turn. For others there is no promise: it would cost as much
 * as the work it waits for.
 */
export function readBody(bytes: Buffer, options: ListScannerOptions = {}): ReadBody | Promise<ReadBody> {
  const scanner = new ListScanner(bytes, options);
  if (bytes.length > BODY_BYTES_AT_ONCE) return readInTurns(bytes, scanner);
  // Examining thousands of unfit escapes takes long.
  while (scanner.scan()) if (scanner.hasUnfit || needsTurns(scanner)) return readInTurns(bytes, scanner);
  if (needsTurns(scanner)) return readInTurns(bytes, scanner);
  if (isShort(bytes)) return readAtOnce(bytes, scanner);
  // The caller checks the value in its own turn.
  return nextTurn(readAtOnce(bytes, scanner));
}

function needsTurns({ values, longest }: ListScanner): boolean {
  return values > VALUES_AT_ONCE || longest > STRING_BYTES_AT_ONCE;
}

function readAtOnce(bytes: Buffer, scanner: ListScanner): ReadBody {
  if (!isUtf8(bytes)) throw new JsonError('encoding');
  const { lists, deepest: depth, hasUnfit } = scanner;
  const facts = { depth, hasUnfit, isLong: false };
  const plain = (): ReadBody => ({ value: parse(decodeAtOnce(bytes)), ...facts });
  if (bytes.length < LEAST_BYTES || lists.length === 0) return plain();
  const value = parse(decodeAtOnce(withoutLists(bytes, lists)));
  if (!canPutLists(value, scanner)) return plain();
  const written = new WrittenJson();
  for (const list of lists) {
    const values = groupsOf(list.entries).flatMap((group) => parseGroup(bytes, group));
    putList(value, list, values, bytes, written);
  }
  return { value, written, ...facts };
}

async function readInTurns(bytes: Buffer, scanner: ListScanner): Promise<ReadBody> {
  const pace = new Pace();
  do await pace.giveWay();
  while (scanner.scan());
  if (scanner.values > MANY_VALUES) {
    makeRoomForValues();
    await pace.giveWay();
  }
  const { lists, deepest: depth, hasUnfit } = scanner;
  const facts = { depth, hasUnfit, isLong: true };
  if (lists.length === 0) return { ...(await readTextInTurns(bytes)), ...facts };
  if (!isUtf8(bytes)) throw new JsonError('encoding');
  const written = new WrittenJson();
  const { value } = await readTextInTurns(withoutLists(bytes, lists), { written });
  if (!canPutLists(value, scanner)) return { ...(await readTextInTurns(bytes)), ...facts };
  for (const list of lists) {
    const values: unknown[] = [];
    let sinceTurn = 0;
    for (const group of groupsOf(list.entries)) {
      const part = bytes.subarray(group.start, group.end);
      sinceTurn += part.length;
      if (part.length > PARSED_BYTES) {
        values.push((await readTextInTurns(part, { written })).value);
        // It has recorded them.
        for (const entry of group.entries) entry.longStrings = [];
      } else for (const entry of parseGroup(bytes, group)) values.push(entry);
      if (sinceTurn < BYTES_OF_TURN) continue;
      sinceTurn = 0;
      await pace.giveWay();
    }
    putList(value, list, values, bytes, written);
  }
  return { value, written, ...facts };
}

/** The text with empty lists in place of those that were found. */
function withoutLists(bytes: Buffer, lists: readonly FoundList[]): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { start, end } of lists) {
    parts.push(bytes.subarray(from, start));
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

/** With a duplicate name, or this one, it would not be known where a list belongs. */
function canPutLists(value: unknown, { members }: ListScanner): value is Record<string, unknown> {
  return Object.keys(value as object).length === members && !Object.hasOwn(value as object, '__proto__');
}

interface Group extends Place {
  entries: FoundEntry[];
}

function groupsOf(entries: readonly FoundEntry[]): Group[] {
  const groups: Group[] = [];
  let last: Group | undefined;
  for (const entry of entries) {
    const { start, end } = entry;
    if (last && end - last.start <= PARSED_BYTES) {
      last.end = end;
      last.entries.push(entry);
    } else groups.push((last = { start, end, entries: [entry] }));
  }
  return groups;
}

function parseGroup(bytes: Buffer, { start, end, entries }: Group): unknown[] {
  const values = parse(`[${decodeAtOnce(bytes.subarray(start, end))}]`) as unknown[];
  if (values.length !== entries.length) throw new JsonError('syntax');
  return values;
}

function putList(
  object: Record<string, unknown>,
  list: FoundList,
  values: unknown[],
  bytes: Buffer,
  written: WrittenJson,
): void {
  object[parse(bytes.toString('utf8', list.name.start, list.name.end)) as string] = values;
  written.addList(bytes, list, values);
}
