import type { ReactNode } from 'react';
import type { Name } from './language';
import { placesOf, toDollars } from './format';

export type SortValue = string | number | bigint | null;

/** The column's cell of a row. */
export function cellsOf<Row>(column: Column<Row>, rows: readonly Row[]): (row: Row) => ReactNode {
  const { amount, cell } = column;
  if (amount === undefined) return cell;
  const places = placesOf(rows.map(amount));
  return (row) => toDollars(amount(row), places);
}

/** A column of a table of records. */
export type Column<Row> = ColumnHead<Row> &
  (
    | { cell: (row: Row) => ReactNode; isNumber?: boolean; amount?: undefined }
    /** Dollars of the API, shown with as many places as the column needs, so that they align. */
    | { amount: (row: Row) => string; isNumber: true; cell?: undefined }
  );

interface ColumnHead<Row> {
  name: Name;
  /** The name is only for screen readers: for buttons, which describe themselves. */
  isNameless?: boolean;
  /** Beside the first column on a phone, where each row is a card. By default the last one of numbers. */
  isLead?: boolean;
  /** Makes the column sortable. */
  sortBy?: ((row: Row) => SortValue) | undefined;
}
