import type { ListPage } from '@farebox/contracts';
import type { Report } from './command-run';
import { toTable, type Column } from './text-table';

/** How a page of a list is shown to a person. */
export interface ListView<Record> {
  columns: readonly Column[];
  toRow: (record: Record) => readonly string[];
  /** Where there is nothing. */
  none: string;
  /** The command that shows the next page. */
  next: (lastId: string) => string;
}

/** A page of a list: a table for a person, the page itself for a script. */
export function toListReport<Record>(
  page: ListPage<Record>,
  { columns, toRow, none, next }: ListView<Record>,
): Report {
  if (page.data.length === 0) return { json: page, text: none };
  const lines = [toTable(columns, page.data.map(toRow))];
  if (page.has_more && page.last_id !== null) lines.push(`More: ${next(page.last_id)}`);
  return { json: page, text: lines.join('\n') };
}
