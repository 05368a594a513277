import Table from 'cli-table3';
import type { ListPage } from '@farebox/api';
import type { Command } from 'commander';
import { readLimit } from './arguments';
import type { Report } from './report';

export const DEFAULT_LIMIT = 100;

/** The options that `addPageOptions` adds. */
export interface GivenPage {
  limit: number;
  after?: string;
}

/** Adds `--limit` and `--after` to a list; `after` describes and parses the id to continue from. */
export function addPageOptions(
  command: Command,
  after: { of: string; description: string; read: (text: string) => string },
): Command {
  return command
    .option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT)
    .option(`--after <${after.of}>`, after.description, after.read);
}

/** The given limit, undefined if it is the default: for the command of the next page. */
export function givenLimit(limit: number): number | undefined {
  return limit === DEFAULT_LIMIT ? undefined : limit;
}

/** How a page of a list is shown to a person. */
interface ListView<Record> {
  columns: readonly Column[];
  toRow: (record: Record) => readonly string[];
  /** Shown for an empty page. */
  none: string;
  /** The command that shows the next page. */
  next: (lastId: string) => string;
}

/** A page of a list: a table for a person, the page itself for a script. */
export function toListReport<Record>(
  page: ListPage<Record>,
  { columns, toRow, none, next }: ListView<Record>,
): Report {
  return {
    json: page,
    // For a script, a long table would take longer than everything else.
    get text() {
      const table = page.data.length === 0 ? none : toTable(columns, page.data.map(toRow));
      return page.has_more && page.last_id !== null ? `${table}\nMore: ${next(page.last_id)}` : table;
    },
  };
}

/** Space between columns. */
const GAP = '  ';
const NO_BORDERS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', right: '', 'right-mid': '', mid: '', 'mid-mid': '', middle: GAP },
};
const NO_PADDING = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true };

export interface Column {
  name: string;
  /** For numbers and amounts. */
  align?: 'right';
}

/** A table with headings, for a person at a terminal. */
export function toTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: columns.map(({ name }) => name.toUpperCase()),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    chars: NO_BORDERS,
    style: NO_PADDING,
  });
  table.push(...rows.map((row) => [...row]));
  return withoutTrailingSpace(table.toString());
}

/** The fields of one thing: a label and a text each. */
export function toFields(fields: readonly (readonly [label: string, text: string])[]): string {
  const table = new Table({ chars: NO_BORDERS, style: NO_PADDING });
  table.push(...fields.map((field) => [...field]));
  return withoutTrailingSpace(table.toString());
}

function withoutTrailingSpace(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

type OptionValue = string | number | undefined;

/**
 * The command that shows the next page: with the given options (undefined ones are left out) and `--after`.
 * Values with spaces are quoted for a shell.
 */
export function nextCommand(
  words: string,
  options: Readonly<Record<string, OptionValue>>,
  lastId: string,
): string {
  const all: Record<string, OptionValue> = { ...options, after: lastId };
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quote(String(value))],
  );
  return ['admin', words, ...given].join(' ');
}

function quote(text: string): string {
  return /^[\w@.:+-]+$/.test(text) ? text : `'${text.replaceAll(`'`, `'\\''`)}'`;
}

/** `1 model`, `2 models`. */
export const countOf = (count: number, noun: string): string =>
  `${String(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A time for a person. */
export const toIso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
