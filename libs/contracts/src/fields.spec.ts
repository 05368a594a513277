import fc from 'fast-check';
import { fromUnixSeconds, timeFilter, toUnixSeconds } from './fields';

it('Unix seconds come back the same after a round trip', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0 }), (seconds) => toUnixSeconds(fromUnixSeconds(seconds)) === seconds),
  );
});

it('a time is rounded down to the second', () => {
  expect(toUnixSeconds(new Date(1_999))).toBe(1);
});

describe('timeFilter', () => {
  it.each([
    ['0', 0],
    ['1800000000', 1_800_000_000_000],
    ['2027-01-15T08:00:00Z', 1_800_000_000_000],
    ['2027-01-15T09:00:00+01:00', 1_800_000_000_000],
    ['2027-01-15', 1_799_971_200_000],
  ])('reads %s', (text, ms) => {
    expect(timeFilter().parse(text)).toEqual(new Date(ms));
  });

  it.each([
    '',
    '-1',
    '1.5',
    '1e9',
    '99999999999999',
    '2027-01-15T08:00:00',
    '15.01.2027',
    'now',
    '0001-01-01',
  ])('refuses "%s"', (text) => {
    expect(timeFilter().safeParse(text).success).toBe(false);
  });
});
