import { HOUR_MS } from '@farebox/flow';
import { pauseMs, RETRIES_FOR_HOURS, RETRIES_FOR_SECONDS, type RetryPolicy } from './job-table';

function totalPauseMs(policy: RetryPolicy): number {
  let total = 0;
  for (let failures = 1; failures < policy.attempts; failures++) total += pauseMs(policy, failures);
  return total;
}

it('pauses double up to the longest', () => {
  const policy = { attempts: 9, firstPauseMs: 5, longestPauseMs: 30 };
  expect([1, 2, 3, 4, 5, 2_000].map((failures) => pauseMs(policy, failures))).toEqual([
    5, 10, 20, 30, 30, 30,
  ]);
});

it('jobs that must not be lost are retried for hours, with pauses of at most a quarter of an hour', () => {
  expect(totalPauseMs(RETRIES_FOR_HOURS)).toBeGreaterThan(6 * HOUR_MS);
  expect(RETRIES_FOR_HOURS.longestPauseMs).toBeLessThanOrEqual(HOUR_MS / 4);
  expect(totalPauseMs(RETRIES_FOR_SECONDS)).toBeLessThan(60_000);
});
