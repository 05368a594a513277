import { useQueries } from '@tanstack/react-query';
import { summaryQuery } from './api';
import type { UsageFilter } from './usage-range';
import { restOf, type Bucket, type Series } from './usage-series';

/** How many get a colour of their own. */
const MAX_PARTS = 5;

interface Part {
  name: string;
  filter: UsageFilter;
}

/** The whole as one series; or the largest of its parts, and what is left of it as one more. */
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
  const series = largest.flatMap(({ name }, index) => {
    const buckets = answers[index]?.data?.series;
    return buckets ? [{ name, buckets }] : [];
  });
  if (series.length === 0 || series.length < largest.length) return [{ name: 'Total', buckets: whole }];
  return parts && parts.length > largest.length ? [...series, restOf(whole, series)] : series;
}
