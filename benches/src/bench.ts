import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot } from '@farebox/local-services';

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The value of an option that takes a whole number above zero. Throws with one sentence for any other value. */
export function positiveOption(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`--${name} takes a whole number above zero.`);
  return value;
}

/** Whether the page of figures is written, and whether PostgreSQL waits for the disk at a commit. */
export type RoundOptions<Name extends string> = Record<Name, number> & { write: boolean; fsync: boolean };

/**
 * The options of a bench of rounds: whole numbers, with their defaults, and the flags `--no-write` and `--no-fsync`.
 * Throws with one sentence if the arguments are invalid.
 */
export function readRoundOptions<Name extends string>(
  args: string[],
  defaults: Readonly<Record<Name, number>>,
): RoundOptions<Name> | 'help' {
  const numbers = Object.entries<number>(defaults);
  const { values }: { values: Record<string, unknown> } = parseArgs({
    args,
    options: {
      ...Object.fromEntries(
        numbers.map(([name, value]) => [name, { type: 'string' as const, default: String(value) }]),
      ),
      'no-write': { type: 'boolean', default: false },
      'no-fsync': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values['help']) return 'help';
  const given = numbers.map(([name]) => [name, positiveOption(name, String(values[name]))]);
  return {
    ...(Object.fromEntries(given) as Record<Name, number>),
    write: !values['no-write'],
    fsync: !values['no-fsync'],
  };
}

/** The middle one; the higher of two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A table that is readable as plain text and valid Markdown: the first column is aligned left, the others right. */
export function toMarkdownTable(headers: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = headers.map((header, column) =>
    Math.max(header.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const toLine = (cells: readonly string[]): string => {
    const padded = cells.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [toLine(headers), `| ${rule.join(' | ')} |`, ...lines.map(toLine)].join('\n');
}

const END = '<!-- End of what is written. -->';

/**
 * The page with this command's section replaced, which is between two comments; the rest is written by hand. Throws
 * if the page has no such section.
 */
export function replaceSection(page: string, command: string, written: string): string {
  const begin = `<!-- Written by \`${command}\`. Do not edit. -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`the page has no place for what "${command}" writes`);
  return `${page.slice(0, from)}${begin}\n\n${written}\n\n${page.slice(to)}`;
}

/** Writes a section of a page; the file is named from the root of the checkout. Returns the message for the user. */
export function writeSection(name: string, command: string, written: string): string {
  const file = path.resolve(workspaceRoot(), name);
  writeFileSync(file, replaceSection(readFileSync(file, 'utf8'), command, written));
  return `Written to ${path.relative(workspaceRoot(), file)}.`;
}

/** The machine that this runs on: processors and memory. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const gib = (totalmem() / 1024 ** 3).toFixed(0);
  return `${String(cpus().length)} × ${cpu?.model.trim() ?? 'unknown'}, ${gib} GiB`;
}

/** The date, as it is written beside figures. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
