import type { Bucket, Series } from '@farebox/ui/chart';
import { fromNano, toNano } from '@farebox/ui/format';
import { t } from '@farebox/ui/language';

/** The whole minus the parts. Money is subtracted exactly. */
export function restOf(whole: readonly Bucket[], parts: readonly Series[]): Series {
  return {
    id: 'others',
    name: t('Others'),
    buckets: whole.map(({ starts_at, requests, cost }, index) => {
      const taken = parts.flatMap(({ buckets }) => buckets[index] ?? []);
      const rest = taken.reduce((left, one) => left - toNano(one.cost), toNano(cost));
      return {
        starts_at,
        requests: taken.reduce((left, one) => left - one.requests, requests),
        cost: fromNano(rest),
      };
    }),
  };
}
