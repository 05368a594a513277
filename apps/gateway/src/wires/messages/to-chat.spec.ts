import { messagesRequest, parseBody } from '@farebox/api';
import { toChatRequest } from './to-chat';

const png = 'iVBORw0KGgo=';
const asked = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
const toChat = (more: object) => toChatRequest(parseBody(messagesRequest, { ...asked, ...more }));
const messagesOf = (...messages: object[]) => toChat({ messages }).messages;

it('makes the system text the first message, in one piece', () => {
  const system = [
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'Be kind.' },
  ];
  expect(toChat({ system }).messages).toEqual([
    { role: 'system', content: 'Be brief.\nBe kind.' },
    { role: 'user', content: 'Hi' },
  ]);
  expect(toChat({ system: 'Be brief.' }).messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
  expect(toChat({ system: [] }).messages).toHaveLength(1);
});

it('accepts images as data and as addresses', () => {
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
    { type: 'image', source: { type: 'url', url: 'https://pictures.farebox.dev/a.png' } },
  ];
  expect(messagesOf({ role: 'user', content })).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        { type: 'image_url', image_url: { url: 'https://pictures.farebox.dev/a.png' } },
      ],
    },
  ]);
});

it('accepts documents: a PDF as a file, texts as texts', () => {
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
  const content = [
    { type: 'document', title: 'Tariff', source: pdf },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Two zones.' } },
    { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Three zones.' }] } },
    {
      type: 'search_result',
      source: 'https://a',
      title: 'Zones',
      content: [{ type: 'text', text: 'Four.' }],
    },
  ];
  const file = { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'Tariff' };
  expect(messagesOf({ role: 'user', content })).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Tariff' },
        { type: 'file', file },
        { type: 'text', text: 'Two zones.' },
        { type: 'text', text: 'Three zones.' },
        { type: 'text', text: 'Zones\nhttps://a\nFour.' },
      ],
    },
  ]);
});

it("keeps a call and its result together, and shows the result's attachments", () => {
  const [call, result] = [
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'clock' } },
    {
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: [
        { type: 'text', text: 'Noon' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      ],
    },
  ];
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
  expect(
    messagesOf(
      { role: 'user', content: 'What time is it?' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'Look.', signature: 's' }, call] },
      { role: 'user', content: [result, { type: 'text', text: 'Well?' }] },
    ),
  ).toEqual([
    { role: 'user', content: 'What time is it?' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'Look.',
      reasoning_details: [{ type: 'reasoning.text', text: 'Look.', signature: 's' }],
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"clock"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Noon' },
    { role: 'user', content: [image, { type: 'text', text: 'Well?' }] },
  ]);
});

it('marks a result as an error, and keeps an empty one', () => {
  const content = [
    { type: 'tool_result', tool_use_id: 'a', content: 'no such file', is_error: true },
    { type: 'tool_result', tool_use_id: 'b' },
  ];
  expect(messagesOf({ role: 'user', content })).toEqual([
    { role: 'tool', tool_call_id: 'a', content: 'Error:\nno such file' },
    { role: 'tool', tool_call_id: 'b', content: '' },
  ]);
});

const tool = { name: 'look', description: 'Looks.', input_schema: { type: 'object' } };

it.each([
  [{ type: 'auto' }, 'auto', undefined],
  [{ type: 'any', disable_parallel_tool_use: true }, 'required', false],
  [{ type: 'none' }, 'none', undefined],
  [{ type: 'tool', name: 'look' }, { type: 'function', function: { name: 'look' } }, undefined],
])('chooses tools by %j', (choice, expected, parallel) => {
  const { tools, tool_choice, parallel_tool_calls } = toChat({ tools: [tool], tool_choice: choice });
  expect(tools).toEqual([
    { type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } },
  ]);
  expect([tool_choice, parallel_tool_calls]).toEqual([expected, parallel]);
});

it('leaves out tools of other services, and a choice of them', () => {
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }];
  const chat = toChat({ tools, tool_choice: { type: 'auto' } });
  expect(chat.tools).toBeUndefined();
  expect(chat.tool_choice).toBeUndefined();
});

it.each([
  [{ type: 'enabled', budget_tokens: 2_000 }, undefined, 'low'],
  [{ type: 'enabled', budget_tokens: 10_000 }, undefined, 'medium'],
  [{ type: 'enabled', budget_tokens: 31_999 }, undefined, 'high'],
  [{ type: 'adaptive' }, { effort: 'max' }, 'max'],
  [{ type: 'adaptive' }, undefined, undefined],
  [{ type: 'disabled' }, { effort: 'max' }, undefined],
])('sets the effort for %j with %j: %s', (thinking, output_config, effort) => {
  expect(toChat({ thinking, ...(output_config && { output_config }) }).reasoning_effort).toBe(effort);
});

it('passes a schema for the response', () => {
  const schema = { type: 'object' };
  expect(toChat({ output_config: { format: { type: 'json_schema', schema } } }).response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'response', schema, strict: true },
  });
});

it('passes on the fields that chat shares', () => {
  const same = { temperature: 0.5, top_p: 0.9, stream: true };
  expect(toChat({ ...same, stop_sequences: ['END'] })).toMatchObject({
    ...same,
    max_tokens: 10,
    stop: ['END'],
  });
});
