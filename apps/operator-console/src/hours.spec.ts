import { bucketsOf, firstHourBefore } from './hours';

const first = firstHourBefore(Date.parse('2026-11-27T00:59:59Z'));

it('the last 24 hours end with the one that has begun', () => {
  expect(new Date(first * 1_000).toISOString()).toBe('2026-11-26T01:00:00.000Z');
});

it('an hour in which nothing happened is zero', () => {
  const rows = [
    { hour: '2026-11-26 01:00', requests: 3, revenue: '0.000000100' },
    { hour: '2026-11-27 00:00', requests: 1, revenue: '2.000000000' },
    { hour: '2026-11-25 00:00', requests: 9, revenue: '9.000000000' },
  ];
  const buckets = bucketsOf(rows, first, (row) => ({
    requests: Number(row['requests']),
    cost: String(row['revenue']),
  }));
  expect(buckets).toHaveLength(24);
  expect(buckets[0]).toEqual({ starts_at: first, requests: 3, cost: '0.000000100' });
  expect(buckets[1]).toEqual({ starts_at: first + 3_600, requests: 0, cost: '0' });
  expect(buckets.at(-1)).toMatchObject({ requests: 1, cost: '2.000000000' });
  expect(buckets.reduce((sum, { requests }) => sum + requests, 0)).toBe(4);
});
