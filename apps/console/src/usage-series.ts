import { fromNano, toNano } from './format';

export interface Bucket {
  starts_at: number;
  requests: number;
  cost: string;
}

/** What one model, one key or all of them used, bucket by bucket. */
export interface Series {
  name: string;
  buckets: readonly Bucket[];
}

export type Measure = 'cost' | 'requests';

/** What the parts leave of the whole. Money is taken away exactly. */
export function restOf(whole: readonly Bucket[], parts: readonly Series[]): Series {
  return {
    name: 'Others',
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
