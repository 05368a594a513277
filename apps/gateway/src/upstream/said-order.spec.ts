import { createdMessage } from '@farebox/api';
import { chatWire } from '../wires/chat/chat-wire';
import { messagesWire } from '../wires/messages/messages-wire';
import { responsesWire } from '../wires/responses/responses-wire';
import type { Wire } from '../wires/wire';
import { readWholeAnswer } from './answers';

// Blocks of a server that signs its thoughts and refuses them in another order.

const BLOCKS = [
  { type: 'thinking', thinking: 'one', signature: 'S1' },
  { type: 'text', text: 'first ' },
  { type: 'thinking', thinking: 'two', signature: 'S2' },
  { type: 'redacted_thinking', data: 'R' },
  { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
  { type: 'text', text: 'second' },
  { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} },
];

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: '0.000000000' };

const written = (wire: Wire, request: object, content: object[] = BLOCKS): unknown =>
  writtenOf('messages', { type: 'message', content, stop_reason: 'tool_use' }, wire, request);

function writtenOf(server: 'messages' | 'responses', answer: object, wire: Wire, request: object): unknown {
  const { choices } = readWholeAnswer(Buffer.from(JSON.stringify(answer)), { wire: server });
  const { writer } = wire.read({ model: 'x', ...request });
  const text = writer.toWhole({ id: 'chatcmpl-1', created: 1, model: 'x' }, choices, USAGE);
  return JSON.parse(text as string);
}

const hi = [{ role: 'user', content: 'hi' }];

it("a message has its blocks in the server's order", () => {
  const { content } = createdMessage.parse(written(messagesWire, { max_tokens: 9, messages: hi }));
  const ownId = expect.stringMatching(/^toolu_/) as string;
  expect(content).toEqual(
    BLOCKS.map((block) => (block.type === 'tool_use' ? { ...block, id: ownId } : block)),
  );
});

it('a response has its items in that order', () => {
  const { output } = written(responsesWire, { input: 'hi' }) as { output: { type: string }[] };
  expect(output.map(({ type }) => type)).toEqual([
    ...['reasoning', 'message', 'reasoning', 'reasoning', 'function_call', 'message', 'function_call'],
  ]);
});

it('a chat has one text before its calls, and shows no order', () => {
  const { choices } = written(chatWire, { messages: hi }) as { choices: object[] };
  expect(choices).toMatchObject([{ message: { content: 'first second', reasoning_content: 'onetwo' } }]);
  expect(choices[0]).not.toHaveProperty('order');
});

it('a citation stays with its own text', () => {
  const citations = [{ type: 'web_search_result_location', url: 'https://example.com/a', title: 'A' }];
  const [thought, ...others] = BLOCKS;
  const cited = { type: 'text', text: 'first ', citations };
  const content = [cited, ...(thought ? [thought] : []), ...others];
  const message = createdMessage.parse(written(messagesWire, { max_tokens: 9, messages: hi }, content));
  expect(message.content.map((block) => 'citations' in block)).toEqual(
    content.map((block) => block === cited),
  );
});

it('thoughts dropped for their length do not move the others', () => {
  const content = [...BLOCKS, { type: 'redacted_thinking', data: 'x'.repeat(1_000_001) }];
  const message = createdMessage.parse(written(messagesWire, { max_tokens: 9, messages: hi }, content));
  expect(message.content.map(({ type }) => type)).toEqual([
    ...['thinking', 'thinking', 'redacted_thinking', 'text', 'tool_use', 'tool_use'],
  ]);
});

describe('the items of a Responses server', () => {
  const thought = (text: string, encrypted_content?: string) => ({
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    encrypted_content,
  });
  const said = (text: string) => ({ type: 'message', content: [{ type: 'output_text', text }] });
  const called = (name: string) => ({ type: 'function_call', name, arguments: '{}' });
  const output = [
    ...[thought('one', 'E1'), said('first '), thought('', 'E2'), called('f')],
    ...[thought('three'), called('g'), said('second'), thought('four', 'E4'), called('h')],
  ];
  const answer = { status: 'completed', error: null, output };

  it('keep their order for a client of Responses, each thought with its own seal', () => {
    const request = { input: 'hi', include: ['reasoning.encrypted_content'] };
    const result = writtenOf('responses', answer, responsesWire, request) as {
      output: { type: string; content?: { text: string }[]; encrypted_content?: string }[];
    };
    const texts = result.output.map(({ content }) => content?.map(({ text }) => text).join(''));
    expect(result.output.map(({ type }) => type)).toEqual(output.map(({ type }) => type));
    expect(texts).toEqual(['one', 'first ', '', undefined, 'three', undefined, 'second', 'four', undefined]);
    const seals = result.output.flatMap(({ encrypted_content: seal }) => seal ?? []);
    expect(new Set(seals).size).toBe(4);
  });

  it('keep their order for a client of messages', () => {
    const request = { max_tokens: 9, messages: hi };
    const { content } = createdMessage.parse(writtenOf('responses', answer, messagesWire, request));
    expect(content.map(({ type }) => type)).toEqual([
      ...['thinking', 'redacted_thinking', 'text', 'redacted_thinking', 'tool_use', 'thinking'],
      ...['tool_use', 'text', 'thinking', 'redacted_thinking', 'tool_use'],
    ]);
  });
});
