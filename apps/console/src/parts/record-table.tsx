import { Button, Center, Table } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { ErrorNotice, ListSkeleton } from './states';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  /** The name is heard, and not seen: for buttons, which say themselves what they do. */
  isNameless?: boolean;
}

interface TableParts<Row> {
  label: string;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
}

/** Records in rows, which scroll sideways within themselves if a screen is too narrow. */
export function RecordTable<Row>({
  label,
  columns,
  rows,
  keyOf,
}: TableParts<Row> & {
  rows: readonly Row[];
}) {
  return (
    <Table.ScrollContainer
      minWidth={columns.length * 110}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <Table highlightOnHover aria-label={label} className="records">
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, isNumber, isNameless }) => (
              <Table.Th key={name} ta={isNumber ? 'right' : 'left'} scope="col">
                {isNameless ? <span className="only-heard">{name}</span> : name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ name, cell, isNumber }) => (
                <Table.Td key={name} ta={isNumber ? 'right' : 'left'} className={isNumber ? 'figures' : ''}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** What a list of the API is read through: the parts of an infinite query that a table needs. */
interface ListQuery<Row> {
  data: { pages: readonly { data: readonly Row[] }[] } | undefined;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
}

/** A list of the API, page after page. `empty` stands in its place if it has nothing. */
export function RecordList<Row>({
  query,
  empty,
  isWhole = true,
  ...table
}: TableParts<Row> & {
  query: ListQuery<Row>;
  empty: ReactNode;
  /** Whether further pages can be asked for. */
  isWhole?: boolean;
}) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  // A page of what a filter lets through may be empty while there are more.
  const isBetween = rows.length === 0 && hasNextPage && !error;
  useEffect(() => {
    if (isBetween && !isFetchingNextPage) fetchNextPage();
  }, [isBetween, isFetchingNextPage, fetchNextPage]);
  if (!data) return error ? <ErrorNotice error={error} retry={() => void refetch()} /> : <ListSkeleton />;
  if (isBetween) return <ListSkeleton />;
  if (rows.length === 0 && !error) return <>{empty}</>;
  return (
    <>
      <RecordTable {...table} rows={rows} />
      {Boolean(error) && (
        <ErrorNotice error={error} retry={() => (hasNextPage ? fetchNextPage() : refetch())} />
      )}
      {isWhole && hasNextPage && (
        <Center my="md">
          <Button
            variant="default"
            size="sm"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Show more
          </Button>
        </Center>
      )}
    </>
  );
}
