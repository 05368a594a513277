import { fromUsdPerMillionTokens } from '@farebox/money';
import { costOf, maximumCost, outputTokensFor } from './pricing';
import { boundPromptTokens, countTextTokens } from './prompt-tokens';
import { loadTokenizer } from './tokenizer';

const price = { inputPricePico: fromUsdPerMillionTokens('0.15'), outputPricePico: fromUsdPerMillionTokens('0.6') };

describe('cost', () => {
  it('is rounded up once, to a nano-dollar', () => {
    expect(costOf(price, { promptTokens: 14, completionTokens: 14 })).toBe(10_500n);
    const odd = { inputPricePico: fromUsdPerMillionTokens('0.0001'), outputPricePico: fromUsdPerMillionTokens('0.0001') };
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

describe('the bound of the prompt', () => {
  const model = { contextWindow: 1_000, imageTokens: 100 };

  it('takes bytes for tokens where no tokenizer is named', () => {
    const prompt = { texts: ['héllo'], messages: 1, images: 1 };
    expect(boundPromptTokens(prompt, model, undefined)).toBe(6 + 8 + 100 + 16);
  });

  it('is never over the context window', () => {
    const prompt = { texts: ['x'.repeat(5_000)], messages: 1, images: 0 };
    expect(boundPromptTokens(prompt, model, undefined)).toBe(1_000);
  });

  it('counts what looks like a special token as text', async () => {
    const tokenizer = await loadTokenizer('o200k_base');
    expect(countTextTokens(['hello world'], tokenizer)).toBe(2);
    expect(countTextTokens(['<|endoftext|>'], tokenizer)).toBeGreaterThan(1);
  });
});
