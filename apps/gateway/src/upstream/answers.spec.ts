import { failureOfStatus } from './failed-answers';
import type { UpstreamFailure } from './failure';
import { readWholeAnswer, textsOf, type Choice, type ChunkChoice } from './answers';
import { StreamReader, textOfChunk } from './stream-reader';

/** Servers write the same answer in different ways; these tests cover how each is read. */

const ownId = expect.stringMatching(/^call_[0-9a-f]{32}$/) as string;

function choiceOf(message: object, finish_reason: unknown = 'stop'): Choice {
  const { choices } = readWholeAnswer(Buffer.from(JSON.stringify({ choices: [{ message, finish_reason }] })));
  if (!choices[0]) throw new Error('the answer has no choice');
  return choices[0];
}

function eventsOf(...choices: { delta?: object; finish_reason?: unknown }[]): ChunkChoice[] {
  const reader = new StreamReader(1);
  return choices.flatMap(({ delta = {}, finish_reason = null }) => {
    const event = reader.read(JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] }));
    return event.kind === 'choices' ? event.choices : [];
  });
}

function thrownBy(run: () => unknown): Partial<UpstreamFailure> {
  try {
    run();
  } catch (error) {
    return error as UpstreamFailure;
  }
  throw new Error('nothing was thrown');
}

it.each([
  ['counts from 1', [1], ['a']],
  ['gives all the same number', [0, 0], ['a', 'b']],
  ['leaves numbers out', [7, 2], ['b', 'a']],
  ['gives none', [undefined, undefined], ['a', 'b']],
])('choices of a server that %s are numbered from 0 in their order', (_, indexes, expected) => {
  const choices = indexes.map((index, i) => ({
    index,
    message: { content: 'ab'[i] },
    finish_reason: 'stop',
  }));
  const read = readWholeAnswer(Buffer.from(JSON.stringify({ choices }))).choices;
  expect(read.map(({ index, message }) => [index, message.content])).toEqual([...expected.entries()]);
});

describe('a finish reason', () => {
  it.each([
    ['stop', 'stop'],
    ['eos_token', 'stop'],
    ['constructor', 'stop'],
    ['__proto__', 'stop'],
    ['toString', 'stop'],
    ['length', 'length'],
    ['max_tokens', 'length'],
    ['model_length', 'length'],
    ['function_call', 'tool_calls'],
    ['tool_use', 'tool_calls'],
    ['content_filter', 'content_filter'],
    ['safety', 'content_filter'],
  ])('%s is read as %s', (given, read) => {
    expect(choiceOf({ content: 'Hi' }, given).finish_reason).toBe(read);
    expect(eventsOf({ finish_reason: given })[0]?.finish_reason).toBe(read);
  });

  it.each(['error', 'abort', 'cancelled', 'insufficient_system_resource'])(
    '%s is an upstream failure, not a finish',
    (given) => {
      const failed = { kind: 'unavailable', status: 200 };
      expect(thrownBy(() => choiceOf({ content: 'Hi' }, given))).toMatchObject(failed);
      expect(thrownBy(() => eventsOf({ finish_reason: given }))).toMatchObject(failed);
    },
  );
});

describe('the reasoning of a model', () => {
  it.each([
    [{ reasoning: 'Hm.' }, 'Hm.'],
    [{ reasoning_content: 'Hm.' }, 'Hm.'],
    [{ reasoning_content: 'Hm.', reasoning: 'Hm.' }, 'Hm.'],
    [{ reasoning_content: null, reasoning: 'Hm.' }, 'Hm.'],
    [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }, 'Hm.'],
  ])('is passed on and counted: %j', (said, read) => {
    const choice = choiceOf({ content: 'Yes', ...said });
    expect(choice.message.reasoning_content).toBe(read);
    expect(textsOf(choice).join('')).toContain('Hm.');
    const [event] = eventsOf({ delta: said });
    expect(event?.delta.reasoning_content).toBe(read);
    expect(textOfChunk(event ? [event] : [])).toBe('Hm.');
  });
});

it.each([
  [['a', 'b'], 'ab', null],
  [[{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }], 'ab', null],
  [[{ type: 'output_text', text: 'a' }], 'a', null],
  [[{ type: 'refusal', refusal: 'No.' }], null, 'No.'],
  [[], null, null],
  [{ text: 'a' }, null, null],
])('content in parts is joined: %j', (content, text, refusal) => {
  expect(choiceOf({ content }).message).toMatchObject({ content: text, refusal });
  const delta = eventsOf({ delta: { content } })[0]?.delta ?? {};
  expect([delta.content ?? null, delta.refusal ?? null]).toEqual([text, refusal]);
});

describe('a tool call', () => {
  const called = (name: string, args?: unknown): object => ({ function: { name, arguments: args } });

  it('has its arguments as JSON if the server sends an object', () => {
    const calls = [called('f', { city: 'Rome' })];
    const whole = choiceOf({ content: null, tool_calls: calls }, 'tool_calls');
    const call = { name: 'f', arguments: '{"city":"Rome"}' };
    expect(whole.message.tool_calls).toEqual([{ id: ownId, type: 'function', function: call }]);
    const [event] = eventsOf({ delta: { tool_calls: calls } });
    expect(event?.delta.tool_calls).toEqual([{ index: 0, id: ownId, type: 'function', function: call }]);
    expect(textOfChunk(event ? [event] : [])).toBe('f{"city":"Rome"}');
  });

  it('is read from the legacy function_call form', () => {
    const call = { name: 'f', arguments: '{}' };
    expect(choiceOf({ content: null, function_call: call }, 'function_call')).toMatchObject({
      message: { tool_calls: [{ id: ownId, type: 'function', function: call }] },
      finish_reason: 'tool_calls',
    });
    const events = eventsOf(
      { delta: { function_call: { name: 'f', arguments: '' } } },
      { delta: { function_call: { arguments: '{}' } } },
      { finish_reason: 'function_call' },
    );
    expect(events.map(({ delta }) => delta.tool_calls)).toEqual([
      [{ index: 0, id: ownId, type: 'function', function: { name: 'f', arguments: '' } }],
      [{ index: 0, function: { arguments: '{}' } }],
      undefined,
    ]);
    expect(events.at(-1)?.finish_reason).toBe('tool_calls');
  });

  /** The call that each delta belongs to, and what it adds. */
  const piecesOf = (...deltas: object[][]): [number, string | undefined, string | undefined][] =>
    eventsOf(...deltas.map((tool_calls) => ({ delta: { tool_calls } }))).flatMap(({ delta }) =>
      (delta.tool_calls ?? []).map(({ index, ...call }): [number, string | undefined, string | undefined] => [
        index,
        call.function?.name,
        call.function?.arguments,
      ]),
    );

  it('without an index is distinguished from the next one by its id', () => {
    const piece = (id: string, name: string | undefined, args: string): object => ({
      id,
      function: { name, arguments: args },
    });
    expect(
      piecesOf(
        [piece('a', 'f', '{'), piece('b', 'g', '{')],
        [piece('b', undefined, '}')],
        [piece('a', undefined, '}')],
      ),
    ).toEqual([
      [0, 'f', '{'],
      [1, 'g', '{'],
      [1, undefined, '}'],
      [0, undefined, '}'],
    ]);
  });

  it('with the index of another is distinguished from it by its id', () => {
    const piece = (id: string, name: string | undefined, args: string): object => ({
      index: 0,
      id,
      function: { name, arguments: args },
    });
    expect(piecesOf([piece('a', 'f', '{}')], [piece('b', 'f', '{')], [piece('b', undefined, '}')])).toEqual([
      [0, 'f', '{}'],
      [1, 'f', '{'],
      [1, undefined, '}'],
    ]);
    // The id alone does not begin a call: some servers send a new one in each delta.
    expect(piecesOf([piece('a', 'f', '{')], [piece('b', undefined, '}')])).toEqual([
      [0, 'f', '{'],
      [0, undefined, '}'],
    ]);
  });

  it('with the index of another and no id begins when that one is complete', () => {
    const piece = (name: string | undefined, args: string): object => ({
      index: 0,
      id: '',
      function: { name, arguments: args },
    });
    expect(piecesOf([piece('f', '{'), piece('f', '}')], [piece('f', '{"a":1}')], [piece('g', '')])).toEqual([
      [0, 'f', '{'],
      [0, undefined, '}'],
      [1, 'f', '{"a":1}'],
      [2, 'g', ''],
    ]);
  });

  it('has its name once, even if its server repeats it', () => {
    const piece = (args: string): object => ({ index: 0, id: 'a', function: { name: 'f', arguments: args } });
    expect(piecesOf([piece('{')], [piece('}')])).toEqual([
      [0, 'f', '{'],
      [0, undefined, '}'],
    ]);
  });

  it('without arguments has an empty JSON object', () => {
    const call = { name: 'f', arguments: '' };
    expect(choiceOf({ content: null, tool_calls: [{ function: call }] }, 'tool_calls')).toMatchObject({
      message: { tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
    });
    const [begun, ended] = eventsOf(
      { delta: { tool_calls: [{ index: 0, id: 'a', function: call }] } },
      { finish_reason: 'tool_calls' },
    );
    expect(begun?.delta.tool_calls).toEqual([{ index: 0, id: ownId, type: 'function', function: call }]);
    expect(ended?.delta.tool_calls).toEqual([{ index: 0, function: { arguments: '{}' } }]);
    const [only] = eventsOf({ delta: { tool_calls: [{ id: 'a', function: call }] }, finish_reason: 'stop' });
    expect(only?.delta.tool_calls).toMatchObject([{ index: 0, function: { name: 'f', arguments: '{}' } }]);
  });

  it('without an index and an id is distinguished from the next one by its name', () => {
    expect(piecesOf([called('f', '{}')], [called('f', '{')], [{ function: { arguments: '}' } }])).toEqual([
      [0, 'f', '{}'],
      [1, 'f', '{'],
      [1, undefined, '}'],
    ]);
  });

  it('keeps its index', () => {
    const piece = (index: number, name?: string): object => ({ index, function: { name, arguments: '' } });
    expect(piecesOf([piece(1, 'g'), piece(0, 'f')], [piece(1)]).map(([index]) => index)).toEqual([1, 0, 1]);
  });
});

describe('an error in a stream', () => {
  const read = (error: unknown): Partial<UpstreamFailure> =>
    thrownBy(() => new StreamReader(1).read(JSON.stringify({ error })));

  it('with the status of a wrong request is a refused request', () => {
    expect(read({ code: 400, message: 'no', param: 'seed' })).toMatchObject({
      kind: 'refused_request',
      status: 400,
      param: 'seed',
    });
  });

  it('with another status is read by that status', () => {
    expect(read({ code: 503 })).toMatchObject({ kind: 'unavailable', status: 503 });
  });

  it.each([[{ code: 'oops' }], ['oops'], [{ code: 200 }]])(
    'without a known status is an invalid answer: %j',
    (error) => {
      expect(read(error)).toMatchObject({ kind: 'garbage', status: 200 });
    },
  );
});

describe('a prompt that does not fit', () => {
  it.each([
    [400, { error: { code: 400, type: 'exceed_context_size_error', message: 'x', n_ctx: 512 } }],
    [400, { error: { code: 'context_length_exceeded', type: 'invalid_request_error', message: 'x' } }],
    [500, { error: { code: 500, type: 'exceed_context_size_error' } }],
    [413, { error: { message: 'x' } }],
    [400, { object: 'error', message: "This model's maximum context length is 512 tokens. However, …" }],
    [400, { error: { message: 'prompt is too long: 200001 tokens > 200000 maximum' } }],
    [
      422,
      { error: 'Input validation error: `inputs` must have less than 512 tokens', error_type: 'validation' },
    ],
    [400, { message: 'Prompt contains 600 tokens … too large for model with 512 maximum context length' }],
    [400, { error: { message: 'the request exceeds the available context size' } }],
    [400, { detail: 'Input length (600) exceeds the maximum allowed length' }],
  ])('is distinguished from other wrong requests: %d %j', (status, body) => {
    expect(failureOfStatus(status, JSON.stringify(body))).toMatchObject({
      kind: 'refused_request',
      isOverContext: true,
    });
  });

  it.each([
    [400, '{"error":{"message":"logit_bias must be a list","param":"logit_bias"}}', 'refused_request'],
    [400, '{"error":{"message":"stop is longer than 4"}}', 'refused_request'],
    [400, 'constructor', 'refused_request'],
    [400, '[]', 'refused_request'],
    [400, '', 'refused_request'],
    [429, '{"error":{"message":"maximum context length"}}', 'unavailable'],
    [401, '{"error":{"code":"context_length_exceeded"}}', 'misconfigured'],
    [500, '{"error":{"message":"out of memory"}}', 'unavailable'],
  ])('is not reported for another error: %d %s', (status, body, kind) => {
    expect(failureOfStatus(status, body)).toMatchObject({ kind, isOverContext: false });
  });
});

it.each([true, false])(
  'surplus tool calls are dropped and the stream goes on (numbered: %s)',
  (isNumbered) => {
    const reader = new StreamReader(1);
    const read = (event: object) => reader.read(JSON.stringify(event));
    const calls = Array.from({ length: 1_100 }, (_, index) => ({
      ...(isNumbered && { index }),
      id: `call_${String(index)}`,
      function: { name: 'f', arguments: '{}' },
    }));
    const result = calls.flatMap((call) => {
      const event = read({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] });
      return event.kind === 'choices' ? (event.choices[0]?.delta.tool_calls ?? []) : [];
    });
    expect(result.map(({ index }) => index)).toEqual(Array.from({ length: 1_025 }, (_, index) => index));
    const usage = { prompt_tokens: 7, completion_tokens: 9_000 };
    read({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage });
    expect(reader.usage).toEqual({ promptTokens: 7, completionTokens: 9_000 });
  },
);

it('a choice has one finish, and nothing after it', () => {
  const reader = new StreamReader(1);
  const read = (delta: object, finish_reason: string | null, usage?: object): unknown =>
    reader.read(JSON.stringify({ choices: [{ index: 0, delta, finish_reason }], usage }));
  expect(read({ content: 'a' }, '')).toMatchObject({ choices: [{ finish_reason: null }] });
  expect(read({ content: 'b' }, 'tool_calls')).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
  expect(read({ content: 'c' }, null)).toEqual({ kind: 'nothing' });
  const usage = { prompt_tokens: 1, completion_tokens: 2 };
  expect(read({ content: '' }, 'stop', usage)).toEqual({ kind: 'nothing' });
  expect(reader.usage).toEqual({ promptTokens: 1, completionTokens: 2 });
});
