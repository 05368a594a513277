import { ApiError } from '@farebox/errors';
import { DAY_MS, HOUR_MS } from '@farebox/flow';
import type { UsageGroup } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import fc from 'fast-check';
import { byCost, fillSeries, sumOf, usageRange } from './usage';

const now = new Date('2026-11-21T10:20:30.500Z');
const at = (text: string): Date => new Date(text);

function paramOf(read: () => unknown): string | null | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request_error')
      return error.toEnvelope().error.param;
    throw error;
  }
}

describe('usageRange', () => {
  it('defaults to today and the 29 days before it', () => {
    const from = at('2026-10-23T00:00:00Z');
    expect(usageRange({}, 'day', now)).toEqual({ from, to: at('2026-11-22T00:00:00Z') });
    expect(usageRange({}, 'hour', now)).toEqual({ from, to: at('2026-11-21T11:00:00Z') });
    expect(usageRange({}, 'totals', now)).toEqual({ from, to: at('2026-11-21T11:00:00Z') });
  });

  it('counts its days back from the end if no start is given', () => {
    const range = { from: at('2026-01-31T00:00:00Z'), to: at('2026-03-02T00:00:00Z') };
    expect(usageRange({ end: at('2026-03-02T00:00:00Z') }, 'day', now)).toEqual(range);
    expect(usageRange({ end: at('1970-01-02T00:00:00Z') }, 'day', now).from).toEqual(new Date(0));
  });

  it('is widened to whole hours', () => {
    const asked = { start: at('2026-11-01T05:59:59Z'), end: at('2026-11-03T00:00:01Z') };
    const hours = { from: at('2026-11-01T05:00:00Z'), to: at('2026-11-03T01:00:00Z') };
    expect(usageRange(asked, 'hour', now)).toEqual(hours);
    expect(usageRange(asked, 'totals', now)).toEqual(hours);
    expect(usageRange(asked, 'day', now)).toEqual(hours);
  });

  it('ends with the current day by default, in any time zone', () => {
    const start = at('2026-11-20T08:00:00Z');
    expect(usageRange({ start }, 'day', now)).toEqual({ from: start, to: at('2026-11-22T08:00:00Z') });
  });

  it('stays as it is if it consists of whole hours', () => {
    const whole = { start: at('2026-11-01T00:00:00Z'), end: at('2026-11-03T00:00:00Z') };
    expect(usageRange(whole, 'day', now)).toEqual({ from: whole.start, to: whole.end });
  });

  it('starts in the past if it has no end', () => {
    expect(paramOf(() => usageRange({ start: now }, 'day', now))).toBe('start');
    expect(paramOf(() => usageRange({ start: at('2026-11-21T10:20:30Z') }, 'hour', now))).toBeUndefined();
  });

  it.each([
    ['hour', '2025-11-20T00:00:00Z', '2025-11-19T23:59:59Z'],
    ['day', '2016-11-13T00:00:00Z', '2016-11-12T23:59:59Z'],
    ['totals', '2016-11-13T00:00:00Z', '2016-11-12T23:59:59Z'],
  ] as const)('is limited by the %s', (purpose, longest, tooLong) => {
    const end = at('2026-11-21T00:00:00Z');
    expect(paramOf(() => usageRange({ start: at(longest), end }, purpose, now))).toBeUndefined();
    expect(paramOf(() => usageRange({ start: at(tooLong), end }, purpose, now))).toBe('start');
  });
});

const usage = fc.record({
  requests: fc.nat(1_000),
  promptTokens: fc.nat(1_000_000),
  completionTokens: fc.nat(1_000_000),
  cachedTokens: fc.nat(1_000_000),
  cacheWriteTokens: fc.nat(1_000_000),
  reasoningTokens: fc.nat(1_000_000),
  costNano: fc.bigInt(0n, 1_000_000_000_000n).map(toNanoUsd),
});

/** A range of whole steps, and usage in some of them. */
const history = fc.constantFrom(HOUR_MS, DAY_MS).chain((unitMs) =>
  fc
    .record({
      first: fc.nat(20_000),
      steps: fc.integer({ min: 1, max: 60 }),
      used: fc.array(fc.tuple(fc.nat(59), usage)),
    })
    .map(({ first, steps, used }) => {
      const groupAt = new Map(
        used.map(([step, totals]): [string, UsageGroup] => {
          const group = String(((first + (step % steps)) * unitMs) / 1_000);
          return [group, { group, ...totals }];
        }),
      );
      const range = { from: new Date(first * unitMs), to: new Date((first + steps) * unitMs) };
      return { unitMs, steps, range, groups: [...groupAt.values()] };
    }),
);

describe('a series', () => {
  it('has every step of its range once and in order, whatever the calendar', () => {
    fc.assert(
      fc.property(history, ({ unitMs, steps, range, groups }) => {
        const series = fillSeries(groups, range, unitMs);
        expect(series.map(({ startsAt }) => startsAt.getTime())).toEqual(
          Array.from({ length: steps }, (_, i) => range.from.getTime() + i * unitMs),
        );
      }),
    );
  });

  it('adds up to the usage', () => {
    fc.assert(
      fc.property(history, ({ unitMs, range, groups }) => {
        expect(sumOf(fillSeries(groups, range, unitMs).map(({ used }) => used))).toEqual(sumOf(groups));
      }),
    );
  });

  it('by days of any zone is made of their hours; the last one ends with the range', () => {
    const from = at('2026-11-20T08:00:00Z');
    const hour = (text: string): UsageGroup => ({
      group: String(at(text).getTime() / 1_000),
      requests: 1,
      promptTokens: 2,
      completionTokens: 3,
      ...{ cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      costNano: toNanoUsd(4n),
    });
    const hours = ['2026-11-20T08:00:00Z', '2026-11-21T07:00:00Z', '2026-11-21T08:00:00Z'].map(hour);
    const steps = fillSeries(hours, { from, to: at('2026-11-21T10:00:00Z') }, DAY_MS);
    expect(steps.map(({ startsAt, used }) => [startsAt, used.requests])).toEqual([
      [from, 2],
      [at('2026-11-21T08:00:00Z'), 1],
    ]);
  });

  it('has zeros for steps without usage', () => {
    const range = { from: new Date(0), to: new Date(HOUR_MS) };
    expect(fillSeries([], range, HOUR_MS)).toEqual([
      {
        startsAt: new Date(0),
        used: {
          ...{ requests: 0, promptTokens: 0, completionTokens: 0, costNano: 0n },
          ...{ cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
        },
      },
    ]);
  });
});

describe('byCost', () => {
  const group = (name: string, costNano: bigint, requests: number): UsageGroup => ({
    group: name,
    requests,
    promptTokens: 0,
    completionTokens: 0,
    ...{ cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
    costNano: toNanoUsd(costNano),
  });

  it('puts the highest cost first, then more requests, then the name', () => {
    const groups = [group('b', 1n, 5), group('a', 1n, 5), group('c', 1n, 6), group('d', 2n, 1)];
    expect(byCost(groups).map((one) => one.group)).toEqual(['d', 'c', 'a', 'b']);
  });
});
