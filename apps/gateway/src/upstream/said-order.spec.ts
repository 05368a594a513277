import { createdMessage } from '@farebox/contracts';
import { chatWire } from '../wires/chat/chat-wire';
import { messagesWire } from '../wires/messages/messages-wire';
import { responsesWire } from '../wires/responses/responses-wire';
import type { Wire } from '../wires/wire';
import { readWholeAnswer } from './answers';

// The blocks of a server that signs its thoughts: it refuses them in another order than its own.

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

function written(wire: Wire, request: object, content: object[] = BLOCKS): unknown {
  const body = Buffer.from(JSON.stringify({ type: 'message', content, stop_reason: 'tool_use' }));
  const { choices } = readWholeAnswer(body, { wire: 'messages' });
  const { writer } = wire.read({ model: 'x', ...request });
  const text = writer.toWhole({ id: 'chatcmpl-1', created: 1, model: 'x' }, choices, USAGE);
  return JSON.parse(text as string);
}

const hi = [{ role: 'user', content: 'hi' }];

it('a message has its blocks in the order in which the server wrote them', () => {
  const { content } = createdMessage.parse(written(messagesWire, { max_tokens: 9, messages: hi }));
  const ownId = expect.stringMatching(/^toolu_/) as string;
  expect(content).toEqual(
    BLOCKS.map((block) => (block.type === 'tool_use' ? { ...block, id: ownId } : block)),
  );
});

it('a response has its items in that order', () => {
  const { output } = written(responsesWire, { input: 'hi' }) as { output: { type: string }[] };
  expect(output.map(({ type }) => type)).toEqual([
    ...['reasoning', 'message', 'reasoning', 'function_call', 'message', 'function_call'],
  ]);
});

it('a chat has one text before its calls, and says nothing of an order', () => {
  const { choices } = written(chatWire, { messages: hi }) as { choices: object[] };
  expect(choices).toMatchObject([{ message: { content: 'first second', reasoning_content: 'onetwo' } }]);
  expect(choices[0]).not.toHaveProperty('order');
});

it('what cites a page cites it in its own text', () => {
  const citations = [{ type: 'web_search_result_location', url: 'https://example.com/a', title: 'A' }];
  const [thought, ...others] = BLOCKS;
  const cited = { type: 'text', text: 'first ', citations };
  const content = [cited, ...(thought ? [thought] : []), ...others];
  const message = createdMessage.parse(written(messagesWire, { max_tokens: 9, messages: hi }, content));
  expect(message.content.map((block) => 'citations' in block)).toEqual(
    content.map((block) => block === cited),
  );
});

it('thoughts that are too long to be passed on do not move the others', () => {
  const content = [...BLOCKS, { type: 'redacted_thinking', data: 'x'.repeat(1_000_001) }];
  const message = createdMessage.parse(written(messagesWire, { max_tokens: 9, messages: hi }, content));
  expect(message.content.map(({ type }) => type)).toEqual([
    ...['thinking', 'thinking', 'redacted_thinking', 'text', 'tool_use', 'tool_use'],
  ]);
});
