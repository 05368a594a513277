import { chatWire } from './chat-wire';

const read = (fields: object) =>
  chatWire.read({ model: 'x', messages: [{ role: 'user', content: 'hi' }], ...fields });

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const image = { type: 'image_url', image_url: { url: PNG } };
const call = (id: string) => ({ id, type: 'function', function: { name: 'shot', arguments: '{}' } });
const result = (tool_call_id: string, content: unknown) => ({ role: 'tool', tool_call_id, content });

describe('attachments in tool results', () => {
  it('are shown by a user message after all results', () => {
    const { body } = read({
      messages: [
        { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
        result('a', [{ type: 'text', text: 'done' }, image]),
        result('b', [image]),
        { role: 'user', content: 'And?' },
      ],
    });
    expect(body.messages.slice(1)).toEqual([
      result('a', [{ type: 'text', text: 'done' }]),
      result('b', 'The output is attached to the next message of the user.'),
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attached to the output of a:' },
          image,
          { type: 'text', text: 'Attached to the output of b:' },
          image,
        ],
      },
      { role: 'user', content: 'And?' },
    ]);
  });

  it('are shown by a user message at the end, if the results come last', () => {
    const { body } = read({
      messages: [{ role: 'assistant', content: null, tool_calls: [call('a')] }, result('a', [image])],
    });
    expect(body.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
  });
});

const SHELL = { name: 'sh', description: 'Runs it.' };
const custom = { type: 'custom', custom: SHELL };
const look = { type: 'function', function: { name: 'look' } };

describe('a custom tool', () => {
  it('is sent to a model as a function with one text', () => {
    const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } };
    const { body } = read({
      tools: [{ type: 'custom', custom: { ...SHELL, format } }],
      tool_choice: { type: 'custom', custom: { name: 'sh' } },
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'sh', input: 'ls' } }],
        },
        result('a', 'x'),
      ],
    });
    expect(body.tools).toMatchObject([
      {
        type: 'function',
        function: {
          name: 'sh',
          description: 'Runs it.\n\nThe input must match this grammar (lark):\nstart: "a"',
          parameters: { required: ['input'] },
        },
      },
    ]);
    expect(body.tool_choice).toEqual({ type: 'function', function: { name: 'sh' } });
    expect(body.messages[0]).toMatchObject({
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'sh', arguments: '{"input":"ls"}' } }],
    });
  });

  const of = { id: 'chatcmpl-1', created: 1, model: 'x' };

  it('is called under its own name and form', () => {
    const { writer } = read({ tools: [custom, look] });
    const called = [
      { id: 'a', type: 'function' as const, function: { name: 'sh', arguments: '{"input":"ls"}' } },
      { id: 'b', type: 'function' as const, function: { name: 'look', arguments: '{}' } },
    ];
    const message = { role: 'assistant' as const, content: null, refusal: null, tool_calls: called };
    const choice = { index: 0, message, logprobs: null, finish_reason: 'tool_calls' as const };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: '0.000000000' };
    expect(JSON.parse(writer.toWhole(of, [choice], usage) as string)).toMatchObject({
      choices: [
        {
          message: {
            tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'sh', input: 'ls' } }, called[1]],
          },
        },
      ],
    });
  });

  it('gets its input at the end of a stream, in one piece', () => {
    const { writer } = read({ tools: [custom, look] });
    const piece = (tool_calls: object[], finish_reason: string | null = null): unknown => {
      const choices = [{ index: 0, delta: { tool_calls }, finish_reason }] as never;
      const event = writer.toChunk(of, choices).slice('data: '.length);
      return (JSON.parse(event) as { choices: { delta: unknown }[] }).choices[0]?.delta;
    };
    const first = { index: 0, id: 'a', type: 'function', function: { name: 'sh', arguments: '{"input"' } };
    const other = { index: 1, id: 'b', type: 'function', function: { name: 'look', arguments: '{}' } };
    expect(piece([first])).toEqual({
      tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'sh', input: '' } }],
    });
    expect(piece([other])).toEqual({ tool_calls: [other] });
    expect(piece([{ index: 0, function: { arguments: ':"ls"}' } }])).toEqual({});
    expect(piece([], 'tool_calls')).toEqual({ tool_calls: [{ index: 0, custom: { input: 'ls' } }] });
  });
});

describe('a tool choice', () => {
  it('of allowed tools leaves out the others', () => {
    const allowed_tools = { mode: 'required', tools: [{ type: 'custom', custom: { name: 'sh' } }] };
    const { body } = read({ tools: [custom, look], tool_choice: { type: 'allowed_tools', allowed_tools } });
    expect(body.tools?.map((tool) => tool.function.name)).toEqual(['sh']);
    expect(body.tool_choice).toBe('required');
  });

  it.each([
    { type: 'custom', custom: { name: 'look' } },
    {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'no' } }] },
    },
  ])('of a tool that is not in the request is refused: %j', (tool_choice) => {
    const refusal = { publicMessage: expect.stringContaining('must be one of the tools') as string };
    expect(() => read({ tools: [custom, look], tool_choice })).toThrow(
      expect.objectContaining(refusal) as Error,
    );
  });
});

describe('a tool that another service would run', () => {
  const search = { type: 'web_search', filters: {} };

  it('is left out and named, as is a choice of it', () => {
    const { body, unknown } = read({ tools: [search, look], tool_choice: { type: 'web_search' } });
    expect(body.tools).toEqual([look]);
    expect(body.tool_choice).toBeUndefined();
    expect(unknown.inner).toEqual(['tools.web_search', 'tool_choice']);
  });

  it('leaves no tool choice if it is the only tool', () => {
    const { body, unknown } = read({ tools: [search], tool_choice: 'required' });
    expect([body.tools, body.tool_choice]).toEqual([[], undefined]);
    expect(unknown.inner).toEqual(['tools.web_search', 'tool_choice']);
  });
});
