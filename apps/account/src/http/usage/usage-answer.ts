import type { Answer, MediaType } from '../endpoint';
import { toCsv, type CsvColumn } from '../csv';

/** Every usage endpoint answers with these, JSON if nothing else is asked for. */
export const USAGE_MEDIA_TYPES: readonly MediaType[] = ['application/json', 'text/csv'];

export interface CsvTable<Row> {
  fileName: string;
  columns: readonly CsvColumn<Row>[];
  rows: readonly Row[];
  headers?: Readonly<Record<string, string>>;
}

/** The one or the other of an answer's two forms. */
export async function usageAnswer<Row>(
  wants: MediaType,
  body: unknown,
  table: CsvTable<Row>,
): Promise<Answer> {
  if (wants !== 'text/csv') return { status: 200, body };
  const { fileName, columns, rows, headers = {} } = table;
  return {
    status: 200,
    document: { mediaType: 'text/csv', content: await toCsv(columns, rows), fileName, headers },
  };
}
