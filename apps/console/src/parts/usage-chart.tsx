import type { PlainText } from '@farebox/texts';
import { Chart, type Measure, type Series } from '@farebox/ui/chart';
import { t } from '@farebox/ui/language';

const CAPTIONS: Record<Measure, Record<'hour' | 'day', PlainText>> = {
  cost: { hour: 'Spend by hour, UTC', day: 'Spend by day, UTC' },
  requests: { hour: 'Requests by hour, UTC', day: 'Requests by day, UTC' },
};

/** Spend or requests, by the hour or the day. */
export function UsageChart({
  measure,
  bucket,
  ...chart
}: {
  series: readonly Series[];
  bucket: 'hour' | 'day';
  measure: Measure;
  height?: number;
}) {
  return <Chart {...chart} caption={t(CAPTIONS[measure][bucket])} measure={measure} bucket={bucket} />;
}
