import { Readable } from 'node:stream';
import { parseExactJson } from '../exact-json';
import { CommandFailure } from '../failures';
import type { GivenText } from '../verb';
import { BillError, type BilledLine } from './billed';
import { CSV_BILLS, type CsvBill } from './csv-bills';
import { recordsOf, type JsonRecord } from './json-bills';

/** A page of a provider's API has 31 days at most. */
const LONGEST_DOCUMENT = 64 * 1024 * 1024;
const LONGEST_RECORD = 1024 * 1024;

/**
 * Reads a provider's export line by line: CSV, or JSON as pages of an API one after the other. Throws `CommandFailure`
 * with the place and the reason if it is none that is known, or has a line that cannot be read.
 */
export async function* readBill(file: GivenText): AsyncGenerator<BilledLine> {
  const pieces = file.pieces()[Symbol.asyncIterator]();
  for (;;) {
    const next = await pieces.next();
    if (next.done === true) throw new CommandFailure(`${file.name} is empty.`);
    const first = /[^\s\uFEFF]/.exec(next.value)?.[0];
    if (first === undefined) continue;
    const text = withFirst(next.value, pieces);
    yield* first === '{' || first === '[' ? readJson(file.name, text) : readCsv(file.name, text);
    return;
  }
}

async function* withFirst(first: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

interface CsvRecord {
  record: Record<string, string>;
  info: { lines: number };
}

async function* readCsv(file: string, pieces: AsyncIterable<string>): AsyncGenerator<BilledLine> {
  // Only this verb needs it.
  const { parse, CsvError } = await import('csv-parse');
  let bill: CsvBill | undefined;
  const parser = parse({
    ...{ bom: true, info: true, trim: true, skip_empty_lines: true },
    delimiter: [',', '\t'],
    max_record_size: LONGEST_RECORD,
    columns: (given: string[]) => {
      const names = given.map((name) => name.toLowerCase());
      bill = CSV_BILLS.find(({ columns }) => columns.every((name) => names.includes(name)));
      if (!bill)
        throw new CommandFailure(`${file}, line 1: no known export has these columns: ${names.join(', ')}.`);
      return names;
    },
  });
  const source = Readable.from(pieces);
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<CsvRecord>) {
      const line = readAt(`${file}, line ${String(info.lines)}`, () =>
        bill?.read((name) => (record[name] === '' ? undefined : record[name])),
      );
      if (line) yield line;
    }
  } catch (error) {
    if (error instanceof CsvError) throw new CommandFailure(`${file}: ${error.message}.`);
    throw error;
  } finally {
    source.destroy();
  }
}

async function* readJson(file: string, pieces: AsyncIterable<string>): AsyncGenerator<BilledLine> {
  for await (const { text, line } of readDocuments(file, pieces)) {
    const place = `${file}, line ${String(line)}`;
    for (const record of toRecords(text, place)) {
      const billed = readAt(`${place}, ${record.place}`, record.read);
      if (billed) yield billed;
    }
  }
}

function toRecords(text: string, place: string): JsonRecord[] {
  let document: unknown;
  try {
    document = parseExactJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CommandFailure(
      `${place}: it is not JSON: ${error instanceof Error ? error.message : 'cut off'}.`,
    );
  }
  const records = recordsOf(document);
  if (!records) throw new CommandFailure(`${place}: it is no page of a usage or cost API that is known.`);
  return records;
}

interface TextAt {
  text: string;
  line: number;
}

/** The JSON documents of a text, which begin at a line each. */
async function* readDocuments(file: string, pieces: AsyncIterable<string>): AsyncGenerator<TextAt> {
  let [lines, length, begun, depth]: [string[], number, number, number] = [[], 0, 1, 0];
  for await (const { text, line } of readLines(file, pieces)) {
    if (lines.length === 0) begun = line;
    if (text.trim() === '' && lines.length === 0) continue;
    lines.push(text);
    length += text.length;
    if (length > LONGEST_DOCUMENT) throw tooLong(file, begun);
    depth += depthOf(text);
    if (depth > 0) continue;
    yield { text: lines.join('\n'), line: begun };
    [lines, length, depth] = [[], 0, 0];
  }
  if (lines.length > 0) yield { text: lines.join('\n'), line: begun };
}

async function* readLines(file: string, pieces: AsyncIterable<string>): AsyncGenerator<TextAt> {
  let [rest, line]: [string[], number] = [[], 0];
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    rest.push(first);
    for (const other of others) {
      yield { text: rest.join(''), line: ++line };
      rest = [other];
    }
    if (rest.reduce((sum, text) => sum + text.length, 0) > LONGEST_DOCUMENT) throw tooLong(file, line + 1);
  }
  const last = rest.join('');
  if (last !== '') yield { text: last, line: line + 1 };
}

const tooLong = (file: string, line: number): CommandFailure =>
  new CommandFailure(`${file}, line ${String(line)}: it is longer than 64 MiB: give one page a line.`);

/** How many objects and lists a line opens, less those that it closes. A string of JSON never spans lines. */
function depthOf(line: string): number {
  let depth = 0;
  for (const [token] of line.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
  }
  return depth;
}

function readAt<Line>(place: string, read: () => Line): Line {
  try {
    return read();
  } catch (error) {
    if (error instanceof BillError) throw new CommandFailure(`${place}: ${error.message}.`);
    throw error;
  }
}
