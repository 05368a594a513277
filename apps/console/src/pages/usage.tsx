import type { PlainText } from '@farebox/texts';
import { Anchor, Group, SegmentedControl, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { byApiKeyQuery, byModelQuery, summaryQuery, toUsageQuery } from '../api';
import { useState } from 'react';
import { useCsvDownload } from '../download';
import { nameKey, toCount, toDollars, toShortCount, toSpentDollars } from '@farebox/ui/format';
import { CsvButton, CsvFailure } from '../parts/csv-button';
import { ErrorNotice } from '@farebox/ui/errors';
import { Card, type Column, Figure, RecordTable } from '@farebox/ui/record-table';
import { Empty, Loaded, PageHead } from '@farebox/ui/states';
import { UsageChart } from '../parts/usage-chart';
import { UsageFilterBar } from '../parts/usage-filter';
import type { UsageSearch } from '../search-params';
import { type UsageFilter, withStart } from '../usage-range';
import type { Bucket, Series } from '@farebox/ui/chart';
import { restOf } from '../usage-series';
import { t } from '@farebox/ui/language';

export function Page() {
  const search = useSearch({ from: '/shell/usage' });
  const { bucket = 'day', measure = 'cost', split, ...filter } = search;
  const navigate = useNavigate({ from: '/usage' });
  const summary = useQuery(summaryQuery(filter, bucket));
  const byModel = useQuery(byModelQuery(filter));
  const byKey = useQuery(byApiKeyQuery(filter));
  const [nowMs] = useState(Date.now);
  const download = useCsvDownload();
  const parts = {
    model: byModel.data?.data.map(({ model }) => ({ id: model, name: model, filter: { model } })),
    key: byKey.data?.data.map(({ key_public_id, ...key }) => ({
      ...{ id: key_public_id, name: nameKey(key) },
      filter: { key_public_id },
    })),
  };
  const series = useSplitSeries(summary.data?.series, split && parts[split], filter, bucket);
  // A wrong range or filter is wrong for the whole page.
  const failure = summary.data === undefined ? summary.error : null;
  const show = (changed: UsageSearch) =>
    void navigate({ search: { ...search, ...changed }, replace: true, resetScroll: false });

  return (
    <>
      <PageHead title={t('Usage')} lead={t('What was charged, by the hour or day in UTC.')}>
        {!failure && (
          <CsvButton
            download={download}
            request={{ of: 'usage', query: toUsageQuery(withStart(filter, nowMs)) }}
          >
            {t('Download CSV')}
          </CsvButton>
        )}
      </PageHead>
      <CsvFailure download={download} />
      <UsageFilterBar filter={filter} change={show} />
      {failure ? (
        <ErrorNotice error={failure} retry={() => void summary.refetch()} />
      ) : (
        <Stack gap="lg">
          <Loaded query={summary} skeleton={<Skeleton height={460} radius="lg" />}>
            {({ totals }) => (
              <>
                <SimpleGrid cols={{ base: 2, lg: 4 }}>
                  <Figure
                    label={t('Spent')}
                    value={toSpentDollars(totals.cost)}
                    exact={toDollars(totals.cost)}
                  />
                  <Figure
                    label={t('Requests')}
                    value={toShortCount(totals.requests)}
                    exact={toCount(totals.requests)}
                  />
                  <Figure
                    label={t('Prompt tokens')}
                    value={toShortCount(totals.prompt_tokens)}
                    exact={withPart(totals.prompt_tokens, totals.cached_tokens, '{count}, {part} cached')}
                  />
                  <Figure
                    label={t('Completion tokens')}
                    value={toShortCount(totals.completion_tokens)}
                    exact={withPart(
                      totals.completion_tokens,
                      totals.reasoning_tokens,
                      '{count}, {part} of reasoning',
                    )}
                  />
                </SimpleGrid>
                <Card
                  title={measure === 'cost' ? t('Spend') : t('Requests')}
                  actions={<ChartChoices search={{ bucket, measure, split }} show={show} />}
                >
                  {totals.requests === 0 ? (
                    <Empty icon={IconChartBar} title={t('Nothing was used in this range')}>
                      {t('Choose another range, or remove the filter.')}
                    </Empty>
                  ) : (
                    <UsageChart series={series} bucket={bucket} measure={measure} height={280} />
                  )}
                </Card>
              </>
            )}
          </Loaded>
          {summary.data?.totals.requests !== 0 && (
            <>
              <Card flush title={t('By model')}>
                <Loaded query={byModel}>
                  {({ data }) => (
                    <RecordTable
                      label={t('Usage by model')}
                      rows={data}
                      keyOf={({ model }) => model}
                      columns={[{ name: 'Model', cell: ({ model }) => model }, ...sumsFor(data)]}
                    />
                  )}
                </Loaded>
              </Card>
              <Card flush title={t('By API key')}>
                <Loaded query={byKey}>
                  {({ data }) => (
                    <RecordTable
                      label={t('Usage by API key')}
                      rows={data}
                      keyOf={({ key_public_id }) => key_public_id}
                      columns={[
                        {
                          name: 'API key',
                          cell: ({ key_public_id, ...key }) => (
                            <Anchor
                              renderRoot={(props) => (
                                <Link
                                  to="/keys/$keyPublicId"
                                  params={{ keyPublicId: key_public_id }}
                                  {...props}
                                />
                              )}
                            >
                              {nameKey(key)}
                            </Anchor>
                          ),
                        },
                        ...sumsFor(data),
                      ]}
                    />
                  )}
                </Loaded>
              </Card>
            </>
          )}
        </Stack>
      )}
    </>
  );
}

/** The settings of the chart. A default is left out of the address. */
function ChartChoices({
  search: { bucket, measure, split },
  show,
}: {
  search: { bucket: 'hour' | 'day'; measure: 'cost' | 'requests'; split: 'model' | 'key' | undefined };
  show: (changed: UsageSearch) => void;
}) {
  return (
    <Group gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={t('Measure')}
        value={measure}
        onChange={(value) => show({ measure: value === 'requests' ? 'requests' : undefined })}
        data={[
          { value: 'cost', label: t('Spend') },
          { value: 'requests', label: t('Requests') },
        ]}
      />
      <SegmentedControl
        size="xs"
        aria-label={t('Split')}
        value={split ?? 'total'}
        onChange={(value) => show({ split: value === 'total' ? undefined : value })}
        data={[
          { value: 'total', label: t('Total') },
          { value: 'model', label: t('By model') },
          { value: 'key', label: t('By key') },
        ]}
      />
      <SegmentedControl
        size="xs"
        aria-label={t('Hour or day')}
        value={bucket}
        onChange={(value) => show({ bucket: value === 'hour' ? 'hour' : undefined })}
        data={[
          { value: 'day', label: t('Day') },
          { value: 'hour', label: t('Hour') },
        ]}
      />
    </Group>
  );
}

/** How many tokens, and how many of them are of a kind, if any. */
function withPart(
  tokens: number,
  part: number,
  text: '{count}, {part} cached' | '{count}, {part} of reasoning',
): string {
  return part === 0 ? toCount(tokens) : t(text, { count: toCount(tokens), part: toCount(part) });
}

interface Sums {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  cost: string;
}

/** A column for a kind of tokens only if there are any. */
function sumsFor(rows: readonly Sums[]): Column<Sums>[] {
  const kind = (name: PlainText, countOf: (sums: Sums) => number): Column<Sums>[] =>
    rows.some((row) => countOf(row) > 0)
      ? [{ name, isNumber: true, cell: (sums) => toCount(countOf(sums)) }]
      : [];
  return [
    { name: 'Requests', isNumber: true, cell: ({ requests }) => toCount(requests) },
    { name: 'Prompt tokens', isNumber: true, cell: ({ prompt_tokens }) => toCount(prompt_tokens) },
    ...kind('Cached', ({ cached_tokens }) => cached_tokens),
    {
      name: 'Completion tokens',
      isNumber: true,
      cell: ({ completion_tokens }) => toCount(completion_tokens),
    },
    ...kind('Reasoning', ({ reasoning_tokens }) => reasoning_tokens),
    { name: 'Cost', isNumber: true, amount: ({ cost }) => cost },
  ];
}

/** Parts with a colour of their own. */
const MAX_PARTS = 5;

interface Part {
  id: string;
  name: string;
  filter: UsageFilter;
}

/** The whole as one series, or its largest parts plus a series for the rest. */
export function useSplitSeries(
  whole: readonly Bucket[] | undefined,
  parts: readonly Part[] | undefined,
  filter: UsageFilter,
  bucket: 'hour' | 'day',
): readonly Series[] {
  const largest = parts?.slice(0, MAX_PARTS) ?? [];
  const answers = useQueries({
    queries: largest.map((part) => summaryQuery({ ...filter, ...part.filter }, bucket)),
  });
  if (!whole) return [];
  const series = largest.flatMap(({ id, name }, index) => {
    const buckets = answers[index]?.data?.series;
    return buckets ? [{ id, name, buckets }] : [];
  });
  if (series.length === 0 || series.length < largest.length)
    return [{ id: 'total', name: t('Total'), buckets: whole }];
  return parts && parts.length > largest.length ? [...series, restOf(whole, series)] : series;
}
