import { toCsvLines, type CsvValue } from '@farebox/api';
import type { Command } from 'commander';
import type { Report } from './report';

export interface GivenCsv {
  csv?: true | undefined;
}

/** Adds `--csv` to a command that reports records. */
export function addCsvOption(command: Command): Command {
  return command.option('--csv', 'print the lines as CSV, for a spreadsheet');
}

/** The report with its records as CSV instead of the text for a person. Columns are named as in `--json`. */
export function asCsv(
  report: Report,
  { csv }: GivenCsv,
  columns: readonly string[],
  records: readonly Readonly<Record<string, CsvValue>>[],
): Report {
  if (csv !== true) return report;
  const rows = records.map((record) => columns.map((name) => record[name] ?? null));
  return { ...report, text: toCsvLines([columns, ...rows]).replace(/\r\n$/, '') };
}
