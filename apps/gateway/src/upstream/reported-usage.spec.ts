import fc from 'fast-check';
import { asUsage } from './answer-parts';

const counts = { prompt_tokens: 100, completion_tokens: 40 };
const read = { promptTokens: 100, completionTokens: 40 };

describe('of what kinds the tokens are is read from what the server calls it', () => {
  it.each([
    ['nothing of it', {}, {}],
    ['null', { prompt_tokens_details: null, completion_tokens_details: null }, {}],
    [
      'OpenAI',
      {
        prompt_tokens_details: { cached_tokens: 64, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 32, accepted_prediction_tokens: 0 },
        total_tokens: 140,
      },
      { cachedTokens: 64, reasoningTokens: 32 },
    ],
    [
      'OpenRouter',
      { prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 40 } },
      { cachedTokens: 60, cacheWriteTokens: 40 },
    ],
    [
      'LiteLLM',
      {
        prompt_tokens_details: { cached_tokens: 10, cache_creation_tokens: 20 },
        cache_read_input_tokens: 10,
        cache_creation_input_tokens: 20,
      },
      { cachedTokens: 10, cacheWriteTokens: 20 },
    ],
    [
      'Anthropic',
      { cache_read_input_tokens: 7, cache_creation_input_tokens: 0 },
      { cachedTokens: 7, cacheWriteTokens: 0 },
    ],
    ['DeepSeek', { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }, { cachedTokens: 64 }],
    ['Moonshot', { cached_tokens: 5 }, { cachedTokens: 5 }],
    [
      'xAI, which counts reasoning beside the completion',
      { completion_tokens_details: { reasoning_tokens: 200 }, total_tokens: 340 },
      { completionTokens: 240, reasoningTokens: 200 },
    ],
  ])('%s', (_server, said, wanted) => {
    expect(asUsage({ ...counts, ...said })).toEqual({ ...read, ...wanted });
  });
});

it.each([
  ['more than the prompt', { prompt_tokens_details: { cached_tokens: 101 } }],
  ['together more than the prompt', { cache_read_input_tokens: 60, cache_creation_input_tokens: 41 }],
  ['more than the completion', { completion_tokens_details: { reasoning_tokens: 41 } }],
  ['less than nothing', { prompt_tokens_details: { cached_tokens: -1 } }],
  ['no whole number', { completion_tokens_details: { reasoning_tokens: 1.5 } }],
  ['a text', { prompt_cache_hit_tokens: '64', prompt_tokens_details: 'none', completion_tokens_details: [] }],
])('a part that is %s counts as plain tokens', (_what, said) => {
  expect(asUsage({ ...counts, ...said })).toEqual(read);
});

it('whatever is said, no part is more than what it is a part of, or no whole number', () => {
  const anything = fc.oneof(fc.integer({ min: -5, max: 120 }), fc.double(), fc.constant(null), fc.string());
  fc.assert(
    fc.property(
      fc.record({
        prompt_tokens: fc.nat(100),
        completion_tokens: fc.nat(100),
        total_tokens: fc.nat(300),
        prompt_tokens_details: fc.record({ cached_tokens: anything, cache_write_tokens: anything }),
        completion_tokens_details: fc.record({ reasoning_tokens: anything }),
        cache_read_input_tokens: anything,
        cache_creation_input_tokens: anything,
      }),
      (said) => {
        const usage = asUsage(said);
        if (usage === undefined || usage === 'unreadable') throw new Error('both counts were said');
        const { promptTokens, completionTokens } = usage;
        const { cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
        for (const part of [cachedTokens, cacheWriteTokens, reasoningTokens])
          expect(Number.isSafeInteger(part) && part >= 0).toBe(true);
        expect(cachedTokens + cacheWriteTokens <= promptTokens).toBe(true);
        expect(reasoningTokens <= completionTokens).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});
