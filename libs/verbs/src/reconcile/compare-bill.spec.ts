import { parseCatalog } from '@farebox/catalog';
import type { RouteDay } from '@farebox/ledger';
import { fromDecimalUsd, toNanoUsd, ZERO_NANO } from '@farebox/money';
import fc from 'fast-check';
import type { BilledCounts } from './billed';
import { compareCell, toNano, type Cell, type Difference } from './compare-bill';

/** A dollar per million prompt tokens, half of it for cached ones, and two per million output tokens. */
const PRICE = parseCatalog(
  `
upstreams: [{ id: near, base_url: "http://near/v1" }]
models:
  - id: m
    routes: [{ upstream: near, model: m, cost: { input_price: 1, output_price: 2, cached_input_price: 0.5 } }]
    input_price: 2
    output_price: 4
    context_window: 100
    max_output_tokens: 50`,
  {},
).models[0]?.routes[0]?.cost;

const MILLION = 1_000_000;
const sold = (more: Partial<RouteDay> = {}): RouteDay => ({
  ...{ day: '2026-10-01', upstreamId: 'near', upstreamModel: 'm', requests: 10 },
  ...{
    promptTokens: 10 * MILLION,
    completionTokens: 2 * MILLION,
    cachedTokens: 4 * MILLION,
    cacheWriteTokens: 0,
  },
  ...{
    soldNano: fromDecimalUsd('30'),
    costNano: fromDecimalUsd('12'),
    requestsWithoutCost: 0,
    estimatedRequests: 0,
  },
  ...{ abandonedRequests: 0, abandonedRests: 0, abandonedNano: ZERO_NANO },
  ...more,
});
const dollars = (text: string): bigint => fromDecimalUsd(text) * 1_000_000_000n;
const billed = (more: Partial<BilledCounts> = {}): BilledCounts => ({
  ...{ requests: 10, promptTokens: 10 * MILLION, completionTokens: 2 * MILLION, cachedTokens: 4 * MILLION },
  ...{ cost: dollars('12'), ...more },
});
const compare = (cell: Partial<Cell>): Difference[] =>
  compareCell(
    { sold: sold(), billed: billed(), failedRequests: 0, price: PRICE, ...cell },
    fromDecimalUsd('0.01'),
  );
const found = (kind: string, requests: number | null, tokens: number | null, amount: string | null) => ({
  ...{ kind, requests, tokens, amountNano: amount === null ? null : fromDecimalUsd(amount) },
});

describe('a bill', () => {
  it('that agrees, or differs by less than the tolerance, has no difference', () => {
    expect(compare({})).toEqual([]);
    expect(compare({ billed: billed({ cost: dollars('12.009') }) })).toEqual([]);
    expect(compare({ sold: sold({ abandonedRequests: 3 }), failedRequests: 3 })).toEqual([]);
  });

  const twoMore = { requests: 12, promptTokens: 12 * MILLION, cost: dollars('14') };

  it('with calls that failed here names them', () => {
    expect(compare({ billed: billed(twoMore), failedRequests: 5 })).toEqual([
      found('failed_calls', 2, 2 * MILLION, '2'),
    ]);
  });

  it('with calls that their clients left names them', () => {
    expect(compare({ billed: billed(twoMore), sold: sold({ abandonedRequests: 2 }) })).toEqual([
      found('abandonment', 2, 2 * MILLION, '2'),
    ]);
  });

  it('with more output of streams that their clients left names that', () => {
    const longer = billed({ completionTokens: 3 * MILLION, cost: dollars('14') });
    expect(compare({ billed: longer, sold: sold({ abandonedRests: 1 }) })).toEqual([
      found('abandonment', null, MILLION, '2'),
    ]);
    expect(compare({ billed: longer })).toEqual([found('token_counts', null, MILLION, '2')]);
  });

  it('with calls of all kinds shares their cost between them', () => {
    const fourMore = billed({ requests: 14, promptTokens: 14 * MILLION, cost: dollars('16') });
    const left = sold({ abandonedRequests: 1, abandonedNano: fromDecimalUsd('2') });
    expect(compare({ billed: fourMore, sold: left, failedRequests: 1 })).toEqual([
      found('abandonment', 1, null, '2'),
      found('failed_calls', 1, null, '0.666666666'),
      found('unknown_to_farebox', 2, null, '1.333333334'),
    ]);
  });

  it('at another price names the drift', () => {
    expect(compare({ billed: billed({ cost: dollars('13.2') }) })).toEqual([
      found('price_drift', null, 12 * MILLION, '1.2'),
    ]);
    // Beside additional calls, too.
    expect(compare({ billed: billed({ ...twoMore, cost: dollars('15.4') }), failedRequests: 2 })).toEqual([
      found('failed_calls', 2, 2 * MILLION, '2'),
      found('price_drift', null, 14 * MILLION, '1.4'),
    ]);
  });

  it('with other tokens of the cache names them', () => {
    const cold = billed({ cachedTokens: MILLION, cost: dollars('13.5') });
    expect(compare({ billed: cold })).toEqual([found('cached_tokens', null, -3 * MILLION, '1.5')]);
  });

  it('without calls of ours, or without a line, names the side that does not know them', () => {
    expect(compare({ sold: undefined })).toEqual([found('unknown_to_farebox', 10, 12 * MILLION, '12')]);
    expect(compare({ sold: undefined, price: undefined })).toEqual([
      found('unknown_to_farebox', 10, 12 * MILLION, '12'),
    ]);
    expect(compare({ billed: undefined })).toEqual([found('unknown_to_provider', 10, -12 * MILLION, '-12')]);
    const oneLess = billed({ requests: 9, promptTokens: 9 * MILLION, cost: dollars('11') });
    expect(compare({ billed: oneLess })).toEqual([found('unknown_to_provider', 1, -MILLION, '-1')]);
    expect(compare({ billed: undefined, sold: sold({ requests: 0, abandonedRequests: 1 }) })).toEqual([]);
  });

  it('that does not count calls is explained by what is known here', () => {
    const more = billed({ requests: undefined, promptTokens: 12 * MILLION, cost: dollars('14') });
    expect(compare({ billed: more })[0]?.kind).toBe('token_counts');
    expect(compare({ billed: more, failedRequests: 1 })[0]?.kind).toBe('failed_calls');
    expect(compare({ billed: more, sold: sold({ abandonedRequests: 1 }) })[0]?.kind).toBe('abandonment');
  });

  it('that has only costs names a difference of cost', () => {
    const costs = { cost: dollars('13') };
    expect(compare({ billed: costs })).toEqual([found('cost', null, null, '1')]);
    expect(compare({ billed: { cost: dollars('12') } })).toEqual([]);
    expect(compare({ billed: costs, sold: undefined })).toEqual([
      found('unknown_to_farebox', null, null, '13'),
    ]);
  });

  it('of a route without a price has the amount of the only difference', () => {
    expect(compare({ billed: billed(twoMore), price: undefined, failedRequests: 2 })).toEqual([
      found('failed_calls', 2, 2 * MILLION, '2'),
    ]);
  });

  it('is explained to the nano-dollar, whatever differs', () => {
    const count = fc.nat(20);
    const tokens = fc.nat(20 * MILLION);
    fc.assert(
      fc.property(
        fc.record({
          requests: count,
          promptTokens: tokens,
          completionTokens: tokens,
          cachedTokens: fc.nat(MILLION),
        }),
        fc.record({ abandoned: count, failed: count, costNano: fc.bigInt(0n, 40_000_000_000n) }),
        (counts, { abandoned, failed, costNano }) => {
          const left = sold({
            abandonedRequests: abandoned,
            abandonedNano: toNanoUsd(BigInt(abandoned) * 100_000_000n),
          });
          const cost = costNano * 1_000_000_000n;
          const all = compareCell(
            { sold: left, billed: { ...counts, cost }, failedRequests: failed, price: PRICE },
            ZERO_NANO,
          );
          const named = all.reduce((sum, { amountNano }) => sum + (amountNano ?? 0n), 0n);
          const rest = (toNano(cost) ?? 0n) - left.costNano - named;
          expect(rest <= 10n && rest >= -10n).toBe(true);
          expect(new Set(all.map(({ kind }) => kind)).size).toBe(all.length);
        },
      ),
    );
  });
});
