import {
  responsesEvent,
  responsesRequest,
  responsesResponse,
  type ChatCompletion,
  type ChatCompletionChunk,
  type ResponsesEvent,
  type ResponsesResponse,
} from '@farebox/api';
import { ApiError } from '@farebox/errors';
import type { Responses } from 'openai/resources/responses/responses';
import { responsesWriter } from './response-writer';

const of = { id: 'chatcmpl-01kag', created: 1_795_262_400, model: 'echo' };
const usage = {
  prompt_tokens: 5,
  completion_tokens: 3,
  total_tokens: 8,
  prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 1 },
  cost: '0.000001000',
};

type Message = ChatCompletion['choices'][number]['message'];
type Finish = ChatCompletion['choices'][number]['finish_reason'];
type Delta = ChatCompletionChunk['choices'][number]['delta'];

const writerOf = (fields: object) =>
  responsesWriter(responsesRequest.parse({ model: 'echo', input: 'Hi', ...fields }));

function whole(
  message: Partial<Message>,
  finish_reason: Finish = 'stop',
  fields: object = {},
): ResponsesResponse {
  const said = { role: 'assistant' as const, content: null, refusal: null, ...message };
  const choices = [{ index: 0, message: said, logprobs: null, finish_reason }];
  return responsesResponse.parse(JSON.parse(writerOf(fields).toWhole(of, choices, usage) as string));
}

const toChoices = (delta: Delta, finish_reason: Finish | null = null) => [{ index: 0, delta, finish_reason }];

/** Parses a text of events and validates each. */
function eventsIn(text: string): ResponsesEvent[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '' && event !== 'data: [DONE]')
    .map((event) => {
      const [name, data] = event.split('\n');
      const read = responsesEvent.parse(JSON.parse(data?.slice('data: '.length) ?? ''));
      expect(name).toBe(`event: ${read.type}`);
      return read;
    });
}

function stream(deltas: readonly Delta[], finish: Finish = 'stop', fields: object = {}) {
  const writer = writerOf(fields);
  let text = deltas.map((delta) => writer.toChunk(of, toChoices(delta))).join('');
  text += writer.toChunk(of, toChoices({}, finish)) + writer.toEnd(of, usage);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  const events = eventsIn(text);
  expect(events.map(({ sequence_number: at }) => at)).toEqual([...events.keys()]);
  const last = events.at(-1);
  if (!last || !('response' in last)) throw new Error('the stream has no end');
  return { events, types: events.map(({ type }) => type.replace('response.', '')), response: last.response };
}

const call = (index: number, args: string, named?: { id: string; name: string }): Delta => ({
  tool_calls: [
    {
      index,
      ...(named && { id: named.id, type: 'function' }),
      function: { ...(named && { name: named.name }), arguments: args },
    },
  ],
});

it('is complete, and is what an official client knows', () => {
  const response = whole({ content: 'Hello.' }, 'stop', {
    temperature: 0.5,
    metadata: { a: 'b' },
    store: true,
  });
  expect(response).toMatchObject({
    id: 'resp_01kag',
    object: 'response',
    created_at: of.created,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'echo',
    output: [
      {
        type: 'message',
        id: 'msg_01kag_0',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hello.', annotations: [], logprobs: [] }],
      },
    ],
    temperature: 0.5,
    top_p: 1,
    metadata: { a: 'b' },
    store: false,
    previous_response_id: null,
    usage: {
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 1 },
      total_tokens: 8,
      cost: '0.000001000',
    },
  });
  // They assemble the text themselves, have their own codes, and do not know null usage.
  type Theirs = Omit<
    Responses.Response,
    'output_text' | 'user' | 'error' | 'usage' | 'text' | 'tools' | 'tool_choice' | 'reasoning'
  >;
  const theirs: Theirs & { usage: Responses.ResponseUsage | null } = response;
  expect(theirs.id).toBe(response.id);
});

it('sends a text in all events, in order', () => {
  const { events, types, response } = stream([
    { role: 'assistant', content: '' },
    { content: 'Hel' },
    { content: 'lo.' },
  ]);
  expect(types).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ]);
  expect(events[0]).toMatchObject({
    response: { id: 'resp_01kag', status: 'in_progress', output: [], usage: null },
  });
  expect(events[2]).toMatchObject({ item: { id: 'msg_01kag_0', status: 'in_progress', content: [] } });
  expect(events[5]).toMatchObject({
    item_id: 'msg_01kag_0',
    output_index: 0,
    content_index: 0,
    delta: 'lo.',
  });
  expect(events[6]).toMatchObject({ text: 'Hello.' });
  expect(response).toEqual(whole({ content: 'Hello.' }));
  type TheirEvents = Exclude<ResponsesEvent, { response: unknown } | { item: unknown } | { part: unknown }>;
  const theirs: readonly Responses.ResponseStreamEvent[] = events as readonly TheirEvents[];
  expect(theirs).toHaveLength(events.length);
});

it('sends reasoning, a refusal and interleaved calls as separate items', () => {
  const { types, response } = stream(
    [
      { reasoning_content: 'H' },
      { reasoning_content: 'm.' },
      { content: 'Wait.' },
      { refusal: 'No.' },
      call(0, '', { id: 'call_a', name: 'look' }),
      call(1, '{"b"', { id: 'call_b', name: 'look' }),
      call(0, '{}'),
      call(1, ':1}'),
    ],
    'tool_calls',
  );
  expect(types.slice(2, -1)).toEqual([
    'output_item.added',
    'content_part.added',
    'reasoning_text.delta',
    'reasoning_text.delta',
    'reasoning_text.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'content_part.added',
    'refusal.delta',
    'refusal.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.delta',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'function_call_arguments.done',
    'output_item.done',
  ]);
  const toolCall = (id: string, args: string) => ({
    id,
    type: 'function' as const,
    function: { name: 'look', arguments: args },
  });
  const message = {
    reasoning_content: 'Hm.',
    content: 'Wait.',
    refusal: 'No.',
    tool_calls: [toolCall('call_a', '{}'), toolCall('call_b', '{"b":1}')],
  };
  expect(response).toEqual(whole(message, 'tool_calls'));
  expect(response.output.map(({ id }) => id)).toEqual([
    'rs_01kag_0',
    'msg_01kag_1',
    'fc_01kag_2',
    'fc_01kag_3',
  ]);
  expect(response.output[3]).toMatchObject({ call_id: 'call_b', name: 'look', arguments: '{"b":1}' });
});

it('sends the same if pieces were merged', () => {
  const pieces: Delta[] = [{ reasoning_content: 'Hm.' }, { content: 'a' }, { content: 'b' }];
  const apart = stream([...pieces, call(0, '{', { id: 'call_a', name: 'look' }), call(0, '}')], 'tool_calls');
  const [merged] = [
    { ...call(0, '{}', { id: 'call_a', name: 'look' }), reasoning_content: 'Hm.', content: 'ab' },
  ];
  expect(stream([merged], 'tool_calls').response).toEqual(apart.response);
});

it('sends reasoning as a summary if one was requested', () => {
  const asked = { reasoning: { summary: 'auto' } };
  const { types, response } = stream([{ reasoning_content: 'Hm.' }, { content: 'So.' }], 'stop', asked);
  expect(types.slice(2, 8)).toEqual([
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
  ]);
  expect(response.output[0]).toMatchObject({ summary: [{ type: 'summary_text', text: 'Hm.' }], content: [] });
  expect(response).toEqual(whole({ reasoning_content: 'Hm.', content: 'So.' }, 'stop', asked));
});

it('sends the input of a custom tool once it is known', () => {
  const asked = { tools: [{ type: 'custom', name: 'patch' }] };
  const deltas = [call(0, '{"inp', { id: 'call_a', name: 'patch' }), call(0, 'ut":"x\\ny"}')];
  const { types, response } = stream(deltas, 'tool_calls', asked);
  expect(types.slice(2, -1)).toEqual([
    'output_item.added',
    'custom_tool_call_input.delta',
    'custom_tool_call_input.done',
    'output_item.done',
  ]);
  expect(response.output).toEqual([
    {
      type: 'custom_tool_call',
      id: 'ctc_01kag_0',
      status: 'completed',
      call_id: 'call_a',
      name: 'patch',
      input: 'x\ny',
    },
  ]);
});

it('sends a call of a namespaced tool under both names', () => {
  const look = { type: 'function', name: 'look' };
  const asked = { tools: [{ type: 'namespace', name: 'mcp__words', description: 'Words.', tools: [look] }] };
  const { response } = stream(
    [call(0, '{}', { id: 'call_a', name: 'mcp__words__look' })],
    'tool_calls',
    asked,
  );
  expect(response.output).toMatchObject([{ type: 'function_call', namespace: 'mcp__words', name: 'look' }]);
  expect(response.tools).toEqual(asked.tools);
});

it.each(['not JSON', '{"other":1}'])('passes malformed arguments to a custom tool in full: %s', (args) => {
  const asked = { tools: [{ type: 'custom', name: 'patch' }] };
  const { response } = stream([call(0, args, { id: 'call_a', name: 'patch' })], 'tool_calls', asked);
  expect(response.output[0]).toMatchObject({ input: args });
});

it.each([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
] as const)('is incomplete after %s, as is its last item', (finish, reason) => {
  const { types, response } = stream([{ reasoning_content: 'Hm.' }, { content: 'Hel' }], finish);
  expect(types.at(-1)).toBe('incomplete');
  expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } });
  expect(response.output).toMatchObject([{ status: 'completed' }, { status: 'incomplete' }]);
  expect(response).toEqual(whole({ reasoning_content: 'Hm.', content: 'Hel' }, finish));
});

it('has an empty text if the model wrote nothing', () => {
  const { response } = stream([]);
  expect(response.output).toMatchObject([{ type: 'message', content: [{ type: 'output_text', text: '' }] }]);
  expect(response).toEqual(whole({ content: '' }));
});

it('has log probabilities beside the text', () => {
  const top = { token: 'a', logprob: -0.1, bytes: null };
  const content = [{ ...top, bytes: [97], top_logprobs: [top] }];
  const expected = [{ token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [{ ...top, bytes: [] }] }];
  const writer = writerOf({ include: ['message.output_text.logprobs'] });
  const delta = {
    index: 0,
    delta: { content: 'a' },
    logprobs: { content, refusal: null },
    finish_reason: null,
  };
  const events = eventsIn(writer.toChunk(of, [delta]) + writer.toEnd(of, usage));
  const logprobs = events.map((event) => ('logprobs' in event ? event.logprobs : undefined));
  expect(logprobs.filter((found) => found !== undefined)).toEqual([expected, expected]);
  expect(events.at(-1)).toMatchObject({ response: { output: [{ content: [{ logprobs: expected }] }] } });
});

it('repeats short instructions, tools and schemas, and leaves out long ones and those of thousands of values', () => {
  const saidBack = (text: string, count = 1) => {
    const names = Array.from({ length: count }, (_, i) => `p${String(i)}`);
    const schema = { type: 'object', description: text, required: names };
    const tool = { type: 'function', name: 'f', parameters: schema };
    const format = { type: 'json_schema', name: 's', schema };
    return whole({ content: 'Hi' }, 'stop', { instructions: text, tools: [tool], text: { format } });
  };
  expect(JSON.stringify(saidBack('Be brief.')).split('Be brief.')).toHaveLength(4);
  expect(JSON.stringify(saidBack('x'.repeat(4_000_000))).length).toBeLessThan(3_000);
  expect(JSON.stringify(saidBack('', 4_000)).length).toBeGreaterThan(40_000);
  expect(JSON.stringify(saidBack('', 4_100)).length).toBeLessThan(3_000);
});

const failure = new ApiError('upstream_timeout');
const told = failure.toEnvelope().error;

it('reports a failure in two ways, because clients look for one or the other', () => {
  const writer = writerOf({});
  const begun = eventsIn(writer.toChunk(of, toChoices({ content: 'Hel' })));
  const failed = eventsIn(writer.toFailure(failure));
  expect(failed).toMatchObject([
    { type: 'error', code: told.code, message: told.message, param: null, error: told },
    {
      type: 'response.failed',
      response: { status: 'failed', error: { code: told.code, message: told.message } },
    },
  ]);
  expect(failed[0]?.sequence_number).toBe(begun.length);
});

it('reports a failure in a separate event before any output', () => {
  expect(eventsIn(writerOf({}).toFailure(failure))).toMatchObject([{ type: 'error', sequence_number: 0 }]);
});
