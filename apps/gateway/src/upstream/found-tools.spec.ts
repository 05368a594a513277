import { messagesWire } from '../wires/messages/messages-wire';
import { USUAL_SPEECH } from './speech';
import { toSentBody } from './upstream-body';

// Claude Code's ToolSearch: most tools are only introduced when they are found.

interface Sent {
  messages: { role: string; content: unknown }[];
  tools: Record<string, unknown>[];
}

const search = { name: 'ToolSearch', input_schema: { type: 'object' } };
const sql = { name: 'sql', input_schema: { type: 'object' }, defer_loading: true };
const found = (tool_name: string) => ({ type: 'tool_reference', tool_name });
const told = (name: string) => ({ type: 'text', text: `Tool found: ${name}` });

function sentTo(wire: 'chat' | 'messages', tools: object[], ...results: object[][]): Sent {
  const turns = results.flatMap((content, at) => {
    const id = `toolu_${String(at)}`;
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'ToolSearch', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
    ];
  });
  const messages = [{ role: 'user', content: 'hi' }, ...turns];
  const { body, original } = messagesWire.read({ model: 'x', max_tokens: 9, tools, messages });
  const asked = { request: body, original, extraFields: {}, maxOutputTokens: 9 };
  return toSentBody(asked, { ...USUAL_SPEECH, wire }).fields as unknown as Sent;
}

const resultsOf = ({ messages }: Sent): unknown[] =>
  messages.flatMap(({ content }) =>
    (Array.isArray(content) ? (content as { type: string; content: unknown }[]) : [])
      .filter(({ type }) => type === 'tool_result')
      .map((block) => block.content),
  );

it('a Messages server gets a found tool as a reference and its definition deferred', () => {
  const sent = sentTo('messages', [search, sql], [found('sql')]);
  expect(resultsOf(sent)).toEqual([[found('sql')]]);
  expect(sent.tools).toEqual([search, sql]);
});

it('a tool found twice is named in words the second time: its definition is held once', () => {
  const sent = sentTo('messages', [search, sql], [found('sql')], [found('sql')]);
  expect(resultsOf(sent)).toEqual([[found('sql')], [told('sql')]]);
  expect(resultsOf(sentTo('messages', [search, sql], [found('sql'), found('sql')]))).toEqual([
    [told('sql'), told('sql')],
  ]);
});

it.each<[string, object[], object[]]>([
  ['that the request does not have', [search, sql], [found('gone')]],
  ['beside a text', [search, sql], [{ type: 'text', text: 'Here.' }, found('sql')]],
])('a found tool %s is named in words', (_which, tools, content) => {
  const [result] = resultsOf(sentTo('messages', tools, content)) as [object[]];
  expect(result.map((block) => (block as { type: string }).type)).toEqual(content.map(() => 'text'));
});

it.each<[string, object[]]>([
  ['all tools are deferred', [sql]],
  [
    'the search is one that the server would run',
    [search, sql, { type: 'tool_search_tool_regex', name: 'tool_search_tool_regex' }],
  ],
])('nothing is deferred if %s: no search could find it', (_why, tools) => {
  const sent = sentTo('messages', tools, [found('sql')]);
  expect(sent.tools.map((tool) => tool['defer_loading'])).toEqual(sent.tools.map(() => undefined));
  expect(resultsOf(sent)).toEqual([[told('sql')]]);
});

it('a chat server gets the found tool in words, and its definition', () => {
  const sent = sentTo('chat', [search, sql], [found('sql')]);
  expect(sent.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Tool found: sql' });
  expect(sent.tools.map((tool) => (tool['function'] as { name: string }).name)).toEqual([
    'ToolSearch',
    'sql',
  ]);
});
