import { Box, Button, Group, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { Fragment, type PointerEvent, type ReactNode, useEffect, useRef } from 'react';
import { cellsOf, type Column } from './column';
import { HeadCell, useSorting } from './head-cell';
import { toCount } from './format';
import { ErrorNotice } from './errors';
import { ShareBar } from './share-bar';
import { ListSkeleton } from './states';
import { nameOf, t, type Name } from './language';

/** An important number, with its label, and its share of a limit. */
export function Figure({
  label,
  value,
  note,
  exact,
  share,
  action,
}: {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  /** The same with every digit, which is not told twice. */
  exact?: string;
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
        {share !== undefined && <ShareBar limit={label} share={share} />}
        {(note ?? (exact !== value && exact)) && (
          <Text size="xs" c="dimmed" component="div">
            {note ?? exact}
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
export function Facts({ facts }: { facts: readonly (readonly [Name, ReactNode])[] }) {
  return (
    <Box component="dl" className="facts" fz="sm">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{nameOf(name)}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </Box>
  );
}

export type { Column };

interface TableParts<Row> {
  label: string;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
}

/** Above this number of rows, a table scrolls below its header. */
const MAX_ROWS_AT_ONCE = 30;

/** A table of records. On a phone, each is a card. */
export function RecordTable<Row>({
  label,
  columns,
  rows,
  keyOf,
}: TableParts<Row> & {
  rows: readonly Row[];
}) {
  const { sorted, order, sort } = useSorting(rows, columns);
  const cells = columns.map((column) => cellsOf(column, rows));
  const lead = columns.find(({ isLead }) => isLead) ?? columns.findLast(({ isNumber }) => isNumber);
  return (
    <Table.ScrollContainer
      minWidth={columns.length * 110}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={label}
      className={rows.length > MAX_ROWS_AT_ONCE ? 'records-frame records-long' : 'records-frame'}
    >
      {/* The roles are those of the elements, which lose them when they are drawn as cards. */}
      <Table highlightOnHover aria-label={label} className="records" role="table">
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map((column) => (
              <HeadCell key={column.name} column={column} order={order} sort={sort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {sorted.map((row) => (
            <Table.Tr key={keyOf(row)} role="row">
              {columns.map((column, index) => (
                <Table.Td
                  key={column.name}
                  role="cell"
                  ta={column.isNumber ? 'right' : 'left'}
                  className={column.isNumber ? 'figures' : ''}
                  data-label={column.isNameless ? undefined : nameOf(column.name)}
                  data-lead={column === lead ? true : undefined}
                  onPointerEnter={showWhole}
                >
                  {cells[index]?.(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** A long name is cut in its cell, and whole in a tooltip. */
function showWhole({ currentTarget: cell }: PointerEvent<HTMLElement>): void {
  cell.title = cell.scrollWidth > cell.clientWidth ? cell.textContent : '';
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
  const list = useRef<HTMLDivElement>(null);
  const firstNew = useRef<number>(undefined);
  useEffect(() => {
    if (firstNew.current === undefined || isFetchingNextPage) return;
    // The pressed button may be gone: the keyboard goes on from the first new record.
    focusRow(list.current, firstNew.current);
    firstNew.current = undefined;
  }, [rows.length, isFetchingNextPage]);
  if (!data) return error ? <ErrorNotice error={error} retry={() => void refetch()} /> : <ListSkeleton />;
  if (isBetween) return <ListSkeleton />;
  if (rows.length === 0 && !error) return <>{empty}</>;
  return (
    <div ref={list}>
      <RecordTable
        {...table}
        // A missing element cannot be in its place.
        columns={isWhole && hasNextPage ? table.columns.map(withoutSorting) : table.columns}
        rows={rows}
      />
      {Boolean(error) && (
        <ErrorNotice error={error} retry={() => (hasNextPage ? fetchNextPage() : refetch())} />
      )}
      {isWhole && (hasNextPage || data.pages.length > 1) && (
        <Group justify="center" my="md">
          <Text size="sm" c="dimmed" role="status">
            {hasNextPage
              ? t('The newest {count}', { count: toCount(rows.length) })
              : t('All {count}', { count: toCount(rows.length) })}
          </Text>
          {hasNextPage && (
            <Button
              variant="default"
              size="sm"
              loading={isFetchingNextPage}
              onClick={() => {
                firstNew.current = rows.length;
                void fetchNextPage();
              }}
            >
              {t('Show more')}
            </Button>
          )}
        </Group>
      )}
    </div>
  );
}

const withoutSorting = <Row,>(column: Column<Row>): Column<Row> => ({ ...column, sortBy: undefined });

function focusRow(list: HTMLElement | null, index: number): void {
  const row = list?.querySelectorAll<HTMLElement>('tbody > tr')[index];
  const target =
    row?.querySelector<HTMLElement>('a, button') ?? list?.querySelector<HTMLElement>('[tabindex]');
  target?.focus();
}
