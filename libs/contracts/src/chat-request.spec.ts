import { fields, HELLO, readAsked, refusalOf, refusedIn, saying, texts } from '../test/asked';
import { CHAT_REQUEST_LIMITS } from './chat-limits';
import { FORWARDED_FIELDS } from './chat-request';

const { choices, stopSequences, logitBiases, metadataEntries, messages, labelLength } = CHAT_REQUEST_LIMITS;

/** Fields that may be null, which is to say left out. */
const NULLABLE = [
  'temperature top_p frequency_penalty presence_penalty logit_bias logprobs top_logprobs n seed stop',
  'reasoning_effort user metadata store service_tier prompt_cache_key safety_identifier verbosity',
  'max_tokens max_completion_tokens stream stream_options',
].flatMap((line) => line.split(' '));

/** Fields of OpenAI's API that this service does not have: each could cost money, or promise what is not kept. */
const NOT_OFFERED = [
  'audio modalities prediction web_search_options functions function_call moderation prompt_cache_options',
  'prompt_cache_retention best_of top_k',
].flatMap((line) => line.split(' '));

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
    ['stop', ['END', ['END'], texts(stopSequences)]],
    ['max_tokens', [1, 1_000_000]],
    ['max_completion_tokens', [1, 1_000_000]],
    ['reasoning_effort', ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']],
    ['user', ['', 'ada', 'x'.repeat(labelLength)]],
    ['metadata', [{}, { ['k'.repeat(64)]: 'v'.repeat(512) }, fields(metadataEntries, 'v')]],
    ['store', [true, false]],
    ['service_tier', ['auto', 'priority']],
    ['prompt_cache_key', ['a']],
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
    ['stop', ['', [], texts(stopSequences + 1), 7, {}]],
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
    ['parallel_tool_calls', ['true', null]],
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

  it.each(NOT_OFFERED)('%s, which is not offered', (field) => {
    const message = `The field '${field}' is not known.`;
    expect(refusalOf({ [field]: null })).toEqual({ param: field, message });
  });

  it.each<[string, object]>([
    ['stream_options.include_obfuscation', { stream: true, stream_options: { include_obfuscation: false } }],
    ['messages[0].x', saying({ role: 'user', content: 'Hello', x: 1 })],
    ['tools[0].x', { tools: [{ type: 'function', function: { name: 'f' }, x: 1 }] }],
    ['tools[0].function.x', { tools: [{ type: 'function', function: { name: 'f', x: 1 } }] }],
    ['response_format.x', { response_format: { type: 'text', x: 1 } }],
    [
      'response_format.json_schema.x',
      { response_format: { type: 'json_schema', json_schema: { name: 'a', x: 1 } } },
    ],
  ])('%s, which is not known', (param, more) => {
    expect(refusalOf(more)).toEqual({ param, message: `The field '${param}' is not known.` });
  });

  it.each(['__proto__', 'constructor', 'toString'])('%s, which is a field like any other', (field) => {
    expect(refusedIn(JSON.parse(`{"${field}":{"stream":true}}`) as object)).toBe(field);
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

it('what changes the answer is forwarded, and nothing else', () => {
  expect([...FORWARDED_FIELDS].sort()).toEqual(
    [
      'messages temperature top_p frequency_penalty presence_penalty logit_bias logprobs top_logprobs n seed stop',
      'tools tool_choice parallel_tool_calls response_format reasoning_effort',
    ]
      .flatMap((line) => line.split(' '))
      .sort(),
  );
});
