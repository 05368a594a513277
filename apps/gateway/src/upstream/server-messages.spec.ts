import type { Upstream } from '@farebox/catalog';
import { chatWire } from '../wires/chat/chat-wire';
import { messagesWire } from '../wires/messages/messages-wire';
import { responsesWire } from '../wires/responses/responses-wire';
import type { Wire } from '../wires/wire';
import { toServerCallId } from './call-ids';
import { USUAL_SPEECH } from './speech';
import { toSentBody } from './upstream-body';

// Clients bring conversations from other services: these tests cover how servers get them.

type Sent = Record<string, unknown> & { messages: Record<string, unknown>[] };

function sentTo(wire: Upstream['wire'], client: Wire, request: object, maxOutputTokens = 9): Sent {
  const { body, original } = client.read({ model: 'x', ...request });
  const asked = { request: body, original, extraFields: {}, maxOutputTokens };
  return toSentBody(asked, { ...USUAL_SPEECH, wire }).fields as Sent;
}

const IDS = ['functions.Bash:0', 'functions_Bash:0', 'call 1', 'toolu_1', `call_${'x'.repeat(3_000)}`];

const asked: [string, Wire, object][] = [
  [
    'chat',
    chatWire,
    {
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: IDS.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '' } })),
        },
        ...IDS.map((tool_call_id) => ({ role: 'tool', tool_call_id, content: 'x' })),
      ],
    },
  ],
  [
    'messages',
    messagesWire,
    {
      max_tokens: 9,
      messages: [
        { role: 'assistant', content: IDS.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })) },
        { role: 'user', content: IDS.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })) },
      ],
    },
  ],
  [
    'responses',
    responsesWire,
    {
      input: [
        ...IDS.map((call_id) => ({ type: 'function_call', call_id, name: 'f', arguments: '' })),
        ...IDS.map((call_id) => ({ type: 'function_call_output', call_id, output: 'x' })),
      ],
    },
  ],
];

describe.each(asked)('call ids of another service from a client of %s', (_name, client, request) => {
  it('are converted for a chat server, and calls still match their results', () => {
    const [said, ...results] = sentTo('chat', client, request).messages;
    const calls = said?.['tool_calls'] as { id: string; function: object }[];
    const ids = calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(IDS.length);
    expect(Math.max(...ids.map(({ length }) => length))).toBeLessThanOrEqual(40);
    expect(results.map((message) => message['tool_call_id'])).toEqual(ids);
    expect(calls.map((call) => call.function)).toEqual(IDS.map(() => ({ name: 'f', arguments: '{}' })));
  });

  it('are converted for a Messages server, and calls still match their results', () => {
    const [said, answered] = sentTo('messages', client, request).messages;
    const ids = (said?.['content'] as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(IDS.length);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const results = answered?.['content'] as { tool_use_id: string }[];
    expect(results.map((block) => block.tool_use_id)).toEqual(ids);
  });
});

it.each(['chat', 'messages'] as const)('an id that a server of %s accepts is unchanged', (wire) => {
  expect(toServerCallId('call_018f3c1d2e4b7a6f8c9d0e1f2a3b4c5d', wire)).toBe(
    'call_018f3c1d2e4b7a6f8c9d0e1f2a3b4c5d',
  );
});

it('the role developer becomes system for a chat server, because not all know it', () => {
  const messages = [
    { role: 'developer', content: 'rules' },
    { role: 'user', content: 'hi' },
  ];
  expect(sentTo('chat', chatWire, { messages }).messages).toEqual([
    { role: 'system', content: 'rules' },
    { role: 'user', content: 'hi' },
  ]);
});

it.each<[string, object]>([
  ['thoughts alone', { content: null, reasoning_content: 'I think' }],
  ['nothing', {}],
  ['no parts', { content: [] }],
])('a message of %s has a content that servers accept', (_what, said) => {
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', ...said },
    { role: 'user', content: 'go on' },
  ];
  const sent = sentTo('chat', chatWire, { messages });
  expect(sent.messages[1]).toMatchObject({ role: 'assistant', content: '' });
  const turns = sentTo('messages', chatWire, { messages }).messages;
  expect(turns.map(({ role }) => role)).toEqual(['user']);
});

it('a Messages server is asked in words for one JSON object, and gets strict tools marked', () => {
  const messages = [{ role: 'user', content: 'list' }];
  const sent = sentTo('messages', chatWire, {
    messages,
    response_format: { type: 'json_object' },
    tools: [{ type: 'function', function: { name: 'f', strict: true } }],
  });
  expect(sent['system']).toContain('one JSON object');
  expect(sent['tools']).toEqual([{ name: 'f', input_schema: { type: 'object' }, strict: true }]);
});

describe('a message from Anthropic sent back', () => {
  const thinking = { type: 'enabled', budget_tokens: 1_024 };
  const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: ' ' }] };
  const said = (...content: object[]) => ({
    max_tokens: 4_000,
    thinking,
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content },
      { role: 'user', content: [result] },
    ],
  });
  const sent = (...content: object[]): Sent => sentTo('messages', messagesWire, said(...content), 4_000);

  it('contains no texts of white space, which the server refuses', () => {
    const { messages } = sent({ type: 'text', text: '\n' }, use);
    expect(messages.map(({ content }) => content)).toEqual(['hi', [use], [{ ...result, content: [] }]]);
  });

  it('does not ask for thoughts if the call before had none', () => {
    expect(sent(use)).not.toHaveProperty('thinking');
    const thought = { type: 'thinking', thinking: 'Hm.', signature: 'S' };
    expect(sent(thought, use)).toHaveProperty('thinking', thinking);
  });

  it('lets an adaptive model think after any call', () => {
    const adaptive = { ...said(use), thinking: { type: 'adaptive' } };
    expect(sentTo('messages', messagesWire, adaptive, 4_000)).toHaveProperty('thinking', adaptive.thinking);
  });
});

it('a Messages server is not asked for thoughts if they follow a text in the turn that it continues', () => {
  const thought = { type: 'reasoning.text', text: 'Hm.', signature: 'S' };
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const thinking = (...before: object[]): unknown =>
    sentTo(
      'messages',
      chatWire,
      {
        max_tokens: 4_000,
        reasoning_effort: 'low',
        messages: [
          { role: 'user', content: 'hi' },
          ...before,
          { role: 'assistant', reasoning_details: [thought], tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call_1', content: 'done' },
        ],
      },
      4_000,
    )['thinking'];
  expect(thinking()).toEqual({ type: 'enabled', budget_tokens: 1_024 });
  expect(thinking({ role: 'assistant', content: 'Let me look.' })).toBeUndefined();
});
