import { createdMessage, messageEvent, type ChatCompletionChunk, type MessageEvent } from '@farebox/api';
import { ApiError } from '@farebox/errors';
import { createMessageWriter } from './message-writer';

const of = { id: 'chatcmpl-01kag', created: 1, model: 'm' };
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: '0.000010500' };
type ChunkChoice = ChatCompletionChunk['choices'][number];
type Delta = ChunkChoice['delta'];

const toEvents = (text: string): MessageEvent[] =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [name, data] = event.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
      const parsed = messageEvent.parse(JSON.parse(data ?? ''));
      expect(name).toBe(parsed.type);
      return parsed;
    });

/** A short notation of the events of these deltas. */
function told(deltas: Delta[], last: Partial<ChunkChoice> = { finish_reason: 'stop' }): string[] {
  const writer = createMessageWriter();
  const chunks = deltas.map((delta) => writer.toChunk(of, [{ index: 0, delta, finish_reason: null }]));
  const end = writer.toChunk(of, [{ index: 0, delta: {}, finish_reason: null, ...last }]);
  return toEvents([...chunks, end, writer.toEnd(of, usage)].join('')).map(inShort);
}

function inShort(event: MessageEvent): string {
  switch (event.type) {
    case 'content_block_start':
      return `${String(event.index)} ${event.content_block.type}`;
    case 'content_block_delta':
      return `${String(event.index)} ${Object.values(event.delta).slice(1).join('')}`;
    case 'content_block_stop':
      return `${String(event.index)} stop`;
    case 'message_delta':
      return [event.delta.stop_reason, event.delta.stop_sequence].filter(Boolean).join(' ');
    case 'message_start':
    case 'message_stop':
    case 'ping':
    case 'error':
      return event.type;
  }
}

const call = (index: number, name: string | undefined, args: string) => ({
  tool_calls: [
    {
      index,
      ...(name !== undefined && { id: `call_${name}`, type: 'function' as const }),
      function: { ...(name !== undefined && { name }), arguments: args },
    },
  ],
});

it('opens the message, sends the text in one block, and ends with usage and cost', () => {
  const writer = createMessageWriter();
  const chunks = ['', 'Hel', 'lo'].map((content) =>
    writer.toChunk(of, [{ index: 0, delta: { content }, finish_reason: null }]),
  );
  const events = toEvents([...chunks, writer.toEnd(of, usage)].join(''));
  expect(events.map(({ type }) => type)).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(events[0]).toMatchObject({ message: { id: 'msg_01kag', model: 'm', stop_reason: null } });
  expect(events.at(-2)).toEqual({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cost: '0.000010500',
    },
  });
});

it('sends thoughts, text and calls in separate blocks', () => {
  expect(
    told(
      [
        { reasoning_content: 'Hm' },
        { reasoning_content: '.' },
        { content: 'I look.' },
        call(0, 'look', '{}'),
      ],
      { finish_reason: 'tool_calls' },
    ),
  ).toEqual([
    'message_start',
    ...['0 thinking', '0 Hm', '0 .', '0 stop'],
    ...['1 text', '1 I look.', '1 stop'],
    ...['2 tool_use', '2 {}', '2 stop'],
    'tool_use',
    'message_stop',
  ]);
});

it('ends a thinking block with its signature, and begins another after it', () => {
  const signed = (signature: string): Delta => ({
    reasoning_details: [{ type: 'reasoning.text', signature }],
  });
  expect(
    told([
      { reasoning_content: 'One' },
      signed('s1'),
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] },
      { reasoning_content: 'Two' },
      signed('s2'),
    ]),
  ).toEqual([
    'message_start',
    ...['0 thinking', '0 One', '0 s1', '0 stop'],
    ...['1 redacted_thinking', '1 stop'],
    ...['2 thinking', '2 Two', '2 s2', '2 stop'],
    'end_turn',
    'message_stop',
  ]);
});

it('sends calls one after the other, even if their pieces are interleaved', () => {
  expect(
    told([
      call(0, 'a', '{"x":"}'),
      call(1, 'b', '{"y"'),
      call(0, undefined, '\\"1"'),
      call(2, 'c', '{}'),
      call(1, undefined, ':2}'),
      call(0, undefined, '}'),
    ]),
  ).toEqual([
    'message_start',
    ...['0 tool_use', '0 {"x":"}', '0 \\"1"', '0 }', '0 stop'],
    ...['1 tool_use', '1 {"y":2}', '1 stop'],
    ...['2 tool_use', '2 {}', '2 stop'],
    'tool_use',
    'message_stop',
  ]);
});

it('also sends a call that is never complete, and those after it', () => {
  expect(told([call(0, 'a', '{"x"'), call(1, 'b', '')], { finish_reason: 'length' })).toEqual([
    'message_start',
    ...['0 tool_use', '0 {"x"', '0 stop'],
    ...['1 tool_use', '1 stop'],
    'max_tokens',
    'message_stop',
  ]);
});

const cited = (title = 'A page') => ({
  type: 'url_citation' as const,
  url_citation: { start_index: 0, end_index: 3, url: 'https://example.com/a', title },
});
const citation = {
  type: 'web_search_result_location',
  url: 'https://example.com/a',
  title: 'A page',
  cited_text: '',
  encrypted_index: '',
};

it('puts citations in the text block, even before its first word, and drops those after its end', () => {
  const inText = JSON.stringify(citation);
  const shown = (deltas: Delta[]): string[] =>
    told(deltas, { finish_reason: 'tool_calls' }).map((line) => line.replace('[object Object]', inText));
  const annotations = [cited()];
  expect(
    shown([{ content: 'One' }, { annotations }, { content: ' two' }, call(0, 'a', '{}'), { annotations }]),
  ).toEqual([
    'message_start',
    ...['0 text', '0 One', `0 ${inText}`, '0  two', '0 stop'],
    ...['1 tool_use', '1 {}', '1 stop'],
    'tool_use',
    'message_stop',
  ]);
  expect(shown([{ annotations }, { content: 'One' }])).toEqual([
    'message_start',
    ...['0 text', `0 ${inText}`, '0 One', '0 stop'],
    'tool_use',
    'message_stop',
  ]);
});

it.each([
  ['A page', 'A page'],
  ['', null],
])('cites a page in a non-streamed message: title %j', (title, given) => {
  const message = {
    role: 'assistant' as const,
    content: 'One',
    refusal: 'No',
    annotations: [cited(title)],
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' as const };
  const whole = createdMessage.parse(
    JSON.parse(createMessageWriter().toWhole(of, [choice], usage) as string),
  );
  expect(whole.content).toEqual([
    { type: 'text', text: 'One', citations: [{ ...citation, title: given }] },
    { type: 'text', text: 'No' },
  ]);
});

it.each([
  [{ finish_reason: 'stop' as const }, 'end_turn'],
  [{ finish_reason: 'length' as const }, 'max_tokens'],
  [{ finish_reason: 'content_filter' as const }, 'refusal'],
  [{ finish_reason: 'stop' as const, stop_sequence: 'END' }, 'stop_sequence END'],
])('converts the end %j to %s', (last, reason) => {
  expect(told([{ content: 'x' }], last).at(-2)).toBe(reason);
});

it('sends the same for a stream that is replayed in fewer pieces', () => {
  const pieces = told([
    { content: 'a' },
    { content: 'b' },
    call(0, 'look', '{"a"'),
    call(0, undefined, ':1}'),
  ]);
  const merged = told([{ content: 'ab', ...call(0, 'look', '{"a":1}') }]);
  expect(merged).toEqual(
    pieces.join('|').replace('0 a|0 b', '0 ab').replace('{"a"|1 :1}', '{"a":1}').split('|'),
  );
});

it('reports a failure in an event', () => {
  const [event] = toEvents(createMessageWriter().toFailure(new ApiError('service_unavailable')));
  expect(event).toMatchObject({ error: { type: 'overloaded_error', code: 'service_unavailable' } });
});

it('writes a non-streamed message', () => {
  const message = {
    role: 'assistant' as const,
    content: 'I look.',
    refusal: null,
    reasoning_content: 'OneTwo',
    reasoning_details: [
      { type: 'reasoning.text' as const, text: 'One', signature: 's1' },
      { type: 'reasoning.encrypted' as const, data: 'x' },
    ],
    tool_calls: [
      { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{"at":1}' } },
      { id: 'call_2', type: 'function' as const, function: { name: 'look', arguments: 'no JSON' } },
    ],
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: 'tool_calls' as const };
  const text = createMessageWriter().toWhole(of, [choice], usage) as string;
  expect(createdMessage.parse(JSON.parse(text))).toMatchObject({
    id: 'msg_01kag',
    content: [
      { type: 'thinking', thinking: 'One', signature: 's1' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } },
      { type: 'tool_use', id: 'toolu_2', name: 'look', input: { arguments: 'no JSON' } },
    ],
    stop_reason: 'tool_use',
  });
});

it('passes on as a text arguments nested too deeply to be sent again', () => {
  const args = `{"a":${'['.repeat(6_000)}${']'.repeat(6_000)}}`;
  const calls = [{ id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: args } }];
  const message = { role: 'assistant' as const, content: null, refusal: null, tool_calls: calls };
  const choice = { index: 0, message, logprobs: null, finish_reason: 'tool_calls' as const };
  const text = createMessageWriter().toWhole(of, [choice], usage) as string;
  expect(JSON.parse(text)).toMatchObject({ content: [{ type: 'tool_use', input: { arguments: args } }] });
});
