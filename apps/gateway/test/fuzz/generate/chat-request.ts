import fc from 'fast-check';

/** Models with prompt and valid answers. */
const GOOD = ['echo', 'small', 'plain', 'eyes', 'reasons', 'long', 'failover'];
/** Models with invalid answers, or none. */
const BAD = [
  ...['recovers', 'wrong-usage', 'no-usage', 'breaks', 'ends-early', 'garbage', 'error-midstream', 'html'],
  ...['closes', 'dead', 'refuses-400', 'refuses-401', 'refuses-403', 'refuses-404', 'refuses-422'],
  ...['refuses-429', 'refuses-500', 'refuses-503'],
];
/** Slow models. */
const SLOW = ['slow', 'slow-200', 'slow-5000', 'stalls', 'paced'];
/** Names without a model, models not for sale, and one that only some keys may use. */
const NOT_SERVED = ['off', 'missing', '../x', 'еcho', 'ECHO', 'sim', ''];

export const model = fc.oneof(
  { arbitrary: fc.constantFrom(...GOOD), weight: 28 },
  { arbitrary: fc.constantFrom(...BAD), weight: 10 },
  { arbitrary: fc.constantFrom(...SLOW), weight: 2 },
  { arbitrary: fc.constantFrom(...NOT_SERVED), weight: 2 },
);

export const text = fc.oneof(
  fc.constant('Tell me something.'),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.lorem({ maxCount: 20 }),
);
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
const message = fc.oneof(
  {
    arbitrary: fc.record({ role: fc.constantFrom('user', 'system', 'developer'), content: text }),
    weight: 6,
  },
  { arbitrary: fc.record({ role: fc.constant('assistant'), content: text }), weight: 1 },
  { arbitrary: fc.constant({ role: 'assistant', content: null, tool_calls: [call] }), weight: 1 },
  { arbitrary: fc.constant({ role: 'tool', tool_call_id: 'call_1', content: '18' }), weight: 1 },
  {
    arbitrary: fc.record({
      role: fc.constant('user'),
      content: fc.array(fc.record({ type: fc.constant('text'), text }), { minLength: 1, maxLength: 3 }),
    }),
    weight: 1,
  },
);

const parameters = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };
const tools = [{ type: 'function', function: { name: 'weather', parameters } }];

/** Fields that go together, so that the request stays valid. */
const further = fc.oneof(
  { arbitrary: fc.constant({}), weight: 8 },
  fc.constantFrom({ tools }, { tools, tool_choice: 'required' }, { tools, tool_choice: 'none' }),
  fc.constantFrom({ logprobs: true }, { logprobs: true, top_logprobs: 3 }),
  fc.constantFrom(
    { response_format: { type: 'json_object' } },
    { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: parameters } } },
  ),
  fc.constantFrom({ stop: 'the' }, { stop: ['a', 'b'] }, { seed: 7 }, { n: 3 }, { user: 'ada' }),
  fc.constantFrom({ logit_bias: { 7: 1 } }, { metadata: { a: 'b' } }, { reasoning_effort: 'low' }),
);

const streaming = fc.constantFrom(
  {},
  { stream: false },
  { stream: true },
  { stream: true, stream_options: { include_usage: true } },
);

const limit = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 60 }).map((max_tokens) => ({ max_tokens })), weight: 6 },
  fc.constantFrom({}, { max_completion_tokens: 5 }, { max_tokens: 4_000 }, { max_completion_tokens: 0 }),
);

/** An output limit under another wire's name. */
export const limitNamed = (name: string): fc.Arbitrary<Record<string, number>> =>
  fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 60 }).map((tokens) => ({ [name]: tokens })), weight: 6 },
    fc.constantFrom({}, { [name]: 4_000 }, { [name]: 0 }),
  );

export type ChatRequest = { model: string; messages: object[] } & Record<string, unknown>;

const chatRequestOf = (models: fc.Arbitrary<string>): fc.Arbitrary<ChatRequest> =>
  fc
    .tuple(models, fc.array(message, { minLength: 1, maxLength: 3 }), limit, streaming, further)
    .map(([asked, messages, ...fields]) => ({
      model: asked,
      messages,
      ...(Object.assign({}, ...fields) as object),
    }));

/** A valid request for any model. */
export const chatRequest = chatRequestOf(model);

/** A request that takes long or never ends, for a client that leaves. */
export const longRequest = chatRequestOf(
  fc.constantFrom('huge', 'paced', 'slow-200', 'stalls', 'echo', 'long'),
);

/** A request that is answered token by token, for a second. */
export const pacedStream: fc.Arbitrary<ChatRequest> = fc.constant({
  model: 'paced',
  messages: [{ role: 'user', content: 'Tell me something.' }],
  max_tokens: 50,
  stream: true,
});
