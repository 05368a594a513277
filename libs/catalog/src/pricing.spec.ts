import { fromUsdPerMillionTokens } from '@farebox/money';
import { costOf, maximumCost, outputTokensFor } from './pricing';

const price = {
  inputPricePico: fromUsdPerMillionTokens('0.15'),
  outputPricePico: fromUsdPerMillionTokens('0.6'),
};

describe('cost', () => {
  it('is rounded up once, to a nano-dollar', () => {
    expect(costOf(price, { promptTokens: 14, completionTokens: 14 })).toBe(10_500n);
    const odd = {
      inputPricePico: fromUsdPerMillionTokens('0.0001'),
      outputPricePico: fromUsdPerMillionTokens('0.0001'),
    };
    expect(costOf(odd, { promptTokens: 1, completionTokens: 1 })).toBe(1n);
  });

  it('at its maximum counts every choice', () => {
    expect(maximumCost(price, { promptTokensBound: 100, maxOutputTokens: 50, n: 2 })).toBe(75_000n);
  });

  it('assumes the default limit of output tokens before the largest', () => {
    const model = { maxOutputTokens: 4_096, defaultMaxOutputTokens: 1_024 };
    expect(outputTokensFor(model, 10)).toBe(10);
    expect(outputTokensFor(model, undefined)).toBe(1_024);
    expect(outputTokensFor({ ...model, defaultMaxOutputTokens: undefined }, undefined)).toBe(4_096);
  });
});
