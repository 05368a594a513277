import { REVIEW_POLICIES } from '@farebox/config';
import { resolutionByPolicy } from './handlers';

const streamed = { state: 'open', reason: 'charge_failed', streamed: true, isUncounted: false } as const;
const withheld = { ...streamed, streamed: false } as const;

it.each([
  ['manual', streamed, undefined],
  ['manual', withheld, undefined],
  ['charge', streamed, 'charge'],
  ['charge', withheld, 'waive'],
  ['waive', streamed, 'waive'],
  ['waive', withheld, 'waive'],
] as const)('the policy %s of %j: %s', (policy, review, resolution) => {
  expect(resolutionByPolicy(policy, review)).toBe(resolution);
});

it.each(REVIEW_POLICIES)(
  'the policy %s leaves resolved reviews, lost holds and estimates to operators',
  (policy) => {
    const left = [
      { ...streamed, state: 'charged' },
      { ...withheld, state: 'waived' },
      { ...streamed, reason: 'gateway_lost', streamed: null },
      { ...streamed, reason: 'usage_over_hold' },
      { ...streamed, isUncounted: true },
      { ...withheld, isUncounted: true },
    ] as const;
    for (const review of left) expect(resolutionByPolicy(policy, review)).toBeUndefined();
  },
);
