import { readRetryAfterMs, Rests } from './retry-after';

const NOW_MS = Date.UTC(2026, 10, 22, 12, 0, 0);
const read = (headers: Record<string, string | string[]>, status = 429): number | undefined =>
  readRetryAfterMs(status, headers, () => NOW_MS);
const httpDate = (atMs: number): string => new Date(atMs).toUTCString();

describe('the wait that an upstream asks for', () => {
  it.each([429, 503, 529])('is read with status %s', (status) => {
    expect(read({ 'retry-after': '7' }, status)).toBe(7_000);
  });

  it.each([200, 400, 401, 500, 502])('is not read with status %s', (status) => {
    expect(read({ 'retry-after': '7' }, status)).toBeUndefined();
  });

  it.each<[string, Record<string, string | string[]>, number | undefined]>([
    ['seconds', { 'retry-after': '30' }, 30_000],
    ['a part of a second', { 'retry-after': ' 0.25 ' }, 250],
    ['no wait', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': httpDate(NOW_MS + 20_000) }, 20_000],
    ['a date that is past', { 'retry-after': httpDate(NOW_MS - 20_000) }, 0],
    [
      'a date by a clock that is an hour ahead',
      { 'retry-after': httpDate(NOW_MS + 3_610_000), date: httpDate(NOW_MS + 3_600_000) },
      10_000,
    ],
    ['milliseconds, which are nearer', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
    ['hours', { 'retry-after': '86400' }, 60_000],
    ['a number as long as a line', { 'retry-after': '9'.repeat(400) }, undefined],
    ['less than nothing', { 'retry-after': '-5' }, undefined],
    ['a text with a number', { 'retry-after': 'in 5 minutes' }, undefined],
    ['an invalid date', { 'retry-after': 'Sun, 99 Nov 2026 99:00:00 GMT' }, undefined],
    ['two at once', { 'retry-after': ['5', '6'] }, undefined],
    ['nothing', {}, undefined],
    [
      'that its tokens are used up',
      {
        'x-ratelimit-remaining-requests': '12',
        'x-ratelimit-reset-requests': '50s',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '0m6.5s',
      },
      6_500,
    ],
    [
      'that everything is used up',
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '20ms',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '3',
      },
      3_000,
    ],
    ['the time of a reset without its counter', { 'x-ratelimit-reset-requests': '50s' }, undefined],
    ['a number of seconds until it counts again', { 'x-ratelimit-reset': '12' }, 12_000],
    ['a Unix time', { 'x-ratelimit-reset': String(NOW_MS / 1_000 + 9) }, 9_000],
    ['a Unix time in milliseconds', { 'x-ratelimit-reset': String(NOW_MS + 9_500) }, 9_500],
  ])('may be %s', (_what, headers, waitMs) => {
    expect(read(headers)).toBe(waitMs);
  });
});

describe('a model that asked to be left alone', () => {
  it('is left alone for that time by the account that received it, and by no other', () => {
    const rests = new Rests(3);
    rests.note('a', 5_000, 1_000);
    rests.note('a', 2_000, 1_500);
    expect([rests.waitMs('a', 2_000), rests.waitMs('b', 2_000)]).toEqual([4_000, 0]);
    expect(rests.waitMs('a', 6_000)).toBe(0);
  });

  it('is left alone by all accounts if enough of them received it', () => {
    const rests = new Rests(3);
    rests.note('a', 5_000, 0);
    rests.note('b', 9_000, 0);
    expect(rests.waitMsOfAll(0)).toBe(0);
    rests.note('c', 7_000, 0);
    expect([rests.waitMs('d', 0), rests.waitMs('b', 0)]).toEqual([5_000, 9_000]);
  });

  it('is not left alone by all if one of them received it long ago', () => {
    const rests = new Rests(2);
    rests.note('a', 5_000, 0);
    rests.note('b', 5_000, 6_000);
    expect(rests.waitMsOfAll(6_000)).toBe(0);
  });

  it('is left alone by all accounts if a probe received it', () => {
    const rests = new Rests(3);
    rests.note(undefined, 5_000, 0);
    expect(rests.waitMs('a', 1_000)).toBe(4_000);
  });
});
