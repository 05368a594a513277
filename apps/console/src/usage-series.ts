import { fromNano, toNano } from './format';
import { t } from './language';

export interface Bucket {
  starts_at: number;
  requests: number;
  cost: string;
}

/** The usage of one model, one key or all of them, by bucket. */
export interface Series {
  /** Names need not differ. */
  id: string;
  name: string;
  buckets: readonly Bucket[];
}

export type Measure = 'cost' | 'requests';

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
