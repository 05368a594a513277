import { DAY_MS, HOUR_MS, type UsageGroup } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import fc from 'fast-check';
import { byCost, fillSeries, sumOf } from './usage-sums';

const usage = fc.record({
  requests: fc.nat(1_000),
  promptTokens: fc.nat(1_000_000),
  completionTokens: fc.nat(1_000_000),
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

  it('sums up to what was used', () => {
    fc.assert(
      fc.property(history, ({ unitMs, range, groups }) => {
        expect(sumOf(fillSeries(groups, range, unitMs))).toEqual(sumOf(groups));
      }),
    );
  });

  it('has nothing where nothing was used', () => {
    const range = { from: new Date(0), to: new Date(HOUR_MS) };
    expect(fillSeries([], range, HOUR_MS)).toEqual([
      { startsAt: new Date(0), requests: 0, promptTokens: 0, completionTokens: 0, costNano: 0n },
    ]);
  });
});

describe('byCost', () => {
  const group = (name: string, costNano: bigint, requests: number): UsageGroup => ({
    group: name,
    requests,
    promptTokens: 0,
    completionTokens: 0,
    costNano: toNanoUsd(costNano),
  });

  it('puts the highest cost first, then more requests, then the name', () => {
    const groups = [group('b', 1n, 5), group('a', 1n, 5), group('c', 1n, 6), group('d', 2n, 1)];
    expect(byCost(groups).map((one) => one.group)).toEqual(['d', 'c', 'a', 'b']);
  });
});
