import type { ChatCompletionRequest } from '@farebox/api';
import { ApiError } from '@farebox/errors';
import { responsesWire } from './responses-wire';

const model = 'echo';
const read = (fields: object) => responsesWire.read({ model, input: 'Hi', ...fields });
const toChat = (fields: object): ChatCompletionRequest => read(fields).body;
const messagesOf = (...input: object[]) => toChat({ input }).messages;
const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' });
const output = (call_id: string, said: unknown = 'seen') => ({
  type: 'function_call_output',
  call_id,
  output: said,
});
const reasoning = (text: string) => ({
  type: 'reasoning',
  id: 'rs_1_0',
  summary: [],
  content: [{ type: 'reasoning_text', text }],
  encrypted_content: 'gAAA',
});
const user = { role: 'user', content: 'Hi' };
const look = { type: 'function', name: 'look', parameters: { type: 'object' }, strict: true };

describe('a request field', () => {
  it('has another name than in chat', () => {
    const schema = { type: 'object', properties: {} };
    expect(
      toChat({
        max_output_tokens: 20,
        temperature: 0.5,
        top_p: 0.9,
        presence_penalty: 1,
        frequency_penalty: -1,
        reasoning: { effort: 'low', summary: 'auto' },
        text: { format: { type: 'json_schema', name: 'city', schema, strict: true }, verbosity: 'low' },
        include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
        top_logprobs: 3,
        stream: true,
      }),
    ).toMatchObject({
      model,
      max_completion_tokens: 20,
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: 1,
      frequency_penalty: -1,
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'city', schema, strict: true } },
      logprobs: true,
      top_logprobs: 3,
      stream: true,
    });
  });

  it.each([{}, { top_logprobs: 0 }])('asks for no log probabilities with %j', (fields) => {
    expect(toChat(fields)).not.toHaveProperty('logprobs');
  });

  it('names the end user, if a client does', () => {
    expect(toChat({ user: 'me' })).toMatchObject({ user: 'me' });
  });

  it('names the conversation for a prompt cache', () => {
    expect(toChat({ prompt_cache_key: 'k' })).toMatchObject({ prompt_cache_key: 'k' });
  });

  it.each([
    { store: true, background: false, previous_response_id: null, conversation: null, prompt: null },
    {
      metadata: { a: 'b' },
      safety_identifier: 'me',
      service_tier: 'auto',
    },
    { truncation: 'auto', max_tool_calls: 3, stream_options: null, client_metadata: { a: 1 } },
    { tools: [], tool_choice: 'auto', parallel_tool_calls: false },
    { tools: null, tool_choice: null, text: null, reasoning: null, include: null, metadata: null },
  ])('has no effect and is not reported as unknown: %j', (fields) => {
    const { body, unknown } = read(fields);
    expect(body).toEqual({ ...read({}).body, stream: undefined });
    expect([...unknown.own.keys(), ...unknown.inner]).toEqual([]);
  });
});

describe('tools', () => {
  it('become functions of chat, including those with text input', () => {
    const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' };
    const patch = { type: 'custom', name: 'patch', description: 'Edits.', format: grammar };
    const { tools, tool_choice, parallel_tool_calls } = toChat({
      tools: [look, patch],
      tool_choice: { type: 'custom', name: 'patch' },
      parallel_tool_calls: false,
    });
    expect(tools?.[0]).toEqual({
      type: 'function',
      function: { name: 'look', parameters: { type: 'object' }, strict: true },
    });
    expect(tools?.[1]?.function).toMatchObject({
      name: 'patch',
      description: 'Edits.\n\nThe input must match this grammar (lark):\nstart: "x"',
      parameters: { properties: { input: { type: 'string' } }, required: ['input'] },
    });
    expect(tool_choice).toEqual({ type: 'function', function: { name: 'patch' } });
    expect(parallel_tool_calls).toBe(false);
  });

  it('get back the input and the output of a custom tool', () => {
    const custom = { type: 'custom_tool_call', call_id: 'call_a', name: 'patch', input: 'x"y' };
    expect(
      messagesOf(custom, { type: 'custom_tool_call_output', call_id: 'call_a', output: 'done' }),
    ).toEqual([
      {
        role: 'assistant',
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'patch', arguments: '{"input":"x\\"y"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_a', content: 'done' },
    ]);
  });

  it('are limited to the allowed ones', () => {
    const other = { ...look, name: 'other' };
    const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look' }] };
    const { tools, tool_choice } = toChat({ tools: [look, other], tool_choice: allowed });
    expect(tools?.map((tool) => tool.function.name)).toEqual(['look']);
    expect(tool_choice).toBe('required');
  });

  const words = {
    type: 'namespace',
    name: 'mcp__words',
    description: 'Words.',
    tools: [look, { type: 'mcp' }],
  };

  it('of a namespace have its name before their own, also in the conversation', () => {
    const { body, unknown } = read({
      tools: [look, words],
      tool_choice: 'required',
      input: [{ ...call('call_a'), namespace: 'mcp__words' }, output('call_a')],
    });
    expect(body.tools?.map((tool) => tool.function.name)).toEqual(['look', 'mcp__words__look']);
    expect(body.messages[0]).toMatchObject({ tool_calls: [{ function: { name: 'mcp__words__look' } }] });
    expect(unknown.inner).toEqual(['tools.mcp']);
  });

  it('with long names stay distinct', () => {
    const tools = [{ ...words, name: 'n'.repeat(60), tools: [look, { ...look, name: 'lookup' }] }];
    const names = toChat({ tools }).tools?.map((tool) => tool.function.name) ?? [];
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^n{55}_[0-9a-f]{8}$/);
  });

  it('that OpenAI runs are left out, as are their traces in the conversation, and named', () => {
    const { body, unknown } = read({
      tools: [{ type: 'web_search', search_context_size: 'low' }, { type: 'mcp', server_label: 'x' }, look],
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: {} },
        { type: 'item_reference', id: 'rs_1_0' },
      ],
    });
    expect(body.tools).toHaveLength(1);
    expect(body.messages).toHaveLength(1);
    expect(unknown.inner).toEqual([
      'tools.web_search',
      'tools.mcp',
      'input.web_search_call',
      'input.item_reference',
    ]);
  });

  it('leave out and name a result without its call', () => {
    const { body, unknown } = read({
      tools: [{ type: 'shell' }],
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'shell_call_output', call_id: 'c1', output: [null] },
        { type: 'shell_call', call_id: 'c2', action: { commands: ['ls'] } },
        { type: 'shell_call_output', call_id: 'c2', output: [] },
      ],
    });
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(unknown.inner).toEqual(['input.shell_call_output']);
  });

  it.each<unknown>([
    { type: 'web_search' },
    'required',
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search' }] },
  ])('leave out and name a choice of a tool that is left out: %j', (tool_choice) => {
    const { body, unknown } = read({ tools: [{ type: 'web_search' }], tool_choice });
    expect(body).not.toHaveProperty('tool_choice');
    expect(unknown.inner).toEqual(['tools.web_search', 'tool_choice']);
  });

  it('leave out and name unknown items and parts', () => {
    const strange = { type: 'of_tomorrow', encrypted_content: 'gAAA' };
    const input = [
      user,
      { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' },
      { type: 'compaction_trigger' },
      { type: 'message', role: 'assistant', content: [strange, { type: 'output_text', text: 'Hm.' }] },
      call('a'),
      output('a', [strange, { type: 'input_text', text: 'seen' }]),
    ];
    const { body, unknown } = read({ input });
    expect(body.messages).toMatchObject([
      user,
      { role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] },
      { role: 'tool', content: 'seen' },
    ]);
    expect(unknown.inner).toEqual(
      expect.arrayContaining([
        ...['input.compaction', 'input.compaction_trigger'],
        ...['input.content.of_tomorrow', 'input.output.of_tomorrow'],
      ]),
    );
  });

  it.each(['additional_tools', 'tool_search_output'])('reach the model from %s too', (type) => {
    const custom = { type: 'custom', name: 'exec', format: { type: 'text' } };
    const brought = { type, id: 'at_1', tools: [{ ...words, name: 'functions', tools: [custom] }, look] };
    const { body, unknown, writer } = read({
      tools: [look],
      tool_choice: { type: 'function', name: 'look' },
      input: [brought, user, brought],
    });
    expect(body.tools?.map((tool) => tool.function.name)).toEqual(['look', 'functions__exec']);
    expect(body.messages).toEqual([user]);
    expect(unknown.inner).toEqual([]);
    const message = {
      role: 'assistant' as const,
      content: null,
      refusal: null,
      tool_calls: [
        {
          id: 'a',
          type: 'function' as const,
          function: { name: 'functions__exec', arguments: '{"input":"ls"}' },
        },
      ],
    };
    const choice = { index: 0, message, logprobs: null, finish_reason: 'tool_calls' as const };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: '0.000000000' };
    const of = { id: 'chatcmpl-1', created: 1, model };
    expect(JSON.parse(writer.toWhole(of, [choice], usage) as string)).toMatchObject({
      output: [{ type: 'custom_tool_call', namespace: 'functions', name: 'exec', input: 'ls' }],
    });
  });

  it('leave no choice if none is left', () => {
    const { body } = read({
      tools: [{ type: 'web_search' }],
      tool_choice: 'auto',
      parallel_tool_calls: true,
    });
    for (const field of ['tools', 'tool_choice', 'parallel_tool_calls'])
      expect(body).not.toHaveProperty(field);
  });
});

it('names unknown fields', () => {
  const { own, inner } = read({
    top_k: 3,
    context_management: [],
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi', prompt_cache_breakpoint: {} }] }],
    reasoning: { context: 'auto' },
  }).unknown;
  expect([...own.keys()]).toEqual(['top_k', 'context_management']);
  expect(inner).toEqual(['input.content.prompt_cache_breakpoint', 'reasoning.context']);
});

it.each([
  [{ model: undefined }, 'model', 'is required'],
  [{ input: undefined }, 'input', 'must be a text or a list of items'],
  [{ input: [] }, 'input', 'must not be empty'],
  [{ input: [reasoning('Hm.')] }, 'input', 'must have an item that a model can receive'],
  [
    { input: [{ type: 'compaction', encrypted_content: 'x' }] },
    'input',
    'must have an item that a model can receive',
  ],
  [
    { input: [{ ...user, content: [{ type: 'input_image', file_id: 'f' }] }] },
    'input[0].content[0].file_id',
    'nothing is stored',
  ],
  [
    { input: [{ ...user, content: [{ type: 'input_file', file_url: 'https://a.b/c' }] }] },
    'input[0].content[0].file_url',
    'send file_data',
  ],
  [
    { input: [{ ...user, content: [{ type: 'input_image', image_url: 'http://10.0.0.1/' }] }] },
    'input[0].content[0].image_url',
    'must be an https URL',
  ],
  [{ input: [{ type: 'function_call', name: 'look', arguments: '{}' }] }, 'input[0].call_id', 'is required'],
  [{ previous_response_id: 'resp_1' }, 'previous_response_id', 'no response is stored'],
  [{ conversation: 'conv_1' }, 'conversation', 'no conversation is stored'],
  [{ prompt: { id: 'pmpt_1' } }, 'prompt', 'no prompt is stored'],
  [{ background: true }, 'background', 'may only be false'],
  [{ moderation: { model: 'x' } }, 'moderation', 'is not served'],
  [{ max_output_tokens: 0 }, 'max_output_tokens', 'must be at least 1'],
  [{ temperature: 3 }, 'temperature', 'must be at most 2'],
  [{ tool_choice: 'required' }, 'tool_choice', 'goes with tools'],
  [{ tool_choice: { type: 'function', name: 'x' }, tools: [look] }, 'tool_choice.name', 'one of the tools'],
  [{ tools: [{ ...look, name: 'no spaces' }] }, 'tools[0].name', 'letters'],
  [{ tools: [{ ...look, parameters: { $ref: 'https://a.b' } }] }, 'tools[0].parameters', '"$ref"'],
  [{ text: { format: { type: 'json_schema' } } }, 'text.format.name', 'is required'],
  [{ reasoning: { effort: 'huge' } }, 'reasoning.effort', 'must be one of'],
])('refuses %j', (fields, param, words) => {
  let thrown: unknown;
  try {
    read(fields);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ApiError);
  const error = thrown as ApiError;
  expect([error.code, error.param]).toEqual(['invalid_request_error', param]);
  expect(error.publicMessage).toContain(words);
});

it('names chat fields in its own words', () => {
  const error = new ApiError('invalid_request_error', { param: 'messages', message: 'Too long.' });
  expect(responsesWire.toErrorBody(error, 'req_1')).toEqual({
    error: {
      type: 'invalid_request_error',
      code: 'invalid_request_error',
      param: 'input',
      message: 'Too long.',
    },
  });
});
