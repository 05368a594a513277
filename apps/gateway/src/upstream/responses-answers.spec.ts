import { readWholeAnswer, type ChunkChoice } from './answers';
import { ResponsesStreamReader } from './responses-stream';
import { StreamReader } from './stream-reader';
import { sealOfResponses } from './seals';

const reasoning = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [
    { type: 'summary_text', text: 'First.' },
    { type: 'summary_text', text: 'Then.' },
  ],
  encrypted_content: 'gAAAA',
};
const citation = {
  type: 'url_citation',
  start_index: 0,
  end_index: 2,
  url: 'https://a.example/',
  title: 'A',
};
const said = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hi.', annotations: [citation] }],
};
const called = { id: 'fc_1', type: 'function_call', call_id: 'call_x', name: 'w', arguments: '{"a":1}' };
const usage = {
  input_tokens: 50,
  input_tokens_details: { cached_tokens: 20 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 80,
};
const response = { status: 'completed', error: null, output: [reasoning, said, called], usage };

const read = (value: object) => readWholeAnswer(Buffer.from(JSON.stringify(value)), { wire: 'responses' });

it('a non-streamed response includes its thoughts, text, citations and calls', () => {
  const { choices, usage: result } = read(response);
  expect(choices).toEqual([
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hi.',
        refusal: null,
        reasoning_content: 'First.\n\nThen.',
        reasoning_details: [{ type: 'reasoning.encrypted', data: sealOfResponses('gAAAA') }],
        tool_calls: [
          {
            id: expect.stringMatching(/^call_/) as string,
            type: 'function',
            function: { name: 'w', arguments: '{"a":1}' },
          },
        ],
        annotations: [
          {
            type: 'url_citation',
            url_citation: { start_index: 0, end_index: 2, url: 'https://a.example/', title: 'A' },
          },
        ],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
  ]);
  expect(result).toEqual({ promptTokens: 50, completionTokens: 30, cachedTokens: 20, reasoningTokens: 10 });
});

it.each([
  [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
  [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
  [{ status: 'completed' }, 'stop'],
])('%j ends a text', (end, finish) => {
  expect(read({ ...response, output: [said], ...end }).choices[0]?.finish_reason).toBe(finish);
});

it.each([
  [{ status: 'failed', error: { code: 'rate_limit_exceeded', message: 'x' } }, 'unavailable'],
  [{ status: 'failed', error: { code: 'server_error', message: 'x' } }, 'unavailable'],
  [{ status: 'failed', error: { code: 'context_length_exceeded', message: 'x' } }, 'refused_request'],
  [{ status: 'in_progress' }, undefined],
])('%j is not a stop sequence', (end, kind) => {
  let thrown: unknown;
  try {
    read({ ...response, ...end });
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Error);
  expect((thrown as { kind?: string }).kind).toBe(kind);
});

/** Assembles a stream as a client of chat does. */
function put(events: readonly object[]) {
  const responses = new ResponsesStreamReader();
  const chat = new StreamReader(1);
  const choices: ChunkChoice[] = [];
  for (const event of events)
    for (const data of responses.read(JSON.stringify(event))) {
      const result = chat.read(data);
      if (result.kind === 'choices') choices.push(...result.choices);
    }
  const joined = (field: 'content' | 'reasoning_content' | 'refusal'): string =>
    choices.map(({ delta }) => delta[field] ?? '').join('');
  const calls: { name: string; arguments: string }[] = [];
  for (const { delta } of choices)
    for (const piece of delta.tool_calls ?? []) {
      const call = (calls[piece.index] ??= { name: '', arguments: '' });
      call.name += piece.function?.name ?? '';
      call.arguments += piece.function?.arguments ?? '';
    }
  return {
    content: joined('content'),
    reasoning: joined('reasoning_content'),
    refusal: joined('refusal'),
    details: choices.flatMap(({ delta }) => delta.reasoning_details ?? []),
    annotations: choices.flatMap(({ delta }) => delta.annotations ?? []),
    calls,
    finish: choices.map(({ finish_reason: reason }) => reason).filter((reason) => reason !== null),
    isFinished: chat.isFinished,
    usage: chat.usage,
  };
}

const at = (output_index: number, type: string, more: object): object => ({ type, output_index, ...more });
const opening = [
  { type: 'response.created', response: { status: 'in_progress' } },
  { type: 'response.in_progress', response: { status: 'in_progress' } },
];
const summary = (index: number, text: string): object[] => [
  at(0, 'response.reasoning_summary_part.added', { summary_index: index }),
  ...text
    .split('')
    .map((delta) => at(0, 'response.reasoning_summary_text.delta', { summary_index: index, delta })),
  at(0, 'response.reasoning_summary_text.done', { summary_index: index, text }),
];

const streamed = [
  ...opening,
  at(0, 'response.output_item.added', { item: { ...reasoning, summary: [] } }),
  ...summary(0, 'First.'),
  ...summary(1, 'Then.'),
  at(0, 'response.output_item.done', { item: reasoning }),
  at(1, 'response.output_item.added', { item: { ...said, content: [] } }),
  at(1, 'response.content_part.added', { content_index: 0 }),
  at(1, 'response.output_text.delta', { content_index: 0, delta: 'H' }),
  at(1, 'response.output_text.delta', { content_index: 0, delta: 'i.' }),
  at(1, 'response.output_text.annotation.added', { annotation: citation }),
  at(1, 'response.output_text.done', { text: 'Hi.' }),
  at(1, 'response.output_item.done', { item: said }),
  at(2, 'response.output_item.added', { item: { ...called, arguments: '' } }),
  at(2, 'response.function_call_arguments.delta', { delta: '{"a"' }),
  at(2, 'response.function_call_arguments.delta', { delta: ':1}' }),
  at(2, 'response.function_call_arguments.done', { arguments: '{"a":1}' }),
  at(2, 'response.output_item.done', { item: called }),
  { type: 'response.completed', response },
];

const whole = {
  content: 'Hi.',
  reasoning: 'First.\n\nThen.',
  refusal: '',
  details: [{ type: 'reasoning.encrypted', data: sealOfResponses('gAAAA') }],
  annotations: [
    {
      type: 'url_citation',
      url_citation: { start_index: 0, end_index: 2, url: 'https://a.example/', title: 'A' },
    },
  ],
  calls: [{ name: 'w', arguments: '{"a":1}' }],
  finish: ['tool_calls'],
  isFinished: true,
  usage: { promptTokens: 50, completionTokens: 30, cachedTokens: 20, reasoningTokens: 10 },
};

it('a stream gives the same answer, piece by piece', () => {
  expect(put(streamed)).toMatchObject(whole);
});

it('a stream with whole items and no pieces gives the same answer', () => {
  const items = [reasoning, said, called].map((item, index) =>
    at(index, 'response.output_item.done', { item }),
  );
  expect(put([...opening, ...items, { type: 'response.completed', response }])).toMatchObject(whole);
});

it('a stream with all items in its last event gives the same answer', () => {
  expect(put([...opening, { type: 'response.completed', response }])).toMatchObject(whole);
});

it('interleaved pieces of calls are assigned to the right call', () => {
  const other = { ...called, id: 'fc_2', name: 'v', arguments: '{}' };
  const events = [
    ...opening,
    at(0, 'response.output_item.added', { item: { ...called, arguments: '' } }),
    at(1, 'response.output_item.added', { item: { ...other, arguments: '' } }),
    at(0, 'response.function_call_arguments.delta', { delta: '{"a":' }),
    at(1, 'response.function_call_arguments.delta', { delta: '{}' }),
    at(0, 'response.function_call_arguments.delta', { delta: '1}' }),
    at(1, 'response.output_item.done', { item: other }),
    at(0, 'response.output_item.done', { item: called }),
    { type: 'response.completed', response: { ...response, output: [called, other] } },
  ];
  expect(put(events).calls).toEqual([
    { name: 'w', arguments: '{"a":1}' },
    { name: 'v', arguments: '{}' },
  ]);
});

it('a refusal and an end at the output limit are reported', () => {
  const events = [
    ...opening,
    at(0, 'response.refusal.delta', { delta: 'No.' }),
    {
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage },
    },
  ];
  expect(put(events)).toMatchObject({ refusal: 'No.', finish: ['length'], isFinished: true });
});

it.each([
  [{ type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } }],
  [{ type: 'error', code: 'rate_limit_exceeded', message: 'x' }],
])('%j fails the stream', (event) => {
  expect(() => put([...opening, event])).toThrow('upstream failed: unavailable');
});

it('a stream without its last event has failed', () => {
  expect(put(streamed.slice(0, -1)).isFinished).toBe(false);
});
