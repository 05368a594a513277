import { countTokens, estimatePromptTokens, measurePrompt } from './prompt-tokens';
import { loadTokenizer, type Tokenizer } from './tokenizer';

const limits = { contextWindow: 1_000, imageTokens: 100 };
let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await loadTokenizer('o200k_base');
});

describe('the measure of a prompt', () => {
  it('takes bytes for tokens where no tokenizer is named', () => {
    const prompt = { texts: ['h\u00e9llo'], messages: 1, images: 1 };
    expect(measurePrompt(prompt, limits, undefined)).toEqual({
      tokensBound: 6 + 8 + 16 + 100,
      isOverContext: false,
    });
  });

  it('is never over the context window, and without a tokenizer it is for the upstream to say what is', () => {
    const prompt = { texts: ['x'.repeat(5_000)], messages: 1, images: 0 };
    expect(measurePrompt(prompt, limits, undefined)).toEqual({ tokensBound: 1_000, isOverContext: false });
  });

  it('says what is certainly too long, counted or not', () => {
    for (const words of [1_001, 200_000]) {
      const prompt = { texts: [' word'.repeat(words)], messages: 1, images: 0 };
      expect(measurePrompt(prompt, limits, tokenizer).isOverContext).toBe(true);
    }
  });

  it('counts long words in slices, never under the whole', () => {
    const text = 'pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(60);
    expect(countTokens([text], tokenizer)).toBeGreaterThanOrEqual(tokenizer(text));
    const prose = 'The quick brown fox jumps over the lazy dog. '.repeat(200);
    expect(countTokens([prose], tokenizer)).toBe(tokenizer(prose));
  });

  it('counts what looks like a special token as text', () => {
    expect(countTokens(['hello world'], tokenizer)).toBe(2);
    expect(countTokens(['<|endoftext|>'], tokenizer)).toBeGreaterThan(1);
  });

  it('estimates with the usual template', () => {
    const prompt = { texts: ['hello world'], messages: 1, images: 0 };
    expect(estimatePromptTokens(prompt, limits, tokenizer)).toBe(2 + 3 + 3);
  });
});
