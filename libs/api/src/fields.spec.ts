import fc from 'fast-check';
import { fromUnixSeconds, timeFilter, timeInBody, toUnixSeconds } from './fields';

it('Unix seconds are the same after a round trip', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0 }), (seconds) => toUnixSeconds(fromUnixSeconds(seconds)) === seconds),
  );
});

it('a time is rounded down to the second', () => {
  expect(toUnixSeconds(new Date(1_999))).toBe(1);
});

const ISO_TIMES: [string, number][] = [
  ['2027-01-15T08:00Z', 1_800_000_000_000],
  ['2027-01-15T09:00+01:00', 1_800_000_000_000],
  ['2027-01-15T09:00+0100', 1_800_000_000_000],
  ['2027-01-15T00:30:00.5-0730', 1_800_000_000_500],
];
const NO_TIMES = [
  '2027-02-29',
  '2027-02-29T08:00Z',
  '2027-01-15T24:30Z',
  '2027-01-15T08:00:60Z',
  '2027-01-15T08:00+25:00',
  '2027-01-15T08:00',
  '2027-01-15T08Z',
  '2027-01-15 08:00Z',
  '2027-1-5',
  '9999-12-31T23:59-01:00',
];

describe('timeFilter', () => {
  it.each([
    ['0', 0],
    ['1800000000', 1_800_000_000_000],
    ['2027-01-15T08:00:00Z', 1_800_000_000_000],
    ['2027-01-15T09:00:00+01:00', 1_800_000_000_000],
    ['2027-01-15', 1_799_971_200_000],
    ...ISO_TIMES,
    // A plus sign that was not encoded.
    ['2027-01-15T09:00 01:00', 1_800_000_000_000],
    ['2027-01-15T09:00:00 0100', 1_800_000_000_000],
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
    ...NO_TIMES,
  ])('refuses "%s"', (text) => {
    expect(timeFilter().safeParse(text).success).toBe(false);
  });
});

describe('timeInBody', () => {
  it.each([[1_800_000_000, 1_800_000_000_000] as const, ...ISO_TIMES])('reads %j', (value, ms) => {
    expect(timeInBody().parse(value)).toEqual(new Date(ms));
  });

  it.each(['1800000000', '2027-01-15T09:00 01:00', 1.5, -1, true, ...NO_TIMES])('refuses %j', (value) => {
    expect(timeInBody().safeParse(value).success).toBe(false);
  });
});
