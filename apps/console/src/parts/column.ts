import type { PlainText } from '@farebox/texts';
import type { ReactNode } from 'react';

export type SortValue = string | number | bigint | null;

/** A column of a table of records. */
export interface Column<Row> {
  name: PlainText;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  /** The name is only for screen readers: for buttons, which describe themselves. */
  isNameless?: boolean;
  /** Beside the first column on a phone, where each row is a card. By default the last one of numbers. */
  isLead?: boolean;
  /** Makes the column sortable. */
  sortBy?: (row: Row) => SortValue;
}
