import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from '@farebox/api';
import { sealOfResponses } from '../upstream/seals';
import { chatWire } from './chat/chat-wire';
import { messagesWire } from './messages/messages-wire';
import type { ResponseWriter } from './wire';
import { responsesWire } from './responses/responses-wire';

/** The seals and signatures that a model's server wants back do come back, through a client of each wire. */

type Message = ChatCompletion['choices'][number]['message'];
type AssistantMessage = Extract<ChatCompletionRequest['messages'][number], { role: 'assistant' }>;

const of = { id: 'chatcmpl-1', created: 1, model: 'm' };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: '0.000000000' };
const call = { id: 'call_1', type: 'function' as const, function: { name: 'w', arguments: '{"a":1}' } };
const extra_content = { google: { thought_signature: 'SIG' } };
const answered = (more: Partial<Message>): Message => ({
  role: 'assistant',
  content: null,
  refusal: null,
  ...more,
});

const ANSWERS: [string, Message, Partial<AssistantMessage>][] = [
  [
    'a signed thought',
    answered({
      reasoning_content: 'Hm.',
      reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'sig' }],
      tool_calls: [call],
    }),
    { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'sig' }] },
  ],
  [
    'a redacted thought',
    answered({
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'EmwKAhgB' }],
      tool_calls: [call],
    }),
    { reasoning_details: [{ type: 'reasoning.encrypted', data: 'EmwKAhgB' }] },
  ],
  [
    'a thought that a server of Responses has sealed',
    answered({
      reasoning_content: 'Hm.',
      reasoning_details: [{ type: 'reasoning.encrypted', data: sealOfResponses('gAAAA') }],
      tool_calls: [call],
    }),
    { reasoning_details: [{ type: 'reasoning.encrypted', data: sealOfResponses('gAAAA') }] },
  ],
  [
    'the signature of a call',
    answered({ content: 'Look.', tool_calls: [{ ...call, extra_content }] }),
    { tool_calls: [{ ...call, extra_content }] },
  ],
  [
    'a thought that nobody has signed',
    answered({ reasoning_content: 'Hm.', content: 'Yes.', tool_calls: [call] }),
    { reasoning_content: 'Hm.' },
  ],
];

const tool = { name: 'w', parameters: { type: 'object' } };
const include = ['reasoning.encrypted_content'];

/** Each asks, gets a non-streamed `message`, and sends it back. */
const CLIENTS: Record<string, (message: Message) => Promise<ChatCompletionRequest>> = {
  async chat(message) {
    const tools = [{ type: 'function', function: tool }];
    const user = { role: 'user', content: 'Hi' };
    const { writer } = chatWire.read({ model: 'm', messages: [user], tools });
    const told = await asJson(writer.toWhole(of, choicesOf(message), usage));
    const { choices } = told as ChatCompletion;
    const result = { role: 'tool', tool_call_id: 'call_1', content: '20' };
    return chatWire.read({ model: 'm', messages: [user, choices[0]?.message, result], tools }).body;
  },
  async responses(message) {
    const asked = { model: 'm', include, tools: [{ type: 'function', ...tool }] };
    const user = { role: 'user', content: 'Hi' };
    const { writer } = responsesWire.read({ ...asked, input: [user] });
    const { output } = (await asJson(writer.toWhole(of, choicesOf(message), usage))) as { output: object[] };
    return responsesWire.read({ ...asked, input: [user, ...withoutContent(output), OUTPUT] }).body;
  },
  responsesStreamed(message) {
    const asked = { model: 'm', include, stream: true, tools: [{ type: 'function', ...tool }] };
    const user = { role: 'user', content: 'Hi' };
    const { writer } = responsesWire.read({ ...asked, input: [user] });
    const text =
      piecesOf(message)
        .map((choice) => writer.toChunk(of, [choice]))
        .join('') + writer.toEnd(of, usage);
    const completed = eventsOf(text).find(({ type }) => type === 'response.completed');
    const { output } = completed?.['response'] as { output: object[] };
    return Promise.resolve(
      responsesWire.read({ ...asked, input: [user, ...withoutContent(output), OUTPUT] }).body,
    );
  },
  async messages(message) {
    const tools = [{ name: 'w', input_schema: { type: 'object' } }];
    const user = { role: 'user', content: 'Hi' };
    const asked = { model: 'm', max_tokens: 9, tools };
    const { writer } = messagesWire.read({ ...asked, messages: [user] });
    const { content } = (await asJson(writer.toWhole(of, choicesOf(message), usage))) as {
      content: object[];
    };
    const result = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '20' }],
    };
    return messagesWire.read({ ...asked, messages: [user, { role: 'assistant', content }, result] }).body;
  },
};

const OUTPUT = { type: 'function_call_output', call_id: 'call_1', output: '20' };
/** Some clients send back only sealed reasoning. */
const withoutContent = (items: object[]): object[] =>
  items.map((item) => ('summary' in item ? { ...item, summary: [], content: [] } : item));

const choicesOf = (message: Message): ChatCompletion['choices'] => [
  { index: 0, message, logprobs: null, finish_reason: 'tool_calls' },
];

const asJson = async (written: ReturnType<ResponseWriter['toWhole']>): Promise<unknown> =>
  JSON.parse(typeof written === 'string' ? written : Buffer.concat(await written).toString());

const eventsOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);

/** The same in a stream: a signature comes after its text. */
function piecesOf(message: Message): ChatCompletionChunk['choices'] {
  const { reasoning_content, reasoning_details, content, tool_calls } = message;
  const details = reasoning_details?.map((detail) =>
    detail.type === 'reasoning.text' ? { type: detail.type, signature: detail.signature } : detail,
  );
  const deltas = [
    ...(reasoning_content === undefined ? [] : [{ reasoning_content }]),
    ...(details ? [{ reasoning_details: details }] : []),
    ...(content === null ? [] : [{ content }]),
    ...(tool_calls ?? []).map((one) => ({ tool_calls: [{ index: 0, ...one }] })),
  ];
  return [
    ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
    { index: 0, delta: {}, finish_reason: 'tool_calls' as const },
  ];
}

describe.each(Object.entries(CLIENTS))('a client of %s', (_client, roundTrip) => {
  it.each(ANSWERS)('sends back %s', async (_kind, message, wanted) => {
    const { messages } = await roundTrip(message);
    const returned = messages.filter(({ role }) => role === 'assistant');
    expect(returned).toHaveLength(1);
    expect(returned[0]).toMatchObject(wanted);
    expect(returned[0]).toMatchObject({ tool_calls: [{ id: 'call_1' }] });
  });
});

it('a seal of another service is left out', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAother' };
  const input = [{ role: 'user', content: 'Hi' }, reasoning, { role: 'assistant', content: 'Yes.' }];
  const { body } = responsesWire.read({ model: 'm', input });
  expect(JSON.stringify(body)).not.toContain('gAAAAother');
});

it('reasoning is sealed only for clients that ask for it', async () => {
  const { writer } = responsesWire.read({ model: 'm', input: 'Hi' });
  const told = await asJson(writer.toWhole(of, choicesOf(answered({ reasoning_content: 'Hm.' })), usage));
  expect(JSON.stringify(told)).not.toContain('encrypted_content');
});
