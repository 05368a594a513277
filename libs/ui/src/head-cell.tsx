import { Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { useState } from 'react';
import type { Column, SortValue } from './column';
import { nameOf } from './language';

interface Order {
  column: string;
  isDescending: boolean;
}

/** The rows in the order that the reader chose by a column's header, at first as they came. */
export function useSorting<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  const [order, setOrder] = useState<Order>();
  const sortBy = columns.find(({ name }) => name === order?.column)?.sortBy;
  return {
    sorted: sortBy
      ? rows.toSorted((a, b) => compare(sortBy(a), sortBy(b)) * (order?.isDescending ? -1 : 1))
      : rows,
    order,
    /** Ascending, descending, and as they came. */
    sort: (column: string) =>
      setOrder(
        order?.column !== column
          ? { column, isDescending: false }
          : order.isDescending
            ? undefined
            : { column, isDescending: true },
      ),
  };
}

function compare(a: SortValue, b: SortValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'string' && typeof b === 'string') return a.localeCompare(b);
  return a < b ? -1 : a > b ? 1 : 0;
}

export function HeadCell<Row>({
  column: { name, isNumber, isNameless, sortBy },
  order,
  sort,
}: {
  column: Column<Row>;
  order: Order | undefined;
  sort: (column: string) => void;
}) {
  const isSorted = order?.column === name;
  const Icon = !isSorted ? IconArrowsSort : order.isDescending ? IconArrowDown : IconArrowUp;
  return (
    <Table.Th
      ta={isNumber ? 'right' : 'left'}
      scope="col"
      role="columnheader"
      {...(isSorted ? { 'aria-sort': order.isDescending ? 'descending' : 'ascending' } : {})}
    >
      {isNameless ? (
        <span className="only-heard">{nameOf(name)}</span>
      ) : sortBy ? (
        <UnstyledButton className="sort" onClick={() => sort(name)}>
          {nameOf(name)}
          <Icon size={13} aria-hidden />
        </UnstyledButton>
      ) : (
        nameOf(name)
      )}
    </Table.Th>
  );
}
