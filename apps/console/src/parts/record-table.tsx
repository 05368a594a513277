import {
  Box,
  Button,
  Center,
  Group,
  Paper,
  Progress,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { Fragment, type ReactNode, useEffect } from 'react';
import { ErrorNotice, ListSkeleton } from './states';

/** An important number, with its label, and its share of a limit. */
export function Figure({
  label,
  value,
  note,
  share,
  action,
}: {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  /** In per cent of a limit. */
  share?: number | undefined;
  action?: ReactNode;
}) {
  return (
    <Paper p="md">
      <Stack gap={8} h="100%">
        <Group justify="space-between" wrap="nowrap" h={20}>
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          {action}
        </Group>
        <Text fz="1.625rem" fw={600} lh={1.15} className="figures">
          {value}
        </Text>
        {share !== undefined && (
          <Progress
            value={share}
            color={share >= 90 ? 'red' : share >= 70 ? 'yellow' : 'accent'}
            size={5}
            aria-label={`${label}: ${Math.round(share).toString()} per cent used`}
          />
        )}
        {note && (
          <Text size="xs" c="dimmed" component="div">
            {note}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

export const FigureSkeleton = () => <Skeleton height={122} radius="lg" />;

/** A section of a page with its heading and actions. */
export function Card({
  title,
  note,
  actions,
  flush = false,
  children,
}: {
  title?: string;
  note?: ReactNode;
  actions?: ReactNode;
  /** For tables, which extend to the edges. */
  flush?: boolean;
  children: ReactNode;
}) {
  return (
    <Paper component="section" {...(title ? { 'aria-label': title } : {})}>
      {(title ?? actions) && (
        <Group justify="space-between" px={20} pt="md" pb={flush ? 'xs' : 0} gap="sm">
          <Box>
            {title && <Title order={2}>{title}</Title>}
            {note && (
              <Text size="sm" c="dimmed">
                {note}
              </Text>
            )}
          </Box>
          {actions && <Group gap="sm">{actions}</Group>}
        </Group>
      )}
      <Box {...(flush ? { className: 'flush', pt: title ? 0 : 4, pb: 4 } : { px: 20, py: 'md' })}>
        {children}
      </Box>
    </Paper>
  );
}

/** Names and values of one record. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Box component="dl" className="facts" fz="sm">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </Box>
  );
}

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  /** The name is only for screen readers: for buttons, which describe themselves. */
  isNameless?: boolean;
}

interface TableParts<Row> {
  label: string;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
}

/** A table of records, which scrolls sideways on narrow screens. */
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

/** The parts of an infinite query that a table needs. */
interface ListQuery<Row> {
  data: { pages: readonly { data: readonly Row[] }[] } | undefined;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
}

/** A list of the API, in pages. `empty` is shown if it has no records. */
export function RecordList<Row>({
  query,
  empty,
  isWhole = true,
  ...table
}: TableParts<Row> & {
  query: ListQuery<Row>;
  empty: ReactNode;
  /** Whether there are no further pages to request. */
  isWhole?: boolean;
}) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  // A filtered page may be empty although there are more.
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
