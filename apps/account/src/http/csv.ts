import { fromUnixSeconds, toCsvLines, type CsvValue } from '@farebox/api';
import { toOwnedBy, type Brand } from '@farebox/config';
import { Pace } from '@farebox/flow';

/** A column of a CSV response: its name in the first line, and its value of a record. */
export interface CsvColumn<Row> {
  name: string;
  valueOf: (row: Row) => CsvValue;
}

/** Rows per turn of the event loop: about a millisecond. A year of hours has 8,784. */
const ROWS_A_TURN = 250;

/** Yields rows in parts, one per turn of the event loop. Others get as much time as each part took. */
async function* inParts<Row>(rows: readonly Row[]): AsyncGenerator<Row[]> {
  const pace = new Pace();
  for (let from = 0; from < rows.length; from += ROWS_A_TURN) {
    if (from > 0) await pace.giveWay();
    yield rows.slice(from, from + ROWS_A_TURN);
  }
}

/** Maps rows in parts. */
export async function mapInTurns<From, To>(rows: readonly From[], map: (row: From) => To): Promise<To[]> {
  const mapped: To[] = [];
  for await (const part of inParts(rows)) mapped.push(...part.map((row) => map(row)));
  return mapped;
}

/** Records as CSV, with a line of column names: see `toCsvLines`. Other requests run between the parts. */
export async function toCsv<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of toCsvPieces(columns, [rows])) pieces.push(piece);
  return pieces.join('');
}

/** `toCsv` for records that are read in pages: each piece is made when the one before was taken. */
export async function* toCsvPieces<Row>(
  columns: readonly CsvColumn<Row>[],
  pages: Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  yield toCsvLines([columns.map(({ name }) => name)]);
  for await (const page of pages)
    for await (const part of inParts(page))
      yield toCsvLines(part.map((row) => columns.map(({ valueOf }) => valueOf(row))));
}

/** Maps the records of each page. */
export async function* mapPages<From, To>(
  pages: AsyncIterable<readonly From[]>,
  map: (row: From) => To,
): AsyncGenerator<To[]> {
  for await (const page of pages) yield page.map(map);
}

/** Columns named like the fields of a record in JSON. */
export function columnsOf<Name extends string>(names: readonly Name[]): CsvColumn<Record<Name, CsvValue>>[] {
  return names.map((name) => ({ name, valueOf: (row) => row[name] }));
}

/** A column of Unix seconds, and beside it the same in ISO 8601, which spreadsheets read. */
export function timeColumns<Name extends string>(name: Name): CsvColumn<Record<Name, number>>[] {
  return [
    { name, valueOf: (row) => row[name] },
    { name: `${name}_iso`, valueOf: (row) => fromUnixSeconds(row[name]).toISOString().replace('.000', '') },
  ];
}

/** The range of a table; without an end it reaches to the present, without a beginning from the first record on. */
interface TableRange {
  start?: Date | undefined;
  end?: Date | undefined;
}

/** `farebox-usage-2026-10-01-to-2026-10-31.csv`: UTC days, the last one included. */
export function csvFileName(brand: Brand, subject: string, { start, end }: TableRange, now: Date): string {
  const last = toDay(end === undefined ? now : new Date(end.getTime() - 1));
  const range = start === undefined ? `until-${last}` : `${toDay(start)}-to-${last}`;
  return `${toOwnedBy(brand.name)}-${subject}-${range}.csv`;
}

const toDay = (time: Date): string => time.toISOString().slice(0, 'yyyy-mm-dd'.length);

/** The output of `JSON.stringify` in pieces: long lists are written in parts. */
export async function toJson(record: object): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '{';
  let separator = '';
  for (const [name, value] of Object.entries(record)) {
    const written = isLongList(value) ? '[' : (JSON.stringify(value) as string | undefined);
    if (written === undefined) continue;
    text += `${separator}${JSON.stringify(name)}:${written}`;
    separator = ',';
    if (!isLongList(value)) continue;
    for await (const part of inParts(value)) {
      pieces.push(Buffer.from(text + JSON.stringify(part).slice(1, -1)));
      text = ',';
    }
    text = ']';
  }
  return [...pieces, Buffer.from(`${text}}`)];
}

/** Whether a record has a list that must be written in parts. */
export function isLong(record: unknown): record is object {
  return typeof record === 'object' && record !== null && Object.values(record).some(isLongList);
}

function isLongList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > ROWS_A_TURN;
}
