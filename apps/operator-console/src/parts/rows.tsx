import { toNano } from '@farebox/ui/format';
import { inEnglish } from '@farebox/ui/language';
import { Card, RecordList, RecordTable, type Column } from '@farebox/ui/record-table';
import { Empty, Loaded } from '@farebox/ui/states';
import { Text } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { listQuery, readQuery, type Given } from '../api';
import {
  fieldsOfRows,
  isAmount,
  isNumeric,
  isPrice,
  isTime,
  keysOf,
  nameOfField,
  type Row,
} from '../row-fields';
import { Cell } from './cell';

interface RowsLook {
  /** Fields that are not shown. */
  hidden?: readonly string[];
  /** Only these fields, in this order. */
  fields?: readonly string[];
  /** Beside the first field on a phone. */
  lead?: string;
  /** Buttons of a row. */
  actions?: (row: Row) => ReactNode;
}

/** Columns for the fields of any records. */
export function columnsOf(
  rows: readonly Row[],
  { hidden, fields = fieldsOfRows(rows, hidden), lead, actions }: RowsLook = {},
): Column<Row>[] {
  const columns = fields.map((field): Column<Row> => {
    const sample = rows.find((row) => row[field] !== null && row[field] !== undefined)?.[field];
    return {
      name: inEnglish(nameOfField(field)),
      cell: (row) => <Cell field={field} row={row} />,
      isNumber: isNumeric(field, sample),
      ...(field === lead && { isLead: true }),
      // By what is more or less, or earlier: the others are found by reading.
      ...((isNumeric(field, sample) || isTime(field, sample)) && {
        sortBy: (row) => sortValueOf(field, row[field]),
      }),
    };
  });
  if (!actions) return columns;
  return [
    ...columns,
    { name: inEnglish('Actions'), isNameless: true, isLead: true, isNumber: true, cell: actions },
  ];
}

function sortValueOf(field: string, value: unknown): string | number | bigint | null {
  if (isAmount(value) || isPrice(field, value)) return toNano(value);
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** The list of a verb that reads, in pages. */
export function VerbList({
  verb,
  given = {},
  title,
  note,
  head,
  empty,
  icon,
  ...look
}: RowsLook & {
  verb: string;
  given?: Given;
  title: string;
  note?: string;
  head?: ReactNode;
  /** The text of an empty list. */
  empty: string;
  icon: Icon;
}) {
  const query = useInfiniteQuery(listQuery<Row>(verb, given));
  const rows = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card flush title={title} note={note} actions={head}>
      <RecordList
        query={query}
        label={title}
        columns={columnsOf(rows, look)}
        keyOf={keysOf(rows, query.data?.pages.at(-1)?.last_id)}
        empty={<Empty icon={icon} title={empty} />}
      />
    </Card>
  );
}

/** The lines of a report, without further pages. */
export function ReportCard({
  verb,
  given = {},
  title,
  note,
  head,
  empty,
  ...look
}: RowsLook & {
  verb: string;
  given?: Given;
  title: string;
  note?: string;
  head?: ReactNode;
  empty: string;
}) {
  const report = useQuery(readQuery<{ data: readonly Row[] }>(verb, given));
  return (
    <Card flush title={title} note={note} actions={head}>
      <Loaded query={report}>
        {({ data }) => <Lines rows={data} label={title} empty={empty} {...look} />}
      </Loaded>
    </Card>
  );
}

export function Lines({
  rows,
  label,
  empty,
  ...look
}: RowsLook & { rows: readonly Row[]; label: string; empty: string }) {
  if (rows.length === 0)
    return (
      <Text px={20} pb="md" c="dimmed" fz="sm">
        {empty}
      </Text>
    );
  return <RecordTable label={label} columns={columnsOf(rows, look)} rows={rows} keyOf={keysOf(rows, null)} />;
}
