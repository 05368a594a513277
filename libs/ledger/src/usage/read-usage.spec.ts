import { toNanoUsd } from '@farebox/money';
import fc from 'fast-check';
import type pg from 'pg';
import { readUsage, type UsageGroup } from './read-usage';

const at = (text: string): Date => new Date(`2026-11-${text}:00:00Z`);
const range = { from: at('03T10'), to: at('07T05') };

describe('readUsage', () => {
  const read = (lines: string | null): Promise<UsageGroup[]> => {
    const pool = { query: () => Promise.resolve({ rows: [{ lines }] }) } as unknown as Pick<pg.Pool, 'query'>;
    return readUsage(pool, 'account', { range, groupBy: 'model' });
  };

  it('parses the numbers of each group as written, and money exactly', async () => {
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

  it('returns nothing without usage', async () => {
    expect(await read(null)).toEqual([]);
  });
});
