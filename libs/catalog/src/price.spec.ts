import { fromUsdPerMillionTokens, toPicoUsd } from '@farebox/money';
import fc from 'fast-check';
import { costLines, costOf, maximumCost, type Price, type PricedUsage, type TokenPrices } from './price';

const usd = fromUsdPerMillionTokens;
const plain = { inputPricePico: usd('0.15'), outputPricePico: usd('0.6') };
/**
 * Cached tokens at a tenth, cache writes a quarter dearer, reasoning dearer, and double the price over
 * 200,000 tokens.
 */
const full: Price = {
  inputPricePico: usd('3'),
  cachedInputPricePico: usd('0.3'),
  cacheWritePricePico: usd('3.75'),
  outputPricePico: usd('15'),
  reasoningPricePico: usd('20'),
  imagePricePico: toPicoUsd(1_000_000_000n),
  requestPricePico: toPicoUsd(5_000_000_000n),
  steps: [
    {
      abovePromptTokens: 200_000,
      inputPricePico: usd('6'),
      cachedInputPricePico: usd('0.6'),
      cacheWritePricePico: usd('7.5'),
      outputPricePico: usd('22.5'),
      reasoningPricePico: usd('30'),
    },
  ],
};

describe('cost', () => {
  it('is rounded up once, to a nano-dollar', () => {
    expect(costOf(plain, { promptTokens: 14, completionTokens: 14 })).toBe(10_500n);
    const odd = { inputPricePico: usd('0.0001'), outputPricePico: usd('0.0001') };
    expect(costOf(odd, { promptTokens: 1, completionTokens: 1 })).toBe(1n);
  });

  it('prices each kind of token, images and the request', () => {
    const usage = {
      promptTokens: 1_000,
      cachedTokens: 600,
      cacheWriteTokens: 100,
      completionTokens: 50,
      reasoningTokens: 30,
      images: 2,
    };
    expect(costLines(full, usage).map(({ kind, count }) => [kind, count])).toEqual([
      ['input', 300],
      ['cached_input', 600],
      ['cache_write', 100],
      ['output', 20],
      ['reasoning', 30],
      ['image', 2],
      ['request', 1],
    ]);
    expect(costOf(full, usage)).toBe(900_000n + 180_000n + 375_000n + 300_000n + 600_000n + 7_000_000n);
  });

  it('falls back to the price of the containing kind', () => {
    const parts = { promptTokens: 90, cachedTokens: 40, cacheWriteTokens: 30, completionTokens: 9 };
    expect(costOf(plain, { ...parts, reasoningTokens: 8, images: 3 })).toBe(
      costOf(plain, { promptTokens: 90, completionTokens: 9 }),
    );
  });

  it('applies a step to the whole request', () => {
    const at = (promptTokens: number): bigint => costOf(full, { promptTokens, completionTokens: 10 });
    expect(at(200_000)).toBe(600_000_000n + 150_000n + 5_000_000n);
    expect(at(200_001)).toBe(1_200_006_000n + 225_000n + 5_000_000n);
  });
});

describe('the maximum cost', () => {
  it('counts every choice', () => {
    expect(maximumCost(plain, { promptTokensBound: 100, maxOutputTokens: 50, n: 2 })).toBe(75_000n);
  });

  it('prices every token as the dearest kind', () => {
    const bounds = { promptTokensBound: 1_000, maxOutputTokens: 100, n: 1, images: 2 };
    expect(maximumCost(full, bounds)).toBe(3_750_000n + 2_000_000n + 2_000_000n + 5_000_000n);
  });

  it('uses the shorter prompt if a step makes longer ones cheaper', () => {
    const cheaper = {
      ...plain,
      steps: [{ abovePromptTokens: 100, inputPricePico: usd('0.01'), outputPricePico: usd('0.6') }],
    };
    const short = maximumCost(plain, { promptTokensBound: 100, maxOutputTokens: 5, n: 1 });
    expect(maximumCost(cheaper, { promptTokensBound: 101, maxOutputTokens: 5, n: 1 })).toBe(short);
  });
});

// fast-check prints the seed of a failure.
const MOST = 3_000;
const pico = fc.bigInt(0n, 50_000_000n).map(toPicoUsd);
const maybePico = fc.option(pico, { nil: undefined });
const tokenPrices = {
  inputPricePico: pico,
  outputPricePico: pico,
  cachedInputPricePico: maybePico,
  cacheWritePricePico: maybePico,
  reasoningPricePico: maybePico,
};
const anyPrice: fc.Arbitrary<Price> = fc.record({
  ...tokenPrices,
  imagePricePico: maybePico,
  requestPricePico: maybePico,
  steps: fc
    .uniqueArray(fc.record({ ...tokenPrices, abovePromptTokens: fc.integer({ min: 1, max: MOST }) }), {
      selector: (step) => step.abovePromptTokens,
      maxLength: 4,
    })
    .map((steps) => steps.sort((a, b) => a.abovePromptTokens - b.abovePromptTokens)),
});
/** Parts never exceed their whole, as validation of everything that is read guarantees. */
const anyUsage: fc.Arbitrary<PricedUsage> = fc
  .record({
    promptTokens: fc.nat(MOST),
    completionTokens: fc.nat(MOST),
    shares: fc.tuple(fc.nat(100), fc.nat(100), fc.nat(100)),
    images: fc.nat(9),
  })
  .map(({ promptTokens, completionTokens, shares: [cached, written, reasoning], images }) => {
    const cachedTokens = Math.floor((promptTokens * cached) / 100);
    const cacheWriteTokens = Math.floor(((promptTokens - cachedTokens) * written) / 100);
    const reasoningTokens = Math.floor((completionTokens * reasoning) / 100);
    return { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens, images };
  });

/** An independent, slow model: pico-dollars token by token. */
function picoOneByOne(price: Price, usage: PricedUsage): bigint {
  let prices: TokenPrices = price;
  for (const step of price.steps ?? []) if (usage.promptTokens > step.abovePromptTokens) prices = step;
  let total: bigint = price.requestPricePico ?? 0n;
  const { cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0, images = 0 } = usage;
  for (let i = 0; i < images; i++) total += price.imagePricePico ?? 0n;
  for (let i = 0; i < usage.promptTokens; i++) {
    if (i < cachedTokens) total += prices.cachedInputPricePico ?? prices.inputPricePico;
    else if (i < cachedTokens + cacheWriteTokens)
      total += prices.cacheWritePricePico ?? prices.inputPricePico;
    else total += prices.inputPricePico;
  }
  for (let i = 0; i < usage.completionTokens; i++)
    total +=
      i < reasoningTokens ? (prices.reasoningPricePico ?? prices.outputPricePico) : prices.outputPricePico;
  return total;
}

describe('for any prices and any usage', () => {
  it('the cost is exact, and rounded up once', () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, (price, usage) => {
        const exact = picoOneByOne(price, usage);
        const costPico = costOf(price, usage) * 1_000n;
        expect(costPico >= exact && costPico - exact < 1_000n).toBe(true);
      }),
    );
  });

  it('a charge never exceeds its hold', () => {
    fc.assert(
      fc.property(
        anyPrice,
        anyUsage,
        fc.nat(MOST),
        fc.integer({ min: 1, max: 4 }),
        (price, usage, slack, n) => {
          const { promptTokens, completionTokens, images } = usage;
          const promptTokensBound = promptTokens + (slack % 7 === 0 ? 0 : slack);
          const maxOutputTokens = Math.ceil(completionTokens / n);
          const maximum = maximumCost(price, { promptTokensBound, maxOutputTokens, n, images });
          expect(costOf(price, usage) <= maximum).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('some usage costs exactly the hold: no excess is held', () => {
    fc.assert(
      fc.property(anyPrice, fc.nat(MOST), fc.nat(50), (price, promptTokensBound, maxOutputTokens) => {
        const lengths = [promptTokensBound, ...(price.steps ?? []).map((step) => step.abovePromptTokens)];
        const costs = lengths
          .filter((promptTokens) => promptTokens <= promptTokensBound)
          .flatMap((promptTokens) =>
            [{}, { cachedTokens: promptTokens }, { cacheWriteTokens: promptTokens }].flatMap((prompt) =>
              [0, maxOutputTokens].map((reasoningTokens) =>
                costOf(price, {
                  promptTokens,
                  completionTokens: maxOutputTokens,
                  ...prompt,
                  reasoningTokens,
                }),
              ),
            ),
          );
        const most = costs.reduce((a, b) => (b > a ? b : a));
        expect(maximumCost(price, { promptTokensBound, maxOutputTokens, n: 1 })).toBe(most);
      }),
    );
  });
});
