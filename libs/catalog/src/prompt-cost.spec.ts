import {
  boundCounted,
  boundPrompt,
  countedTexts,
  estimatePromptTokens,
  outputTokensFor,
} from './prompt-cost';

const limits = {
  contextWindow: 1_000,
  imageTokens: 100,
  fileTokens: 300,
  promptOverhead: { prompt: 60, message: 8, tools: 40 },
  tokenizer: 'o200k_base' as const,
};
const bytesOf = (texts: readonly string[] = []): number => Buffer.byteLength(texts.join(''));
const promptOf = (texts: string[], more: Partial<Parameters<typeof boundPrompt>[0]> = {}) => ({
  texts,
  definitions: [],
  options: [],
  bytes: {
    texts: bytesOf(texts),
    definitions: bytesOf(more.definitions),
    options: bytesOf(more.options),
  },
  messages: 1,
  images: 0,
  files: 0,
  hasTools: false,
  extraTokens: 0,
  ...more,
});

describe('the bound of a prompt', () => {
  it('counts a token per byte, and adds the overhead of the chat template', () => {
    const prompt = promptOf(['h\u00e9llo'], { images: 1 });
    expect(boundPrompt(prompt, limits)).toEqual({
      tokensBound: 6 + 8 + 60 + 100,
      isOverContext: false,
      leastTokens: 1,
    });
  });

  it('covers a system block that the template injects and its instructions for tools', () => {
    // Measured: 66 tokens for "hi" with the template of gpt-oss, 251 with one small tool with that of Hermes
    // 3.
    const usual = { ...limits, promptOverhead: { prompt: 256, message: 16, tools: 256 } };
    expect(boundPrompt(promptOf(['hi']), usual).tokensBound).toBeGreaterThanOrEqual(196);
    const definitions = ['[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]'];
    const withTool = promptOf(['hi'], { definitions, hasTools: true });
    expect(boundPrompt(withTool, usual).tokensBound).toBeGreaterThanOrEqual(251);
  });

  it('counts definitions twice, since templates print them with indentation', () => {
    const prompt = promptOf([], { definitions: ['[1,2]'], hasTools: true });
    expect(boundPrompt(prompt, limits).tokensBound).toBe(2 * 5 + 8 + 60 + 40);
    expect(countedTexts(prompt)).toEqual(['[1,2]', '[1,2]']);
  });

  it('adds files, and the bound of extra fields', () => {
    const prompt = promptOf(['hi'], { files: 2, extraTokens: 7 });
    expect(boundPrompt(prompt, limits).tokensBound).toBe(2 + 8 + 60 + 2 * 300 + 7);
  });

  it('excludes options, which are not known to be prompt tokens', () => {
    const [plain, prompt] = [promptOf(['hi']), promptOf(['hi'], { options: ['["END"]'] })];
    const added = boundPrompt(prompt, limits).tokensBound - boundPrompt(plain, limits).tokensBound;
    expect(added).toBe('["END"]'.length);
    const count = { least: 1, most: 1 };
    expect(boundCounted(prompt, limits, count).tokensBound).toBe(1 + 7 + 8 + 60);
    expect(estimatePromptTokens(prompt, limits, 1)).toBe(estimatePromptTokens(plain, limits, 1));
  });

  it('never exceeds the context window; without a tokenizer the upstream decides what is too long', () => {
    const prompt = promptOf(['x'.repeat(500_000)]);
    const unnamed = { ...limits, tokenizer: undefined };
    expect(boundPrompt(prompt, unnamed)).toEqual({
      tokensBound: 1_000,
      isOverContext: false,
      leastTokens: 0,
    });
  });

  it('reports a prompt that is too long even with the longest possible tokens', () => {
    expect(boundPrompt(promptOf(['x'.repeat(128_000)]), limits).isOverContext).toBe(false);
    expect(boundPrompt(promptOf(['x'.repeat(128_001)]), limits).isOverContext).toBe(true);
  });
});

describe('the bound of a counted prompt', () => {
  const prompt = promptOf(['some text']);

  it('is the count plus the overhead of the chat template', () => {
    const count = { least: 2, most: 2 };
    expect(boundCounted(prompt, limits, count)).toEqual({
      tokensBound: 2 + 8 + 60,
      isOverContext: false,
      leastTokens: 2,
    });
  });

  it('uses the upper bound of the count', () => {
    expect(boundCounted(prompt, limits, { least: 4, most: 202 }).tokensBound).toBe(202 + 68);
  });

  it('reports a prompt that is certainly too long, without doubling definitions', () => {
    expect(boundCounted(prompt, limits, { least: 1_001, most: 1_001 }).isOverContext).toBe(true);
    expect(boundCounted(prompt, limits, { least: 1_000, most: 1_127 }).isOverContext).toBe(false);
    expect(boundCounted(prompt, limits, { least: 1_001, most: 1_128 }).isOverContext).toBe(true);
    const tools = promptOf([], { definitions: ['x'.repeat(700)], hasTools: true });
    expect(boundCounted(tools, limits, { least: 1_400, most: 1_400 }).isOverContext).toBe(false);
  });
});

describe('the estimate of unreported prompt tokens', () => {
  it('adds the usual template to the texts', () => {
    expect(estimatePromptTokens(promptOf(['hello world']), limits, 2)).toBe(2 + 3 + 3);
  });
});

describe('the limit of output tokens', () => {
  it('falls back to the default limit, then to the largest', () => {
    const model = { maxOutputTokens: 4_096, defaultMaxOutputTokens: 1_024 };
    expect(outputTokensFor(model, 10)).toBe(10);
    expect(outputTokensFor(model, undefined)).toBe(1_024);
    expect(outputTokensFor(model, 32_000)).toBe(4_096);
    expect(outputTokensFor({ ...model, defaultMaxOutputTokens: undefined }, undefined)).toBe(4_096);
  });
});
