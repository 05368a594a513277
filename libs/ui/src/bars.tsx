import { BarChart } from '@mantine/charts';
import '@mantine/core/styles/ColorSwatch.layer.css';
import '@mantine/charts/styles.layer.css';
import { haveYears, toBucketName, toDollars, toNano, toShortCount } from './format';

export interface Bucket {
  starts_at: number;
  requests: number;
  cost: string;
}

/** The requests and the cost of one thing, by bucket. */
export interface Series {
  /** Names need not differ. */
  id: string;
  name: string;
  buckets: readonly Bucket[];
}

export type Measure = 'cost' | 'requests';

const NANO_PER_MICRO = 1_000n;
const MICRO_PER_DOLLAR = 1_000_000;

/** The height of a bar. It is only drawn, never added up, so a float does no harm. */
const toHeight = (cost: string): number => Number(toNano(cost) / NANO_PER_MICRO) / MICRO_PER_DOLLAR;

const COLOURS = ['accent.6', 'teal.6', 'orange.5', 'grape.5', 'cyan.6', 'gray.5'];

/** Cents, plus further places for small amounts. */
function showDollars(value: number): string {
  return value === 0 ? toDollars('0', 0) : toDollars(value.toFixed(value < 1 ? 6 : 2));
}

/** The field of a part's heights. Names are the customers' own: two may be the same, or that of another field. */
const keyOf = (part: number): string => `part-${part.toString()}`;

export default function Bars({
  series,
  bucket,
  measure,
  height,
}: {
  series: readonly Series[];
  bucket: 'hour' | 'day';
  measure: Measure;
  height: number;
}) {
  const heightOf = (one: Bucket | undefined) =>
    measure === 'cost' ? toHeight(one?.cost ?? '0') : (one?.requests ?? 0);
  const buckets = series[0]?.buckets ?? [];
  const hasYears = haveYears(buckets);
  const data = buckets.map(({ starts_at }, index) => ({
    bucket: toBucketName(starts_at, bucket, hasYears),
    ...Object.fromEntries(series.map((one, part) => [keyOf(part), heightOf(one.buckets[index])])),
  }));
  return (
    <BarChart
      h={height}
      data={data}
      dataKey="bucket"
      type="stacked"
      series={series.map(({ name }, index) => ({
        name: keyOf(index),
        label: name,
        color: COLOURS[index % COLOURS.length] ?? 'accent.6',
      }))}
      valueFormatter={measure === 'cost' ? showDollars : toShortCount}
      withLegend={series.length > 1}
      legendProps={{ position: 'bottom' }}
      tickLine="none"
      gridAxis="x"
      barProps={{ isAnimationActive: false }}
      // The drawing is not reachable by the Tab key: screen readers get the table.
      barChartProps={{ accessibilityLayer: false, margin: { top: 8 } }}
      maxBarWidth={36}
      xAxisProps={{ minTickGap: 28, interval: 'equidistantPreserveStart' }}
      yAxisProps={{ width: 64 }}
    />
  );
}
