import {
  fromNano,
  shareOf,
  toBucketName,
  toDollars,
  toDuration,
  toNano,
  toRelativeTime,
  toShortDollars,
} from './format';

describe('toDollars', () => {
  it.each([
    ['0.000000000', '$0.00'],
    ['25.000000000', '$25.00'],
    ['0.000010500', '$0.0000105'],
    ['-0.000010500', '-$0.0000105'],
    ['9999999999.123456789', '$9,999,999,999.123456789'],
    ['1234567.500000000', '$1,234,567.50'],
  ])('shows %s as %s and loses no place', (decimal, shown) => {
    expect(toDollars(decimal)).toBe(shown);
  });

  it('keeps as many places as are asked for', () => {
    expect(toDollars('0.020000000', 6)).toBe('$0.020000');
    expect(toDollars('0.000000001', 6)).toBe('$0.000000001');
  });
});

describe('toShortDollars', () => {
  it.each([
    ['58.087999999', '$58.08'],
    ['-58.087999999', '-$58.08'],
    ['0.004000000', '< $0.01'],
    ['-0.004000000', '> -$0.01'],
    ['0.000000000', '$0.00'],
    ['1234567.891000000', '$1,234,567.89'],
  ])('cuts %s to %s: it never promises more than there is', (decimal, shown) => {
    expect(toShortDollars(decimal)).toBe(shown);
  });
});

it.each(['0.000000000', '-0.000000001', '9999999999.999999999', '-12.340000000'])(
  'reads %s and writes it again',
  (decimal) => {
    expect(fromNano(toNano(decimal))).toBe(decimal);
  },
);

it('knows how much of a cap is used', () => {
  expect(shareOf('5.000000000', '20.000000000')).toBe(25);
  expect(shareOf('0.000000001', '9999999999.000000000')).toBe(0);
  expect(shareOf('1.000000000', '0.000000000')).toBe(0);
});

it('tells times from now', () => {
  const nowMs = 1_800_000_000_000;
  expect(toRelativeTime(1_800_000_000, nowMs)).toBe('just now');
  expect(toRelativeTime(1_800_000_000 - 180, nowMs)).toBe('3 minutes ago');
  expect(toRelativeTime(1_800_000_000 + 7_200, nowMs)).toBe('in 2 hours');
  expect(toRelativeTime(1_800_000_000 - 86_400, nowMs)).toBe('yesterday');
});

it('names durations', () => {
  expect(toDuration(850)).toBe('850 ms');
  expect(toDuration(2_449)).toBe('2.4 s');
});

it('names a day of usage as UTC has it, wherever the reader is', () => {
  expect(toBucketName(Date.parse('2026-11-01T00:00:00Z') / 1_000, 'day')).toMatch(/\b1\b/);
});
