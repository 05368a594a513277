import { readWholeAnswer } from './answers';
import { StreamReader } from './stream-reader';
import { MessagesStreamReader } from './messages-stream';

/** A citation of a Messages server in the form of chat. */

const page = (more: object = {}) => ({
  type: 'web_search_result_location',
  url: 'https://example.com/a',
  title: 'A page',
  cited_text: 'Trams run.',
  encrypted_index: 'upstream-canary',
  ...more,
});
const document = {
  type: 'char_location',
  cited_text: 'x',
  document_index: 0,
  document_title: 'upstream-canary',
};
const annotation = (start_index: number, end_index: number, more: object = {}) => ({
  type: 'url_citation',
  url_citation: { start_index, end_index, url: 'https://example.com/a', title: 'A page', ...more },
});

interface Block {
  text: string;
  citations?: unknown;
}

function whole(blocks: Block[]) {
  const content = blocks.map((block) => ({ type: 'text', ...block }));
  const body = Buffer.from(JSON.stringify({ type: 'message', content, stop_reason: 'end_turn' }));
  return readWholeAnswer(body, { wire: 'messages' }).choices[0]?.message;
}

/** `cutAt`: where a text is split between events; its citations come in between. */
function streamed(blocks: Block[], cutAt: number) {
  const reader = new MessagesStreamReader();
  const chat = new StreamReader(1);
  const events: object[] = [{ type: 'message_start', message: {} }];
  for (const [index, { text, citations }] of blocks.entries()) {
    const delta = (said: object): number => events.push({ type: 'content_block_delta', index, delta: said });
    events.push({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
    delta({ type: 'text_delta', text: text.slice(0, cutAt) });
    for (const citation of Array.isArray(citations) ? citations : [])
      delta({ type: 'citations_delta', citation: citation as object });
    delta({ type: 'text_delta', text: text.slice(cutAt) });
    events.push({ type: 'content_block_stop', index });
  }
  events.push({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } });
  const deltas = events
    .flatMap((event) => reader.read(JSON.stringify(event)))
    .flatMap((data) => {
      const read = chat.read(data);
      return read.kind === 'choices' ? read.choices.map(({ delta }) => delta) : [];
    });
  return {
    content: deltas.map(({ content }) => content ?? '').join(''),
    annotations: deltas.flatMap(({ annotations }) => annotations ?? []),
  };
}

describe.each([
  ['a page', [page()], [annotation(5, 9)]],
  ['pages', [page(), page({ title: null })], [annotation(5, 9), annotation(5, 9, { title: '' })]],
  [
    'a result of a search that is a page',
    [{ type: 'search_result_location', source: 'https://example.com/a', title: 'A page' }],
    [annotation(5, 9)],
  ],
  ['an invalid search result', [{ type: 'search_result_location', source: 'our shelf' }], []],
  ['a script', [page({ url: 'javascript:alert(1)' })], []],
  ['a document', [document], []],
  ['nothing', null, []],
  ['something other than a list', 'x', []],
  ['something other than a citation', [null, 7, 'x', {}, { type: 'x' }], []],
])('a block that cites %s', (_what, citations, expected) => {
  const blocks = [{ text: 'Yes: ' }, { text: 'they', citations }, { text: ' do.' }];

  it('keeps it in a non-streamed answer, with the range of the block', () => {
    const message = whole(blocks);
    expect(message?.content).toBe('Yes: they do.');
    expect(message?.annotations ?? []).toEqual(expected);
    expect(JSON.stringify(message)).not.toContain('canary');
  });

  it.each([0, 2, 4])('keeps it in a stream, wherever the event with the page comes: %d', (cutAt) => {
    const { content, annotations } = streamed(blocks, cutAt);
    expect(content).toBe('Yes: they do.');
    expect(annotations).toEqual(expected);
    expect(JSON.stringify(annotations)).not.toContain('canary');
  });
});

it('keeps no more citations than the limit', () => {
  const citations = Array.from({ length: 100 }, () => page());
  expect(whole([{ text: 'they', citations }])?.annotations).toHaveLength(64);
  expect(streamed([{ text: 'they', citations }], 2).annotations).toHaveLength(64);
});

it('reads a tool call of any depth without an upstream failure', () => {
  const input = `{"a":${'['.repeat(6_000)}${']'.repeat(6_000)}}`;
  const call = `{"type":"tool_use","id":"toolu_1","name":"look","input":${input}}`;
  const body = Buffer.from(`{"type":"message","content":[${call}],"stop_reason":"tool_use"}`);
  const called = readWholeAnswer(body, { wire: 'messages' }).choices[0]?.message.tool_calls;
  expect(called?.map((one) => one.function.arguments)).toEqual([input]);
  const reader = new MessagesStreamReader();
  reader.read(`{"type":"content_block_start","index":0,"content_block":${call}}`);
  const [data = ''] = reader.read('{"type":"content_block_stop","index":0}');
  const read = new StreamReader(1).read(data);
  expect(read).toMatchObject({
    choices: [{ delta: { tool_calls: [{ function: { arguments: input } }] } }],
  });
});

describe('the input of a call in a stream', () => {
  const argumentsOf = (input: object, ...pieces: string[]): string => {
    const reader = new MessagesStreamReader();
    const chat = new StreamReader(1);
    const events: object[] = [
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', name: 'look', input } },
      ...pieces.map((partial_json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
    ];
    return events
      .flatMap((event) => reader.read(JSON.stringify(event)))
      .flatMap((data) => {
        const read = chat.read(data);
        return read.kind === 'choices' ? read.choices : [];
      })
      .flatMap(({ delta }) => delta.tool_calls ?? [])
      .map((call) => call.function?.arguments ?? '')
      .join('');
  };

  it.each<[string, object, string[], string]>([
    ['in pieces', {}, ['{"a":', '1}'], '{"a":1}'],
    ['only in its first event', { a: 1 }, [], '{"a":1}'],
    ['in its first event and again in pieces', { a: 1 }, ['{"a":1}'], '{"a":1}'],
    ['nowhere, of a tool that takes nothing', {}, [''], '{}'],
  ])('is one JSON object if it comes %s', (_how, input, pieces, expected) => {
    expect(argumentsOf(input, ...pieces)).toBe(expected);
  });

  it('is complete if its block has no end event', () => {
    const reader = new MessagesStreamReader();
    const block = { type: 'tool_use', name: 'look', input: { a: 1 } };
    reader.read(JSON.stringify({ type: 'content_block_start', index: 0, content_block: block }));
    const [data = ''] = reader.read('{"type":"message_delta","delta":{"stop_reason":"tool_use"}}');
    expect(data).toContain('{\\"a\\":1}');
  });
});

it('a stream whose first event has the whole message equals the same message without a stream', () => {
  const content = [
    { type: 'thinking', thinking: 'Look it up.', signature: 'sealed' },
    { type: 'redacted_thinking', data: 'hidden' },
    { type: 'text', text: 'I look.', citations: [page()] },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: { a: 1 } },
  ];
  const message = { type: 'message', content, stop_reason: 'stop_sequence', stop_sequence: 'END' };
  const reader = new MessagesStreamReader();
  const chat = new StreamReader(1, ['END']);
  const choices = [{ type: 'message_start', message }, { type: 'message_stop' }]
    .flatMap((event) => reader.read(JSON.stringify(event)))
    .flatMap((data) => {
      const read = chat.read(data);
      return read.kind === 'choices' ? read.choices : [];
    });
  const whole = readWholeAnswer(Buffer.from(JSON.stringify(message)), { wire: 'messages', stops: ['END'] });
  const [expected] = whole.choices;
  const deltas = choices.map(({ delta }) => delta);
  expect({
    content: deltas.map((delta) => delta.content ?? '').join(''),
    reasoning_content: deltas.map((delta) => delta.reasoning_content ?? '').join(''),
    annotations: deltas.flatMap((delta) => delta.annotations ?? []),
    seals: deltas
      .flatMap((delta) => delta.reasoning_details ?? [])
      .map((detail) => ('data' in detail ? detail.data : detail.signature)),
    calls: [
      deltas
        .flatMap((delta) => delta.tool_calls ?? [])
        .map((one) => one.function?.arguments ?? '')
        .join(''),
    ],
    end: choices.map((choice) => [choice.finish_reason, choice.stop_sequence]).at(-1),
  }).toEqual({
    content: expected?.message.content,
    reasoning_content: expected?.message.reasoning_content,
    annotations: expected?.message.annotations,
    seals: ['sealed', 'hidden'],
    calls: expected?.message.tool_calls?.map((one) => one.function.arguments),
    end: [expected?.finish_reason, expected?.stop_sequence],
  });
});
