import {
  fromNano,
  nameClient,
  nameEvent,
  placesOf,
  shareOf,
  haveYears,
  toBucketName,
  toDollars,
  toDuration,
  toNano,
  toRelativeTime,
  toShortDollars,
  toSpentDollars,
} from './format';

describe('toDollars', () => {
  it.each([
    ['0.000000000', '$0.00'],
    ['25.000000000', '$25.00'],
    ['0.000010500', '$0.0000105'],
    ['-0.000010500', '-$0.0000105'],
    ['9999999999.123456789', '$9,999,999,999.123456789'],
    ['1234567.500000000', '$1,234,567.50'],
  ])('shows %s as %s without losing digits', (decimal, shown) => {
    expect(toDollars(decimal)).toBe(shown);
  });

  it('keeps at least the requested number of places', () => {
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
  ])('rounds %s down to %s: it never promises more than there is', (decimal, shown) => {
    expect(toShortDollars(decimal)).toBe(shown);
  });
});

describe('toSpentDollars', () => {
  it.each([
    ['0.018714000', '$0.02'],
    ['0.014999999', '$0.01'],
    ['0.015000000', '$0.02'],
    ['0.005000000', '$0.01'],
    ['0.004999999', '< $0.01'],
    ['0.000000000', '$0.00'],
    ['999.995000000', '$1,000.00'],
  ])('rounds %s half up to %s', (decimal, shown) => {
    expect(toSpentDollars(decimal)).toBe(shown);
  });

  it('adds up with what is left of a whole', () => {
    const [spent, left] = ['0.073000000', '99.927000000'];
    expect([toSpentDollars(spent), toShortDollars(left)]).toEqual(['$0.07', '$99.92']);
    expect([toSpentDollars('0.078000000'), toShortDollars('99.922000000')]).toEqual(['$0.08', '$99.92']);
  });
});

it.each(['0.000000000', '-0.000000001', '9999999999.999999999', '-12.340000000'])(
  'reads %s and writes it back',
  (decimal) => {
    expect(fromNano(toNano(decimal))).toBe(decimal);
  },
);

it('computes the used share of a cap', () => {
  expect(shareOf('5.000000000', '20.000000000')).toBe(25);
  expect(shareOf('0.000000001', '9999999999.000000000')).toBe(0);
  expect(shareOf('1.000000000', '0.000000000')).toBe(0);
});

it('shows times relative to now', () => {
  const nowMs = 1_800_000_000_000;
  expect(toRelativeTime(1_800_000_000, nowMs)).toBe('just now');
  expect(toRelativeTime(1_800_000_000 - 180, nowMs)).toBe('3 minutes ago');
  expect(toRelativeTime(1_800_000_000 + 7_200, nowMs)).toBe('in 2 hours');
  expect(toRelativeTime(1_800_000_000 - 86_400, nowMs)).toBe('yesterday');
});

it('shows durations', () => {
  expect(toDuration(850)).toBe('850 ms');
  expect(toDuration(2_449)).toBe('2.4 s');
});

it("shows a day of usage in UTC, whatever the reader's zone", () => {
  const day = Date.parse('2026-11-01T00:00:00Z') / 1_000;
  expect(toBucketName(day, 'day')).toMatch(/\b1\b/);
  expect(toBucketName(day, 'day')).not.toContain('2026');
  expect(toBucketName(day, 'day', true)).toContain('2026');
  expect(haveYears([{ starts_at: day }, { starts_at: day + 86_400 }])).toBe(false);
  expect(haveYears([{ starts_at: day }, { starts_at: day + 90 * 86_400 }])).toBe(true);
});

describe('an event of an account', () => {
  const sess = 'sess_1';

  it.each([
    ['Signed in', { credential: 'session', credential_id: sess, action: 'create', actor_id: sess }],
    ['Signed out', { credential: 'session', credential_id: sess, action: 'revoke', actor_id: sess }],
    ['Session ended', { credential: 'session', credential_id: 'sess_2', action: 'revoke', actor_id: sess }],
    [
      'Session of laptop started',
      { credential: 'session', credential_id: 'sess_2', action: 'create', actor_id: sess, name: 'laptop' },
    ],
    ['API key laptop rotated', { credential: 'api_key', action: 'rotate', actor_id: sess, name: 'laptop' }],
    ['Device laptop created', { credential: 'device', action: 'create', actor_id: sess, name: 'laptop' }],
    ['Account changed', { credential: 'account', action: 'change', actor_id: null }],
  ] as const)('is shown as %s', (shown, event) => {
    expect(nameEvent({ credential_id: 'x', name: null, ...event })).toBe(shown);
  });
});

it.each([
  ['Firefox on Linux', { browser: 'Firefox on Linux', user_agent: 'Mozilla/5.0' }],
  ['farebox-cli/1.2', { browser: null, user_agent: 'farebox-cli/1.2' }],
  ['x'.repeat(40), { browser: null, user_agent: 'x'.repeat(200) }],
  ['Unknown', { browser: null, user_agent: null }],
])('a client is shown as %s', (shown, client) => {
  expect(nameClient(client)).toBe(shown);
});

it('amounts of a column have as many places as one of them needs, and at least cents', () => {
  expect(placesOf(['25.000000000', '-0.003835000', '0.000110160'])).toBe(8);
  expect(placesOf(['25.000000000'])).toBe(2);
  expect(placesOf([])).toBe(2);
});
