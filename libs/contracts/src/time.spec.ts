import fc from 'fast-check';
import { fromUnixSeconds, toUnixSeconds } from './time';

it('Unix seconds come back the same after a round trip', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0 }), (seconds) => toUnixSeconds(fromUnixSeconds(seconds)) === seconds),
  );
});

it('a time is rounded down to the second', () => {
  expect(toUnixSeconds(new Date(1_999))).toBe(1);
});
