import { toNanoUsd } from '@farebox/money';
import { toMetricDollars } from './to-metric-dollars';

it.each([
  [0n, 0],
  [1n, 1e-9],
  [1_500_000_000n, 1.5],
  [-2_000_000_000n, -2],
])('%s nano-dollars are %s dollars in a graph', (nano, dollars) => {
  expect(toMetricDollars(toNanoUsd(nano))).toBe(dollars);
});
