import type { ApiError } from '@farebox/errors';
import { USUAL_SPEECH } from '../../upstream/speech';
import { toSentBody } from '../../upstream/upstream-body';
import { messagesWire } from './messages-wire';

const asked = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };

function refusalOf(body: unknown): { param: string | null; message: string } {
  try {
    messagesWire.read(body);
  } catch (error) {
    const { param, publicMessage: message } = error as ApiError;
    return { param, message };
  }
  throw new Error('nothing was refused');
}

const file = { type: 'file', file_id: 'f' };

it.each([
  [{ max_tokens: undefined }, 'max_tokens'],
  [{ max_tokens: 0 }, 'max_tokens'],
  [{ temperature: 1.5 }, 'temperature'],
  [{ messages: [] }, 'messages'],
  [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role'],
  [{ messages: [{ role: 'user', content: [{ type: 'thinking' }] }] }, 'messages[0].content[0].type'],
  [
    { messages: [{ role: 'user', content: [{ type: 'image', source: file }] }] },
    'messages[0].content[0].source.file_id',
  ],
  [{ tools: [{ name: 'a b', input_schema: {} }] }, 'tools[0].name'],
  [{ tool_choice: { type: 'tool', name: 'look' } }, 'tool_choice.name'],
  [{ system: [{ type: 'image' }] }, 'system[0].type'],
])('refuses %j under its name', (more, param) => {
  expect(refusalOf({ ...asked, ...more })).toMatchObject({ param });
});

it.each([
  'http://10.0.0.1/a.png',
  'https://localhost/a.png',
  'https://metadata.internal/',
  'data:text/html,x',
])('refuses an image at %s', (url) => {
  const content = [{ type: 'image', source: { type: 'url', url } }];
  const { param } = refusalOf({ ...asked, messages: [{ role: 'user', content }] });
  expect(param).toBe('messages[0].content[0].source.url');
});

it('names the fields, tools and blocks of other services that it leaves out', () => {
  const { unknown } = messagesWire.read({
    ...asked,
    top_k: 5,
    context_management: { edits: [] },
    mcp_servers: [],
    metadata: { user_id: 'u', team: 'x' },
    tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
      { role: 'assistant', content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }] },
    ],
  });
  expect([...unknown.own.keys()]).toEqual(['top_k', 'context_management', 'mcp_servers']);
  expect(unknown.inner).toEqual(
    expect.arrayContaining([
      'tools.web_search_20250305',
      'messages.content.server_tool_use',
      'metadata.team',
    ]),
  );
  expect(unknown.inner.join()).not.toContain('cache_control');
});

it('treats null as absent', () => {
  const nothing = {
    system: null,
    tools: null,
    tool_choice: null,
    stop_sequences: null,
    thinking: null,
    stream: null,
  };
  const { body } = messagesWire.read({ ...asked, ...nothing });
  expect(body.messages).toEqual(asked.messages);
});

describe('unsupported parts are left out and named, and the rest is served', () => {
  const read = (fields: object) =>
    messagesWire.read({ model: 'x', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], ...fields });
  const own = { name: 'f', input_schema: {} };

  it.each(['tool_search_tool_regex', 'web_search_20250305', 'of_tomorrow'])(
    'a tool of the type %s',
    (type) => {
      const { body, unknown } = read({ tools: [{ type, name: 'search' }, own] });
      expect(body.tools?.map((tool) => tool.function.name)).toEqual(['f']);
      expect(unknown.inner).toContain(`tools.${type}`);
    },
  );

  it.each<[string, object]>([
    ['of such a tool', { type: 'tool', name: 'web_search' }],
    ['of any tool, if there is no other', { type: 'any' }],
  ])('a choice %s', (_of, tool_choice) => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }];
    const { body, unknown } = read({ tools, tool_choice });
    expect([body.tools, body.tool_choice]).toEqual([undefined, undefined]);
    expect(unknown.inner).toEqual(expect.arrayContaining(['tools.web_search_20250305', 'tool_choice']));
  });

  it('a choice of such a tool beside others', () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }, own];
    const { body, unknown } = read({ tools, tool_choice: { type: 'tool', name: 'web_search' } });
    expect([body.tools?.length, body.tool_choice]).toEqual([1, undefined]);
    expect(unknown.inner).toContain('tool_choice');
  });

  it('a block of an unknown type in any place', () => {
    const strange = { type: 'of_tomorrow', x: 1 };
    const result = { type: 'tool_result', tool_use_id: 'a', content: [strange, { type: 'text', text: 'b' }] };
    const messages = [
      { role: 'user', content: [strange, { type: 'text', text: 'a' }] },
      { role: 'assistant', content: [strange, { type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [result] },
    ];
    const { body, original, unknown } = read({ messages });
    expect(unknown.inner).toEqual(
      expect.arrayContaining(['messages.content.of_tomorrow', 'messages.content.content.of_tomorrow']),
    );
    expect(JSON.stringify(body)).not.toContain('tomorrow');
    const asked = { request: body, original, extraFields: {}, maxOutputTokens: 9 };
    expect(JSON.stringify(toSentBody(asked, { ...USUAL_SPEECH, wire: 'messages' }).fields)).not.toContain(
      'tomorrow',
    );
  });

  it('no setting for showing thoughts refuses a request', () => {
    expect(() => read({ thinking: { type: 'adaptive', display: 'updates' } })).not.toThrow();
  });
});
