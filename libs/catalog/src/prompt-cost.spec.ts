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
const promptOf = (texts: string[], more: Partial<Parameters<typeof boundPrompt>[0]> = {}) => ({
  texts,
  definitions: [],
  options: [],
  messages: 1,
  images: 0,
  files: 0,
  hasTools: false,
  extraTokens: 0,
  ...more,
});

describe('the bound of a prompt', () => {
  it('takes bytes for tokens, and adds what the chat template adds', () => {
    const prompt = promptOf(['h\u00e9llo'], { images: 1 });
    expect(boundPrompt(prompt, limits)).toEqual({
      tokensBound: 6 + 8 + 60 + 100,
      isOverContext: false,
      leastTokens: 1,
    });
  });

  it('has room for the system block that a template injects, and for how it explains tools', () => {
    // Measured: 66 tokens for "hi" on the template of gpt-oss, 251 with one small tool on that of Hermes 3.
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

  it('adds files, and what fields of other vendors can add', () => {
    const prompt = promptOf(['hi'], { files: 2, extraTokens: 7 });
    expect(boundPrompt(prompt, limits).tokensBound).toBe(2 + 8 + 60 + 2 * 300 + 7);
  });

  it('holds what is sent beside, which is no token of the prompt as far as is known', () => {
    const [plain, prompt] = [promptOf(['hi']), promptOf(['hi'], { options: ['["END"]'] })];
    const added = boundPrompt(prompt, limits).tokensBound - boundPrompt(plain, limits).tokensBound;
    expect(added).toBe('["END"]'.length);
    const count = { least: 1, most: 1 };
    expect(boundCounted(prompt, limits, count).tokensBound).toBe(1 + 7 + 8 + 60);
    expect(estimatePromptTokens(prompt, limits, 1)).toBe(estimatePromptTokens(plain, limits, 1));
  });

  it('is never over the context window, and without a tokenizer it is for the upstream to say what is', () => {
    const prompt = promptOf(['x'.repeat(500_000)]);
    const unnamed = { ...limits, tokenizer: undefined };
    expect(boundPrompt(prompt, unnamed)).toEqual({
      tokensBound: 1_000,
      isOverContext: false,
      leastTokens: 0,
    });
  });

  it('says what is too long even for the longest tokens there are', () => {
    expect(boundPrompt(promptOf(['x'.repeat(128_000)]), limits).isOverContext).toBe(false);
    expect(boundPrompt(promptOf(['x'.repeat(128_001)]), limits).isOverContext).toBe(true);
  });
});

describe('the bound of a prompt that was counted', () => {
  const prompt = promptOf(['some text']);

  it('is the count, and what the chat template adds', () => {
    const count = { least: 2, most: 2 };
    expect(boundCounted(prompt, limits, count)).toEqual({
      tokensBound: 2 + 8 + 60,
      isOverContext: false,
      leastTokens: 2,
    });
  });

  it('takes the most tokens that there can be', () => {
    expect(boundCounted(prompt, limits, { least: 4, most: 202 }).tokensBound).toBe(202 + 68);
  });

  it('says what is certainly too long, and does not take twice what is printed again', () => {
    expect(boundCounted(prompt, limits, { least: 1_001, most: 1_001 }).isOverContext).toBe(true);
    expect(boundCounted(prompt, limits, { least: 1_000, most: 1_127 }).isOverContext).toBe(false);
    expect(boundCounted(prompt, limits, { least: 1_001, most: 1_128 }).isOverContext).toBe(true);
    const tools = promptOf([], { definitions: ['x'.repeat(700)], hasTools: true });
    expect(boundCounted(tools, limits, { least: 1_400, most: 1_400 }).isOverContext).toBe(false);
  });
});

describe('an estimate of what the upstream did not report', () => {
  it('has the usual template around the texts', () => {
    expect(estimatePromptTokens(promptOf(['hello world']), limits, 2)).toBe(2 + 3 + 3);
  });
});

describe('the limit of output tokens', () => {
  it('assumes the default limit of output tokens before the largest', () => {
    const model = { maxOutputTokens: 4_096, defaultMaxOutputTokens: 1_024 };
    expect(outputTokensFor(model, 10)).toBe(10);
    expect(outputTokensFor(model, undefined)).toBe(1_024);
    expect(outputTokensFor(model, 32_000)).toBe(4_096);
    expect(outputTokensFor({ ...model, defaultMaxOutputTokens: undefined }, undefined)).toBe(4_096);
  });
});
