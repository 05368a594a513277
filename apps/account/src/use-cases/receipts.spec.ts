import { costOf, type Price, type PricedUsage } from '@farebox/catalog';
import { toNanoUsd, toPicoUsd } from '@farebox/money';
import fc from 'fast-check';
import { splitCost } from './receipts';

const pico = fc.bigInt(0n, 5_000_000n).map(toPicoUsd);
const maybePico = fc.option(pico, { nil: undefined });
const anyPrice: fc.Arbitrary<Price> = fc.record({
  inputPricePico: pico,
  outputPricePico: pico,
  cachedInputPricePico: maybePico,
  cacheWritePricePico: maybePico,
  reasoningPricePico: maybePico,
  imagePricePico: maybePico,
  requestPricePico: maybePico,
});
const anyUsage: fc.Arbitrary<PricedUsage> = fc
  .record({
    cachedTokens: fc.nat(999),
    cacheWriteTokens: fc.nat(999),
    reasoningTokens: fc.nat(999),
    input: fc.nat(999),
    output: fc.nat(999),
    images: fc.nat(3),
  })
  .map(({ input, output, ...parts }) => ({
    ...parts,
    promptTokens: input + parts.cachedTokens + parts.cacheWriteTokens,
    completionTokens: output + parts.reasoningTokens,
  }));

describe('the cost of each kind', () => {
  it('add up to the cost exactly, and no part is a nano-dollar less than its tokens cost', () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, (price, usage) => {
        const costNano = costOf(price, usage);
        const parts = splitCost(price, usage, costNano);
        expect(parts.reduce((sum, part) => sum + part.costNano, 0n)).toBe(costNano);
        for (const { count, pricePico, costNano: partNano } of parts) {
          const exactPico = BigInt(count) * (pricePico ?? 0n);
          expect(partNano * 1_000n > exactPico - 1_000n).toBe(true);
          expect(partNano * 1_000n < exactPico + 1_000n * BigInt(parts.length)).toBe(true);
        }
      }),
    );
  });

  it('leaves the rounding difference to the last kind', () => {
    const price = { inputPricePico: toPicoUsd(1_600n), outputPricePico: toPicoUsd(1_600n) };
    const parts = splitCost(price, { promptTokens: 1, completionTokens: 1 }, toNanoUsd(4n));
    expect(parts.map(({ kind, costNano }) => [kind, costNano])).toEqual([
      ['input', 1n],
      ['output', 3n],
    ]);
  });

  it('shows the part that was not charged because no more was held', () => {
    const price = { inputPricePico: toPicoUsd(1_000n), outputPricePico: toPicoUsd(2_000n) };
    const parts = splitCost(price, { promptTokens: 10, completionTokens: 20 }, toNanoUsd(35n));
    expect(parts.map(({ kind, costNano }) => [kind, costNano])).toEqual([
      ['input', 10n],
      ['output', 40n],
      ['over_hold', -15n],
    ]);
  });
});
