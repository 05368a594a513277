import { DAY_MS, HOUR_MS } from '@farebox/errors';
import { toNanoUsd } from '@farebox/money';
import fc from 'fast-check';
import type pg from 'pg';
import { readUsage, segmentsOf, type UsageGroup } from './read-usage';

const at = (text: string): Date => new Date(`2026-11-${text}:00:00Z`);
const range = { from: at('03T10'), to: at('07T05') };

const textOf = (segments: ReturnType<typeof segmentsOf>): string[] =>
  segments.map(
    ({ source, from, to }) => `${source} ${from.toISOString().slice(8, 13)} ${to.toISOString().slice(8, 13)}`,
  );

describe('segmentsOf', () => {
  it('reads whole days as such, and the hours around them', () => {
    expect(textOf(segmentsOf(range, { summedBefore: at('20T00'), hasDays: true }))).toEqual([
      'summed_hours 03T10 04T00',
      'summed_days 04T00 07T00',
      'summed_hours 07T00 07T05',
    ]);
  });

  it('reads hours if nothing is kept of days', () => {
    expect(textOf(segmentsOf(range, { summedBefore: at('20T00'), hasDays: false }))).toEqual([
      'summed_hours 03T10 07T05',
    ]);
  });

  it('reads the counts of what is not summed yet', () => {
    expect(textOf(segmentsOf(range, { summedBefore: at('05T12'), hasDays: true }))).toEqual([
      'summed_hours 03T10 04T00',
      'summed_days 04T00 05T00',
      'summed_hours 05T00 05T12',
      'hours 05T12 07T05',
    ]);
    expect(textOf(segmentsOf(range, { summedBefore: at('01T00'), hasDays: true }))).toEqual([
      'hours 03T10 07T05',
    ]);
  });

  it('covers any range, each hour of it once, and never sums what is not summed', () => {
    const hour = fc.integer({ min: 490_000, max: 490_200 }).map((n) => new Date(n * HOUR_MS));
    fc.assert(
      fc.property(hour, hour, hour, fc.boolean(), (from, to, summedBefore, hasDays) => {
        const segments = segmentsOf({ from, to }, { summedBefore, hasDays });
        let reached = from;
        for (const segment of segments) {
          expect(segment.from).toEqual(reached);
          expect(segment.to > segment.from).toBe(true);
          if (segment.source === 'hours') expect(segment.from >= summedBefore).toBe(true);
          else expect(segment.to <= summedBefore).toBe(true);
          if (segment.source === 'summed_days') {
            expect([segment.from.getTime() % DAY_MS, segment.to.getTime() % DAY_MS]).toEqual([0, 0]);
          }
          reached = segment.to;
        }
        expect(reached).toEqual(from < to ? to : from);
      }),
    );
  });
});

describe('readUsage', () => {
  const read = (lines: string | null): Promise<UsageGroup[]> => {
    const pool = { query: () => Promise.resolve({ rows: [{ lines }] }) } as unknown as Pick<pg.Pool, 'query'>;
    return readUsage(pool, 'account', { range, groupBy: 'model' }, () => Promise.resolve(range.to));
  };

  it('reads the numbers of each group as they are written, money exactly', async () => {
    const count = fc.maxSafeNat();
    const group = fc.record({
      ...{ requests: count, promptTokens: count, completionTokens: count },
      ...{ cachedTokens: count, cacheWriteTokens: count, reasoningTokens: count },
      costNano: fc.bigInt(0n, 2n ** 63n - 1n).map(toNanoUsd),
      group: fc.stringMatching(/^[\x21-\x7e]{1,40}$/),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(group, { minLength: 1, maxLength: 5 }), async (groups) => {
        expect(await read(groups.map((one) => Object.values(one).join(' ')).join('\n'))).toEqual(groups);
      }),
    );
  });

  it('reads nothing if nothing was used', async () => {
    expect(await read(null)).toEqual([]);
  });
});
