import { TokenBuckets, type TokenBucketsSettings } from './token-buckets';

function given(settings: TokenBucketsSettings) {
  const clock = { nowMs: 0 };
  return { clock, buckets: new TokenBuckets(settings, () => clock.nowMs) };
}

it('gives a burst at once, and then no more than the rate', () => {
  const { clock, buckets } = given({ burst: 2, perSecond: 10 });
  expect([buckets.take('a'), buckets.take('a'), buckets.take('a')]).toEqual([0, 0, undefined]);
  clock.nowMs = 100;
  expect([buckets.take('a'), buckets.take('a')]).toEqual([0, undefined]);
});

it('says how long each take beyond the burst waits, up to the longest wait', () => {
  const { buckets } = given({ burst: 1, perSecond: 10 });
  const waits = Array.from({ length: 5 }, () => buckets.take('a', 300));
  expect(waits).toEqual([0, 100, 200, 300, undefined]);
});

it('keeps the owners apart', () => {
  const { buckets } = given({ burst: 1, perSecond: 10 });
  expect([buckets.take('a'), buckets.take('a'), buckets.take('b')]).toEqual([0, undefined, 0]);
});

it('forgets the owner that was used longest ago if there are too many', () => {
  const { buckets } = given({ burst: 1, perSecond: 1, mostOwners: 2 });
  for (const owner of ['a', 'b', 'a', 'c']) buckets.take(owner);
  expect([buckets.take('a'), buckets.take('b')]).toEqual([undefined, 0]);
});
