import { fields, HELLO, readAsked, refusalOf, refusedIn, saying, texts } from '../../test/asked';
import { CHAT_REQUEST_LIMITS } from '../fields';
import { findUnknownFields, FORWARDED_FIELDS } from './request';

const { choices, stopSequences, logitBiases, metadataEntries, messages, labelLength } = CHAT_REQUEST_LIMITS;

/** Fields that may be null, which means the same as leaving them out. */
const NULLABLE = [
  'temperature top_p frequency_penalty presence_penalty logit_bias logprobs top_logprobs n seed stop',
  'reasoning_effort user metadata store service_tier prompt_cache_key safety_identifier verbosity',
  'max_tokens max_completion_tokens stream stream_options prompt_cache_retention',
  'tools tool_choice parallel_tool_calls response_format',
  'audio modalities prediction web_search_options functions function_call',
].flatMap((line) => line.split(' '));

/** Unsupported fields that change the meaning of a response. */
const NOT_SERVED: Readonly<Record<string, unknown>> = {
  audio: { voice: 'alloy', format: 'mp3' },
  prediction: { type: 'content', content: 'Hello' },
  web_search_options: {},
  functions: [{ name: 'f' }],
  function_call: 'auto',
};

describe('a field with this value is accepted', () => {
  it.each<[string, unknown[]]>([
    ['model', ['a', 'x'.repeat(256)]],
    ['messages', [Array.from({ length: messages }, () => HELLO.messages[0])]],
    ['temperature', [0, 1.5, 2]],
    ['top_p', [0, 0.1, 1]],
    ['frequency_penalty', [-2, 0, 2]],
    ['presence_penalty', [-2, 0.5, 2]],
    ['logit_bias', [{}, { 50256: -100, 0: 100 }, fields(logitBiases, 0.5)]],
    ['logprobs', [true, false]],
    ['n', [1, choices]],
    ['seed', [0, -1, Number.MAX_SAFE_INTEGER]],
    ['stop', ['END', ['END'], [], texts(stopSequences)]],
    ['max_tokens', [1, 1_000_000]],
    ['max_completion_tokens', [1, 1_000_000]],
    ['reasoning_effort', ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']],
    ['user', ['', 'ada', 'x'.repeat(labelLength)]],
    ['metadata', [{}, { ['k'.repeat(64)]: 'v'.repeat(512) }, fields(metadataEntries, 'v')]],
    ['store', [true, false]],
    ['service_tier', ['auto', 'priority']],
    ['prompt_cache_key', ['a']],
    ['prompt_cache_retention', ['24h']],
    ['modalities', [['text'], []]],
    ['functions', [[]]],
    ['tools', [[]]],
    ['safety_identifier', ['a']],
    ['verbosity', ['low', 'medium', 'high']],
    ['stream', [true, false]],
    ['response_format', [{ type: 'text' }, { type: 'json_object' }]],
  ])('%s', (field, values) => {
    for (const value of values) expect(readAsked({ [field]: value })).toEqual({ ...HELLO, [field]: value });
  });

  it.each(NULLABLE)('%s: null', (field) => {
    expect(refusedIn({ [field]: null })).toBe('accepted');
  });
});

describe('a field with this value is refused by its name', () => {
  it.each<[string, unknown[]]>([
    ['model', [undefined, null, '', 7, 'x'.repeat(257), ['a']]],
    [
      'messages',
      [undefined, null, [], 'Hello', {}, Array.from({ length: messages + 1 }, () => HELLO.messages[0])],
    ],
    ['temperature', [-0.1, 2.1, 9, '1', Number.NaN, Infinity]],
    ['top_p', [-0.1, 1.1, '1']],
    ['frequency_penalty', [-2.1, 2.1, '1']],
    ['presence_penalty', [-2.1, 2.1, '1']],
    ['logit_bias', [[], 'x', fields(logitBiases + 1, 1), fields(100_000, 1)]],
    ['logprobs', ['true', 1]],
    ['n', [0, -1, 1.5, choices + 1, 1_000_000, '2']],
    ['seed', [1.5, 2 ** 53, Infinity, '1']],
    ['stop', ['', texts(stopSequences + 1), 7, {}]],
    ['max_tokens', [0, -1, 1.5, '10', 2 ** 53]],
    ['max_completion_tokens', [0, -1, 1.5, '10', 2 ** 53]],
    ['reasoning_effort', ['huge', '', 1]],
    ['user', [1, 'x'.repeat(labelLength + 1)]],
    ['metadata', ['x', [], fields(metadataEntries + 1, 'v')]],
    ['store', ['yes']],
    ['service_tier', [1, 'x'.repeat(labelLength + 1)]],
    ['prompt_cache_key', [1, 'x'.repeat(labelLength + 1)]],
    ['safety_identifier', [1, 'x'.repeat(labelLength + 1)]],
    ['verbosity', ['loud']],
    ['stream', ['true', 1]],
    ['parallel_tool_calls', ['true']],
    ['modalities', ['text']],
  ])('%s', (field, values) => {
    for (const value of values) expect([value, refusedIn({ [field]: value })]).toEqual([value, field]);
  });

  it.each<[string, object]>([
    ['stop[1]', { stop: ['END', 7] }],
    ['stop[0]', { stop: [''] }],
    ['logit_bias.1', { logit_bias: { 1: 101 } }],
    ['logit_bias.1', { logit_bias: { 1: '1' } }],
    ['logit_bias.word', { logit_bias: { word: 1 } }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['metadata.a', { metadata: { a: 'v'.repeat(513) } }],
    [`metadata.${'k'.repeat(65)}`, { metadata: { ['k'.repeat(65)]: 'v' } }],
    ['stream_options.include_usage', { stream: true, stream_options: { include_usage: 'yes' } }],
  ])('%s', (param, more) => {
    expect(refusedIn(more)).toBe(param);
  });

  it.each(Object.keys(NOT_SERVED))('%s, which is not supported', (field) => {
    const [param] = [field === 'functions' ? 'functions[0]' : field];
    expect(refusalOf({ [field]: NOT_SERVED[field] })).toEqual({
      param,
      message: `'${param}' is not served.`,
    });
  });

  it('modalities, of which only text is supported', () => {
    expect(refusalOf({ modalities: ['text', 'audio'] })).toEqual({
      param: 'modalities[1]',
      message: `'modalities[1]' must be "text".`,
    });
  });
});

describe('an unknown field is dropped and reported', () => {
  function leftOut(more: object) {
    const body = { ...HELLO, ...more };
    const { own, inner } = findUnknownFields(body, readAsked(more));
    return { own: Object.fromEntries(own), inner };
  }
  const nothing = { own: {}, inner: [] };

  it('of the request itself with its value, because a model may take it', () => {
    const more = { top_k: 5, chat_template_kwargs: { enable_thinking: false }, best_of: null };
    expect(readAsked(more)).toEqual(HELLO);
    expect(leftOut(more)).toEqual({ own: more, inner: [] });
  });

  it.each<[string, object]>([
    ['messages.x', saying({ role: 'user', content: 'Hello', x: 1 })],
    ['messages.annotations', saying({ role: 'assistant', content: 'Hello', annotations: [{ type: 'x' }] })],
    [
      'messages.content.cache_control',
      saying({ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: { type: 'x' } }] }),
    ],
    ['tools.x', { tools: [{ type: 'function', function: { name: 'f' }, x: 1 }] }],
    ['tools.function.x', { tools: [{ type: 'function', function: { name: 'f', x: 1 } }] }],
    ['response_format.x', { response_format: { type: 'text', x: 1 } }],
    [
      'response_format.json_schema.x',
      { response_format: { type: 'json_schema', json_schema: { name: 'a', x: 1 } } },
    ],
    ['stream_options.x', { stream: true, stream_options: { x: 1 } }],
  ])('%s', (path, more) => {
    expect(JSON.stringify(readAsked(more))).not.toMatch(/"(x|annotations|cache_control)"/);
    expect(leftOut(more)).toEqual({ own: {}, inner: [path] });
  });

  it('each once, and no more names than a header has room for', () => {
    const messages = Array.from({ length: 100 }, (_, i) => ({
      ...HELLO.messages[0],
      x: 1,
      [`y${String(i)}`]: 1,
    }));
    const { inner } = leftOut({ messages });
    expect(new Set(inner).size).toBe(inner.length);
    expect(inner.length).toBeLessThanOrEqual(21);
  });

  it.each<[string, object]>([
    ['every field that is known', { temperature: 1, store: true, stream: true, stream_options: {} }],
    ['nothing, in words', { tools: [], tool_choice: 'auto', stop: [], audio: null, logit_bias: {} }],
    [
      'a schema',
      { tools: [{ type: 'function', function: { name: 'f', parameters: { x: { default: null } } } }] },
    ],
    ['reasons, under their other name', saying({ role: 'assistant', content: 'Yes', reasoning: 'Because.' })],
    [
      'what says nothing',
      saying({
        role: 'assistant',
        content: 'Yes',
        audio: null,
        annotations: [],
        tool_calls: [],
        parsed: null,
      }),
    ],
  ])('not %s', (_, more) => {
    expect(leftOut(more)).toEqual(nothing);
  });

  it.each(['__proto__', 'constructor', 'toString'])('%s, which is a field like any other', (field) => {
    const more = JSON.parse(`{"${field}":{"stream":true}}`) as object;
    expect(readAsked(more).stream).toBeUndefined();
    const body = JSON.parse(JSON.stringify(HELLO).replace('{', `{"${field}":{"stream":true},`)) as object;
    expect([...findUnknownFields(body, readAsked(more)).own]).toEqual([[field, { stream: true }]]);
  });
});

describe('fields that go together', () => {
  it('stream_options goes with stream', () => {
    const stream_options = { include_usage: true };
    expect(refusedIn({ stream: true, stream_options })).toBe('accepted');
    for (const stream of [undefined, null, false])
      expect(refusedIn({ stream, stream_options })).toBe('stream_options');
  });

  it('top_logprobs goes with logprobs', () => {
    for (const top_logprobs of [0, 20]) expect(refusedIn({ logprobs: true, top_logprobs })).toBe('accepted');
    for (const top_logprobs of [-1, 21, 1.5])
      expect(refusedIn({ logprobs: true, top_logprobs })).toBe('top_logprobs');
    for (const logprobs of [undefined, null, false])
      expect(refusedIn({ logprobs, top_logprobs: 1 })).toBe('top_logprobs');
  });
});

it('fields that change the response are forwarded, and nothing else', () => {
  expect([...FORWARDED_FIELDS].sort()).toEqual(
    [
      'messages temperature top_p frequency_penalty presence_penalty logit_bias logprobs top_logprobs n seed stop',
      'tools tool_choice parallel_tool_calls response_format reasoning_effort',
    ]
      .flatMap((line) => line.split(' '))
      .sort(),
  );
});
