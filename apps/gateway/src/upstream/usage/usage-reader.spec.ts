import fc from 'fast-check';
import { asFarAsTold, countsOf, tell, type TrueUsage } from '../../../test/usage/tell-usage';
import { toChatUsage } from './report';
import { USAGE_SHAPES, type UsageWire } from './shapes';
import { UsageReader, usageOf } from './usage-reader';

function readAll(events: readonly unknown[], wire: UsageWire = 'chat') {
  const reader = new UsageReader(wire);
  for (const event of events) reader.note(event);
  return reader.report;
}

const read = (usage: object, wire: UsageWire = 'chat') => usageOf({ usage }, wire);

const used = fc.record({
  plain: fc.integer({ min: 1, max: 9_000 }),
  cached: fc.oneof(fc.constant(0), fc.nat(9_000)),
  written: fc.oneof(fc.constant(0), fc.nat(9_000)),
  answered: fc.integer({ min: 1, max: 900 }),
  thought: fc.oneof(fc.constant(0), fc.nat(2_000)),
});

describe.each(USAGE_SHAPES.map((shape) => ({ shape, name: `${shape.servers} (${shape.wire})` })))(
  'a report of $name is read as the usage it stands for',
  ({ shape }) => {
    const wanted = (told: TrueUsage) => ({
      promptTokens: told.plain + told.cached + told.written,
      completionTokens: told.answered + told.thought,
    });
    const kinds = ({ cached, written, thought }: TrueUsage) => [cached, written, thought];

    it('in one report', () => {
      fc.assert(
        fc.property(used, (any) => {
          const told = asFarAsTold(shape, any);
          const report = usageOf(tell(shape, countsOf(shape, told)), shape.wire);
          expect(report).toMatchObject(wanted(told));
          if (report === undefined || report === 'unreadable') throw new Error('both counts were said');
          const { cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = report;
          if (shape.wire !== 'embeddings')
            expect([cachedTokens, cacheWriteTokens, reasoningTokens]).toEqual(kinds(told));
        }),
      );
    });

    it('with zeros after it, and zeros and nothing before it', () => {
      fc.assert(
        fc.property(used, fc.constantFrom(0, null), (any, nothing) => {
          const told = asFarAsTold(shape, any);
          const counts = countsOf(shape, told);
          const none = Object.fromEntries(Object.keys(counts).map((kind) => [kind, nothing]));
          const report = tell(shape, counts);
          const events = [{}, tell(shape, none), report, tell(shape, { ...none }), { usage: null }];
          expect(readAll(events, shape.wire)).toEqual(usageOf(report, shape.wire));
        }),
      );
    });

    it('over growing reports', () => {
      fc.assert(
        fc.property(used, fc.nat(100), (any, percent) => {
          const told = asFarAsTold(shape, any);
          const answered = Math.floor((told.answered * percent) / 100);
          const soFar = tell(shape, countsOf(shape, { ...told, answered, thought: 0 }));
          const all = tell(shape, countsOf(shape, told));
          expect(readAll([soFar, all], shape.wire)).toMatchObject(wanted(told));
        }),
      );
    });
  },
);

describe('a zero does not hide a count beside it', () => {
  it.each([
    [
      'of the cache',
      {
        prompt_tokens: 2459,
        completion_tokens: 23,
        total_tokens: 2482,
        prompt_tokens_details: { audio_tokens: null, cached_tokens: 0 },
        cache_read_input_tokens: 2455,
        cache_creation_input_tokens: 0,
      },
      { promptTokens: 2459, completionTokens: 23, cachedTokens: 2455, cacheWriteTokens: 0 },
    ],
    [
      'of the prompt, if the total has it',
      { prompt_tokens: 0, completion_tokens: 40, total_tokens: 140 },
      { promptTokens: 100, completionTokens: 40 },
    ],
    [
      'of the completion, if the total has it',
      {
        prompt_tokens: 65,
        completion_tokens: 0,
        total_tokens: 81,
        completion_tokens_details: { reasoning_tokens: 16 },
      },
      { promptTokens: 65, completionTokens: 16, reasoningTokens: 16 },
    ],
  ])('%s', (_what, usage, wanted) => {
    expect(read(usage)).toEqual(wanted);
  });
});

describe('of several reports', () => {
  const start = { input_tokens: 200, cache_read_input_tokens: 8_800, output_tokens: 1 };
  const whole = { promptTokens: 9_000, cachedTokens: 8_800, completionTokens: 20 };

  it.each([
    [
      'zeros',
      { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 20 },
    ],
    ['only the output', { output_tokens: 20 }],
    ['the same', { ...start, output_tokens: 20 }],
    ['the whole prompt as one number', { input_tokens: 9_000, output_tokens: 20 }],
    ['the whole prompt beside its kinds', { ...start, input_tokens: 9_000, output_tokens: 20 }],
  ])('a later one with %s leaves the prompt of messages unchanged', (_what, later) => {
    expect(readAll([{ usage: start }, { usage: later }], 'messages')).toMatchObject(whole);
  });

  it.each([
    ['that was estimated', { input_tokens: 9_400, output_tokens: 1 }],
    ['in one number', { input_tokens: 9_000, output_tokens: 1 }],
  ])('a later one with the kinds of a prompt %s is used', (_what, first) => {
    const later = { ...start, output_tokens: 20 };
    expect(readAll([{ usage: first }, { usage: later }], 'messages')).toMatchObject(whole);
  });

  it('the total of an earlier one does not apply to a later one', () => {
    const first = { prompt_tokens: 20, completion_tokens: 300, total_tokens: 320 };
    expect(readAll([{ usage: first }, { usage: { prompt_tokens: 20, completion_tokens: 310 } }])).toEqual({
      promptTokens: 20,
      completionTokens: 310,
    });
  });

  it.each([
    ['zero', { total_tokens: 0 }],
    ['nothing', {}],
  ])('a total of %s does not hide the thoughts of an earlier one', (_what, later) => {
    const usage = { prompt_tokens: 20, completion_tokens: 198 };
    const events = [{ usage: { ...usage, total_tokens: 623 } }, { usage: { ...usage, ...later } }];
    expect(readAll(events)).toEqual({ promptTokens: 20, completionTokens: 603, reasoningTokens: 405 });
  });

  it('an invalid count does not hide an earlier valid one', () => {
    const usage = { prompt_tokens: 20, completion_tokens: 30 };
    expect(readAll([{ usage }, { usage: { prompt_tokens: '20', completion_tokens: -1 } }])).toEqual({
      promptTokens: 20,
      completionTokens: 30,
    });
  });

  it('the usual place has precedence, and other places fill its gaps', () => {
    const usage = { prompt_tokens: 100, completion_tokens: 5 };
    const timings = { cache_n: 80, prompt_n: 20, predicted_n: 7 };
    expect(readAll([{ usage, timings }])).toMatchObject({
      promptTokens: 100,
      completionTokens: 5,
      cachedTokens: 80,
    });
    const inChoice = { choices: [{ usage: { prompt_tokens: 90, completion_tokens: 4, cached_tokens: 60 } }] };
    expect(readAll([{ ...inChoice, usage: { prompt_tokens: 0, completion_tokens: 0 } }])).toEqual({
      promptTokens: 90,
      completionTokens: 4,
      cachedTokens: 60,
    });
  });
});

describe('the usage of a compaction beside the response', () => {
  const said = { input_tokens: 700, cache_read_input_tokens: 300, output_tokens: 90 };
  const message = { type: 'message', ...said };
  const compaction = {
    type: 'compaction',
    input_tokens: 5_000,
    cache_read_input_tokens: 20,
    output_tokens: 60,
  };
  const whole = { promptTokens: 6_020, cachedTokens: 320, completionTokens: 150 };

  it('is added once for each compaction', () => {
    const usage = { ...said, iterations: [compaction, message] };
    expect(readAll([{ usage: said }, { usage }, { usage }], 'messages')).toMatchObject(whole);
    const twice = { ...said, iterations: [compaction, compaction, message] };
    expect(read(twice, 'messages')).toMatchObject({
      promptTokens: 11_040,
      cachedTokens: 340,
      completionTokens: 210,
    });
  });

  it('adds no thoughts and removes none', () => {
    const usage = {
      ...said,
      output_tokens_details: { thinking_tokens: 40 },
      iterations: [compaction, message],
    };
    expect(read(usage, 'messages')).toMatchObject({ ...whole, reasoningTokens: 40 });
  });

  it.each([
    ['another model that was also asked', { ...compaction, type: 'advisor_message', model: 'm' }],
    ['a model that answered in place of the first', { ...message, type: 'fallback_message', model: 'm' }],
    ['an unknown kind', { ...compaction, type: 'x' }],
    ['no kind', { ...compaction, type: undefined }],
  ])('is not read from %s', (_what, other) => {
    expect(read({ ...said, iterations: [message, other] }, 'messages')).toMatchObject({
      promptTokens: 1_000,
      cachedTokens: 300,
      completionTokens: 90,
    });
  });

  it('cannot be read if it exceeds what the books can store', () => {
    const iterations = [{ ...compaction, input_tokens: 2 ** 31 - 1 }];
    expect(read({ ...said, iterations }, 'messages')).toBe('unreadable');
  });
});

describe('thoughts counted only in the total', () => {
  const counts = { prompt_tokens: 20, completion_tokens: 198 };
  it.each([
    ['cost as reasoning', { total_tokens: 623 }, 405],
    [
      'are those that are counted',
      { total_tokens: 623, completion_tokens_details: { reasoning_tokens: 405 } },
      405,
    ],
    ['come to those within', { total_tokens: 623, completion_tokens_details: { reasoning_tokens: 98 } }, 503],
  ])('%s', (_what, more, reasoningTokens) => {
    expect(read({ ...counts, ...more })).toEqual({
      promptTokens: 20,
      completionTokens: 603,
      reasoningTokens,
    });
  });
});

describe('contradictory numbers are flagged', () => {
  const counts = { prompt_tokens: 100, completion_tokens: 40 };
  it.each([
    ['a total that is less', { total_tokens: 130 }, {}],
    [
      'two counts of one kind',
      { prompt_tokens_details: { cached_tokens: 10 }, cache_read_input_tokens: 20 },
      { cachedTokens: 20 },
    ],
    ['more thoughts than output', { completion_tokens_details: { reasoning_tokens: 41 } }, {}],
    [
      'more of the cache than in the total',
      { total_tokens: 140, prompt_tokens_details: { cached_tokens: 101 } },
      { promptTokens: 201, cachedTokens: 101 },
    ],
  ])('%s', (_what, more, wanted) => {
    expect(read({ ...counts, ...more })).toEqual({
      promptTokens: 100,
      completionTokens: 40,
      ...wanted,
      contradicts: true,
    });
  });

  it('consistent numbers are not flagged', () => {
    const said = {
      prompt_tokens_details: { cached_tokens: 10 },
      cache_read_input_tokens: 10,
      total_tokens: 140,
    };
    expect(read({ ...counts, ...said })).toEqual({
      promptTokens: 100,
      completionTokens: 40,
      cachedTokens: 10,
    });
  });
});

it.each([
  ['less than nothing', { prompt_tokens_details: { cached_tokens: -1 } }],
  ['no whole number', { completion_tokens_details: { reasoning_tokens: 1.5 } }],
  ['a text', { prompt_cache_hit_tokens: '64', prompt_tokens_details: 'none', completion_tokens_details: [] }],
  ['null', { prompt_tokens_details: null, completion_tokens_details: null, cached_tokens: null }],
])('a part that is %s counts as plain tokens', (_what, said) => {
  const counts = { prompt_tokens: 100, completion_tokens: 40 };
  expect(read({ ...counts, ...said })).toEqual({ promptTokens: 100, completionTokens: 40 });
});

it.each([
  {},
  { usage: null },
  { usage: [] },
  { usage: 1 },
  { usage: {} },
  { usage: { total_tokens: 7 } },
  null,
  'x',
])('%j reports nothing', (value) => {
  expect(usageOf(value, 'chat')).toBeUndefined();
});

it.each([
  { prompt_tokens: 100 },
  { completion_tokens: 40 },
  { prompt_tokens: '100', completion_tokens: 40 },
  { prompt_tokens: 100, completion_tokens: -1 },
  { prompt_tokens: 2 ** 31, completion_tokens: 40 },
  { prompt_tokens: 2 ** 30, completion_tokens: 1, cache_read_input_tokens: 2 ** 31 - 1 },
])('%j is not a readable report', (usage) => {
  expect(read(usage)).toBe('unreadable');
});

describe('any report in any order', () => {
  const anything = fc.oneof(fc.integer({ min: -5, max: 120 }), fc.double(), fc.constant(null), fc.string());
  const kinds = {
    prompt: anything,
    completion: anything,
    total: anything,
    cached: anything,
    written: anything,
  };
  const event = fc
    .tuple(
      fc.constantFrom(...USAGE_SHAPES),
      fc.record({ ...kinds, reasoning: anything }, { requiredKeys: [] }),
    )
    .map(([shape, counts]) => tell(shape, counts));

  it.each<UsageWire>(['chat', 'messages', 'responses', 'embeddings'])(
    'has no part larger than its whole, and is the same in the form of chat (%s)',
    (wire) => {
      fc.assert(
        fc.property(fc.array(event, { maxLength: 4 }), (events) => {
          const report = readAll(events, wire);
          if (report === undefined || report === 'unreadable') return;
          const { promptTokens, completionTokens } = report;
          const { cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = report;
          for (const count of [
            promptTokens,
            completionTokens,
            cachedTokens,
            cacheWriteTokens,
            reasoningTokens,
          ])
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
          expect(cachedTokens + cacheWriteTokens).toBeLessThanOrEqual(promptTokens);
          expect(reasoningTokens).toBeLessThanOrEqual(completionTokens);
          const same = { cachedTokens, cacheWriteTokens, ...report, contradicts: undefined };
          expect(read(toChatUsage(report))).toEqual(same);
        }),
        { numRuns: 1_000 },
      );
    },
  );
});
