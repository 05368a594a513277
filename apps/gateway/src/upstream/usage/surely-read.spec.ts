import { surelyRead } from './surely-read';

const thought = { type: 'thinking', thinking: 'why', signature: 's' };

it.each<[string, object, string[]]>([
  ['a text', { messages: [{ role: 'user', content: 'one' }] }, ['one']],
  [
    'parts',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'one' },
            { type: 'text', text: 'two' },
          ],
        },
      ],
    },
    ['one', 'two'],
  ],
  ['a result of a tool', { messages: [{ role: 'tool', tool_call_id: 'c', content: 'sunny' }] }, ['sunny']],
  [
    'instructions and a result of messages',
    {
      system: [{ type: 'text', text: 'be brief' }],
      messages: [
        {
          role: 'assistant',
          content: [thought, { type: 'tool_use', id: 't', name: 'f', input: { a: 'b' } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'sunny' }] }],
        },
      ],
    },
    ['be brief', 'sunny'],
  ],
  [
    'items',
    {
      instructions: 'be brief',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] },
        { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'why' }] },
        { type: 'function_call_output', call_id: 'c', output: 'sunny' },
      ],
      truncation: 'disabled',
    },
    ['be brief', 'one', 'sunny'],
  ],
  ['a text of its own', { input: 'one' }, ['one']],
])('%s is read by every server', (_what, body, texts) => {
  expect(surelyRead(body as Record<string, unknown>)).toEqual(texts);
});

it.each<[string, object]>([
  ['thoughts', { role: 'assistant', content: [thought] }],
  ['thoughts beside the content', { role: 'assistant', content: '', reasoning_content: 'why' }],
  ['thoughts within it', { role: 'assistant', content: '<think>why</think>one' }],
  [
    'calls of tools',
    { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{"a":"b"}' } }] },
  ],
  [
    'images',
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
  ],
  ['a name', { role: 'user', name: 'ada', content: '' }],
])('%s may be left out by a template', (_what, message) => {
  expect(surelyRead({ messages: [message], tools: [{ function: { description: 'd' } }] }).join('')).toBe('');
});

it.each([
  { truncation: 'auto' },
  { context_management: {} },
  { truncate_prompt_tokens: 5 },
  { transforms: ['middle-out'] },
])('with %j nothing is certain', (field) => {
  expect(surelyRead({ messages: [{ role: 'user', content: 'one' }], ...field })).toEqual([]);
});
