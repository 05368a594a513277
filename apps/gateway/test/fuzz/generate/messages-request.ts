import fc from 'fast-check';
import { limitNamed, model, text } from './chat-request';

const use = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bern' } };
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: '18', is_error: false };
const cache_control = { type: 'ephemeral' };

const message = fc.oneof(
  { arbitrary: fc.record({ role: fc.constantFrom('user', 'assistant'), content: text }), weight: 6 },
  {
    arbitrary: text.map((said) => ({ role: 'user', content: [{ type: 'text', text: said, cache_control }] })),
    weight: 2,
  },
  {
    arbitrary: fc.constantFrom(
      { role: 'assistant', content: [use] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: '' }] },
      { role: 'user', content: [result] },
      { role: 'user', content: [] },
    ),
    weight: 2,
  },
);

const tools = [
  { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } },
];

/** Fields that go together, so that the request stays valid. */
const further = fc.oneof(
  { arbitrary: fc.constant({}), weight: 8 },
  fc.constantFrom(
    { tools },
    { tools, tool_choice: { type: 'any' } },
    { tools, tool_choice: { type: 'none' } },
  ),
  fc.constantFrom({ system: 'Be brief.' }, { system: [{ type: 'text', text: 'Be kind.', cache_control }] }),
  fc.constantFrom(
    { stop_sequences: ['the'] },
    { temperature: 0.5 },
    { top_k: 5 },
    { metadata: { user_id: 'ada' } },
  ),
  fc.constantFrom(
    { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    { thinking: { type: 'adaptive' } },
  ),
  fc.constantFrom(
    { context_management: {} },
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  ),
);

const streaming = fc.constantFrom({}, { stream: false }, { stream: true });

/** A valid request for a message with any model; a few leave out the required limit. */
export const messagesRequest = fc
  .tuple(
    model,
    fc.array(message, { minLength: 1, maxLength: 3 }),
    limitNamed('max_tokens'),
    streaming,
    further,
  )
  .map(([asked, messages, ...fields]) => ({
    model: asked,
    messages,
    ...(Object.assign({}, ...fields) as object),
  }));
