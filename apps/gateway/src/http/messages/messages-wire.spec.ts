import type { ApiError } from '@farebox/errors';
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
  [{ messages: [{ role: 'user', content: [{ type: 'audio' }] }] }, 'messages[0].content[0].type'],
  [
    { messages: [{ role: 'user', content: [{ type: 'image', source: file }] }] },
    'messages[0].content[0].source.file_id',
  ],
  [{ tools: [{ name: 'a b', input_schema: {} }] }, 'tools[0].name'],
  [{ tool_choice: { type: 'tool', name: 'look' } }, 'tool_choice.name'],
  [{ system: [{ type: 'image' }] }, 'system[0].type'],
])('refuses %j by its name', (more, param) => {
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

it('names what it leaves out: fields, tools and blocks of other machines', () => {
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

it('takes null as nothing', () => {
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
