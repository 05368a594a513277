import { Box, Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Bucket, Measure, Series } from './bars';
import { haveYears, toBucketName, toCount, toDollars } from './format';
import { t } from './language';

export type { Bucket, Measure, Series } from './bars';

/** Loaded on demand: the chart library is half as large as everything else. */
const Bars = lazy(() => import('./bars'));

/** Bars by the hour or the day, and the same as a table for screen readers. */
export function Chart({
  caption,
  series,
  bucket,
  measure,
  height = 220,
}: {
  /** The caption of the table. */
  caption: string;
  series: readonly Series[];
  bucket: 'hour' | 'day';
  measure: Measure;
  height?: number;
}) {
  const shown = (one: Bucket | undefined) =>
    measure === 'cost' ? toDollars(one?.cost ?? '0') : toCount(one?.requests ?? 0);
  return (
    <>
      <Box aria-hidden h={height}>
        <Suspense fallback={<Skeleton height={height} />}>
          <Bars series={series} bucket={bucket} measure={measure} height={height} />
        </Suspense>
      </Box>
      <Box className="only-heard">
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{t('Time')}</th>
              {series.map(({ id, name }) => (
                <th key={id} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {series[0]?.buckets.map(({ starts_at }, index) => (
              <tr key={starts_at}>
                <th scope="row">{toBucketName(starts_at, bucket, haveYears(series[0]?.buckets ?? []))}</th>
                {series.map(({ id, buckets }) => (
                  <td key={id}>{shown(buckets[index])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </>
  );
}
