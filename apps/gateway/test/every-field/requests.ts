import fc from 'fast-check';

// Requests that use every field available to a client, with distinct texts and names.

const odd = fc.string({ unit: 'grapheme', maxLength: 8 });
const said = fc.tuple(fc.nat(999_999), odd).map(([number, text]) => `s${String(number)} ${text}`);
const word = fc.nat(999_999).map((number) => `w${String(number)}`);
const data = fc.dictionary(
  said,
  fc.oneof(said, fc.array(said, { maxLength: 2 }), fc.dictionary(said, said, { maxKeys: 2 })),
  { maxKeys: 3 },
);
/** The data of every image and file. */
export const PNG = 'iVBORw0KGgo=';
const address = word.map((name) => `https://example.com/${name}.png`);
const list = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 3 });

/** All of these fields, or some of them. */
const some = (fields: Record<string, fc.Arbitrary<unknown>>, required: string[] = []): fc.Arbitrary<object> =>
  fc.record(fields, { requiredKeys: required });
const of = (fixed: object, fields: Record<string, fc.Arbitrary<unknown>>, optional: string[] = []) =>
  some(
    fields,
    Object.keys(fields).filter((name) => !optional.includes(name)),
  ).map((more) => ({ ...fixed, ...more }));

const calls = list(
  fc.oneof(
    of({ type: 'function' }, { id: word, function: fc.record({ name: word, arguments: said }) }),
    of({ type: 'custom' }, { id: said, custom: fc.record({ name: word, input: said }) }),
  ),
);
const text = of({ type: 'text' }, { text: said });
const textOrParts = fc.oneof(said, list(text));

const shown = fc.oneof(
  text,
  of({ type: 'image_url' }, { image_url: fc.record({ url: address, detail: fc.constant('low') }) }),
  of(
    { type: 'file' },
    {
      file: some({ file_data: fc.constant(`data:application/pdf;base64,${PNG}`), filename: said }, [
        'file_data',
      ]),
    },
  ),
);

const chatMessage = fc.oneof(
  fc
    .constantFrom('system', 'developer')
    .chain((role) => of({ role }, { content: textOrParts, name: word }, ['name'])),
  of(
    { role: 'user' },
    {
      name: word,
      content: fc.oneof(said, list(shown)),
    },
    ['name'],
  ),
  of(
    { role: 'assistant' },
    {
      content: fc.oneof(textOrParts, list(of({ type: 'refusal' }, { refusal: said }))),
      refusal: said,
      reasoning_content: said,
      name: word,
      tool_calls: calls,
      function_call: fc.record({ name: word, arguments: said }),
    },
    ['refusal', 'reasoning_content', 'name', 'tool_calls', 'function_call'],
  ),
  of({ role: 'tool' }, { content: fc.oneof(said, list(shown)), tool_call_id: said, name: word }, ['name']),
  of({ role: 'function' }, { content: said, name: word }),
);

const grammar = of({ type: 'grammar' }, { grammar: of({ syntax: 'lark' }, { definition: said }) });
const FUNCTION = { type: 'function', function: { name: 'chosen' } };
const schema = some({ name: word, description: said, schema: data }, ['name']);

/** `POST /v1/chat/completions`: the fields whose values a client chooses freely, by name. */
export const CHAT_FIELDS: Record<string, fc.Arbitrary<unknown>> = {
  messages: list(chatMessage),
  logit_bias: fc.dictionary(fc.nat(9_999_999).map(String), fc.constant(1)),
  stop: fc.oneof(said, list(said)),
  tools: list(
    fc.oneof(
      of(
        { type: 'function' },
        { function: some({ name: word, description: said, parameters: data }, ['name']) },
      ),
      of({ type: 'custom' }, { custom: some({ name: word, description: said, format: grammar }, ['name']) }),
    ),
  ).map((tools) => [...tools, FUNCTION]),
  tool_choice: fc.constantFrom('auto', FUNCTION, {
    type: 'allowed_tools',
    allowed_tools: { mode: 'required', tools: [FUNCTION] },
  }),
  response_format: of({ type: 'json_schema' }, { json_schema: schema }),
  reasoning_effort: fc.constant('low'),
  user: said,
  metadata: fc.dictionary(word, said, { maxKeys: 3 }),
  service_tier: said,
  prompt_cache_key: said,
  prompt_cache_retention: said,
  prompt_cache_options: fc.dictionary(word, said, { maxKeys: 3 }),
  safety_identifier: said,
  verbosity: fc.constant('low'),
};

const cache_control = fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' });
const cachedText = of({ type: 'text' }, { text: said, cache_control }, ['cache_control']);
const block = fc.oneof(
  cachedText,
  of({ type: 'image' }, { source: address.map((url) => ({ type: 'url', url })), cache_control }, [
    'cache_control',
  ]),
  fc.constant({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }),
  of(
    { type: 'document' },
    {
      source: fc.oneof(
        fc.constant({ type: 'base64', media_type: 'application/pdf', data: PNG }),
        said.map((inside) => ({ type: 'text', media_type: 'text/plain', data: inside })),
        fc.oneof(said, list(cachedText)).map((content) => ({ type: 'content', content })),
      ),
      title: said,
      context: said,
    },
    ['title', 'context'],
  ),
  of({ type: 'search_result' }, { source: said, title: said, content: list(cachedText) }),
);

const FOUND = { name: 'found', input_schema: {}, defer_loading: true };
const resultBlock = fc.oneof(
  block,
  fc.constant({ type: 'tool_reference', tool_name: 'found' }),
  of({ type: 'tool_reference' }, { tool_name: word }),
  fc.constant({ type: 'of_tomorrow' }),
);

const message = fc.oneof(
  of(
    { role: 'user' },
    {
      content: fc.oneof(
        said,
        fc.array(
          fc.oneof(
            block,
            of(
              { type: 'tool_result' },
              { tool_use_id: said, content: fc.oneof(said, list(resultBlock)), is_error: fc.boolean() },
              ['content', 'is_error'],
            ),
          ),
          { maxLength: 3 },
        ),
      ),
    },
  ),
  of(
    { role: 'assistant' },
    {
      content: fc.oneof(
        said,
        fc.array(
          fc.oneof(
            cachedText,
            of({ type: 'thinking' }, { thinking: said, signature: said }, ['signature']),
            of({ type: 'redacted_thinking' }, { data: said }),
            of({ type: 'tool_use' }, { id: word, name: word, input: data }),
            fc.constant({ type: 'server_tool_use' }),
          ),
          { maxLength: 3 },
        ),
      ),
    },
  ),
  of({ role: 'system' }, { content: fc.oneof(said, list(cachedText)) }),
);

const CHOSEN = { name: 'chosen', input_schema: {} };

/** `POST /v1/messages`. */
export const MESSAGES_FIELDS: Record<string, fc.Arbitrary<unknown>> = {
  messages: list(message),
  system: fc.oneof(said, list(cachedText)),
  tools: list(
    of({}, { name: word, description: said, input_schema: data, cache_control }, [
      'description',
      'cache_control',
    ]),
  ).map((tools) => [...tools, CHOSEN, FOUND]),
  tool_choice: fc.constantFrom({ type: 'auto' }, { type: 'tool', name: 'chosen' }),
  thinking: fc.constantFrom(
    { type: 'enabled', budget_tokens: 2_000 },
    { type: 'adaptive', display: 'omitted' },
  ),
  output_config: of(
    {},
    { effort: fc.constant('low'), format: of({ type: 'json_schema' }, { schema: data }) },
    ['effort', 'format'],
  ),
  cache_control,
  stop_sequences: list(said),
  metadata: fc.record({ user_id: said }),
  service_tier: said,
};

const inputText = of({ type: 'input_text' }, { text: said });
const inputParts = fc.oneof(
  said,
  list(
    fc.oneof(
      inputText,
      of({ type: 'input_image' }, { image_url: address }),
      of({ type: 'input_file', file_data: `data:application/pdf;base64,${PNG}` }, { filename: said }, [
        'filename',
      ]),
    ),
  ),
);
const item = fc.oneof(
  of({ role: 'user' }, { content: inputParts }),
  of({ role: 'developer' }, { content: fc.oneof(said, list(inputText)) }),
  of(
    { role: 'assistant' },
    {
      content: list(
        fc.oneof(of({ type: 'output_text' }, { text: said }), of({ type: 'refusal' }, { refusal: said })),
      ),
    },
  ),
  of({ type: 'function_call' }, { call_id: word, name: word, arguments: said, namespace: word }, [
    'namespace',
  ]),
  of({ type: 'custom_tool_call' }, { call_id: word, name: word, input: said }),
  of({ type: 'function_call_output' }, { call_id: word, output: inputParts }),
  of(
    { type: 'reasoning' },
    { summary: list(of({ type: 'summary_text' }, { text: said })), encrypted_content: said },
  ),
);
const responsesTool = fc.oneof(
  of({ type: 'function' }, { name: word, description: said, parameters: data }),
  of(
    { type: 'custom' },
    { name: word, description: said, format: of({ type: 'grammar', syntax: 'lark' }, { definition: said }) },
  ),
);

/** A call of a client-run tool, and its result. */
const clientCall = (name: string, called: fc.Arbitrary<object>, result: fc.Arbitrary<object>) =>
  fc.tuple(word, called, result).map(([call_id, more, output]) => [
    { type: `${name}_call`, call_id, ...more },
    { type: name === 'tool_search' ? 'tool_search_output' : `${name}_call_output`, call_id, ...output },
  ]);
const ownNames = fc.dictionary(word, said, { maxKeys: 3 });
const clientItems = fc.oneof(
  clientCall(
    'local_shell',
    fc.record({ action: fc.record({ command: list(said), env: ownNames, working_directory: said }) }),
    fc.record({ output: said }),
  ),
  clientCall(
    'shell',
    fc.record({ action: fc.record({ commands: list(said) }) }),
    fc.record({ output: list(ownNames) }),
  ),
  clientCall(
    'apply_patch',
    fc.record({ operation: of({ type: 'update_file' }, { path: said, diff: said }) }),
    fc.record({ output: said, status: fc.constantFrom('completed', 'failed') }),
  ),
  clientCall('tool_search', fc.record({ arguments: data }), fc.record({ tools: list(responsesTool) })),
);
const clientTool = fc.oneof(
  fc.constantFrom({ type: 'local_shell' }, { type: 'shell' }, { type: 'apply_patch' }),
  of({ type: 'tool_search', execution: 'client' }, { description: said, parameters: data }),
);
const items = list(
  fc.oneof(
    item.map((one) => [one]),
    clientItems,
  ),
).map((found) => found.flat());

/** `POST /v1/responses`. */
export const RESPONSES_FIELDS: Record<string, fc.Arbitrary<unknown>> = {
  input: fc.oneof(said, items, items),
  instructions: said,
  include: list(said),
  tools: list(
    fc.oneof(
      responsesTool,
      clientTool,
      of({ type: 'namespace' }, { name: word, description: said, tools: list(responsesTool) }),
    ),
  ).map((tools) => [...tools, { type: 'function', name: 'chosen' }]),
  tool_choice: fc.constantFrom('auto', { type: 'function', name: 'chosen' }),
  text: fc.record({
    format: of({ type: 'json_schema' }, { name: word, description: said, schema: data }),
    verbosity: fc.constant('low'),
  }),
  reasoning: fc.constant({ effort: 'low', summary: 'auto' }),
  metadata: fc.dictionary(word, said, { maxKeys: 3 }),
  user: said,
  safety_identifier: said,
  prompt_cache_key: said,
  prompt_cache_retention: said,
  service_tier: said,
  client_metadata: fc.dictionary(word, said, { maxKeys: 3 }),
};

/** `POST /v1/embeddings`. */
export const EMBEDDINGS_FIELDS: Record<string, fc.Arbitrary<unknown>> = {
  input: fc.oneof(said, list(said), fc.constant([1, 2]), fc.constant([[1], [2, 3]])),
  encoding_format: fc.constantFrom('float', 'base64'),
  user: said,
};

/** A field of another vendor, which the model allows. */
const EXTRA = { vendor_field: fc.oneof(said, data, list(said)) };

/** Requests with the required fields and some of the others. */
export const requestOf = (
  fields: Record<string, fc.Arbitrary<unknown>>,
  required: string[],
  fixed: object,
): fc.Arbitrary<object> =>
  some({ ...fields, ...EXTRA }, required).map((asked) => ({ ...fixed, ...tidy(asked) }));

/** A tool choice needs tools. */
function tidy(asked: object): object {
  if (!('tool_choice' in asked) || 'tools' in asked) return asked;
  return { ...asked, tool_choice: undefined };
}
