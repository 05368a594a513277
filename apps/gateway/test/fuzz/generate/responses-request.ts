import fc from 'fast-check';
import { limitNamed, model, text } from './chat-request';

const call = { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{}' };
const parts = fc.array(fc.record({ type: fc.constant('input_text'), text }), { minLength: 1, maxLength: 3 });

const item = fc.oneof(
  {
    arbitrary: fc.record({
      role: fc.constantFrom('user', 'system', 'developer'),
      content: fc.oneof(text, parts),
    }),
    weight: 6,
  },
  {
    arbitrary: text.map((said) => ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: said, annotations: [] }],
    })),
    weight: 1,
  },
  { arbitrary: fc.constant(call), weight: 1 },
  { arbitrary: fc.constant({ type: 'function_call_output', call_id: 'call_1', output: '18' }), weight: 1 },
  {
    arbitrary: text.map((said) => ({ type: 'reasoning', summary: [{ type: 'summary_text', text: said }] })),
    weight: 1,
  },
  {
    arbitrary: fc.constantFrom(
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'item_reference', id: 'rs_1' },
      { type: 'item_reference', id: 'msg_1' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: 'x' },
      { type: 'compaction', encrypted_content: 'x' },
    ),
    weight: 1,
  },
);

const input = fc.oneof(text, fc.array(item, { minLength: 1, maxLength: 4 }));

const parameters = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };
const tools = [
  { type: 'function', name: 'weather', parameters },
  { type: 'custom', name: 'patch' },
  { type: 'web_search' },
];

/** Fields that go together, so that the request stays valid. */
const further = fc.oneof(
  { arbitrary: fc.constant({}), weight: 8 },
  fc.constantFrom(
    { tools },
    { tools, tool_choice: 'required' },
    { tools, tool_choice: { type: 'custom', name: 'patch' } },
  ),
  fc.constantFrom(
    { include: ['message.output_text.logprobs'] },
    { top_logprobs: 3 },
    { instructions: 'Be brief.' },
  ),
  fc.constantFrom(
    { text: { format: { type: 'json_object' } } },
    { text: { format: { type: 'json_schema', name: 'a', schema: parameters } } },
  ),
  fc.constantFrom(
    { reasoning: { effort: 'low', summary: 'auto' } },
    { metadata: { a: 'b' } },
    { store: true },
  ),
  fc.constantFrom({ previous_response_id: 'resp_1' }, { background: true }, { conversation: null }),
);

const streaming = fc.constantFrom({}, { stream: false }, { stream: true });

/** A request for a response that is valid except for its model and unsupported parts. */
export const responsesRequest = fc
  .tuple(model, input, limitNamed('max_output_tokens'), streaming, further)
  .map(([asked, said, ...fields]) => ({
    model: asked,
    input: said,
    ...(Object.assign({}, ...fields) as object),
  }));
