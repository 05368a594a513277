import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, streamText, type ToolSet } from 'ai';
import {
  sendJson,
  startRoutesHarness,
  type RouteRequest,
  type RoutesHarness,
} from '../../test/routes-harness';

// OpenAI's client-run tools stay as they are for a Responses server and become functions for any other.

let harness: RoutesHarness;
let asked: RouteRequest[] = [];
let secret: string;
beforeAll(async () => {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  harness = await startRoutesHarness(
    [
      { id: 'native', routes: [{ upstream: 'a', model: 'm' }] },
      { id: 'chat', routes: [{ upstream: 'b', model: 'm' }] },
    ],
    { upstreams: { a: { wire: 'responses' } } },
  );
  ({ secret } = await harness.givenKey());
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const usage = { input_tokens: 10, output_tokens: 12, total_tokens: 22 };
const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] };

/** The Responses server first calls the tool and then writes a text. */
function answerNatively(call: object): void {
  harness.answer('a/m', (res, request) => {
    asked.push(request);
    const items = request['input'] as { type?: string }[];
    const item = items.some(({ type }) => type?.endsWith('_output')) ? said : call;
    const response = { status: 'completed', output: [item], usage };
    if (!request.stream) {
      sendJson(res, 200, response);
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [
      { type: 'response.created', response: { status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ])
      res.write(`data: ${JSON.stringify(event)}\n\n`);
    res.end();
  });
}

/** The chat server does the same with functions. */
function answerInChat(name: string, args: object): void {
  harness.answer('b/m', (res, request) => {
    asked.push(request);
    const isAnswered = request.messages.some(({ role }) => role === 'tool');
    const call = { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } };
    const message = isAnswered
      ? { role: 'assistant', content: 'Done.' }
      : { role: 'assistant', content: null, tool_calls: [call] };
    const ended = { index: 0, finish_reason: isAnswered ? 'stop' : 'tool_calls' };
    const counts = { prompt_tokens: 10, completion_tokens: 12 };
    if (!request.stream) {
      sendJson(res, 200, { choices: [{ ...ended, message }], usage: counts });
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const { tool_calls: calls, ...others } = message as { tool_calls?: object[] };
    const delta = { ...others, ...(calls && { tool_calls: calls.map((one) => ({ index: 0, ...one })) }) };
    res.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
    res.write(`data: ${JSON.stringify({ choices: [{ ...ended, delta: {} }], usage: counts })}\n\n`);
    res.end('data: [DONE]\n\n');
  });
}

const exec = { type: 'exec', command: ['ls', '-l'], env: {} };
const operation = { type: 'update_file', path: 'a.txt', diff: '@@\n-a\n+b' };
const outcome = { type: 'exit', exit_code: 0 };

/** The arguments of each tool, as item and as function, and its result. */
const TOOLS = [
  {
    name: 'local_shell',
    call: { type: 'local_shell_call', call_id: 'call_1', status: 'completed', action: exec },
    args: { command: ['ls', '-l'] },
    result: { type: 'local_shell_call_output', output: 'a.txt' },
    said: 'a.txt',
  },
  {
    name: 'shell',
    call: {
      type: 'shell_call',
      call_id: 'call_1',
      status: 'completed',
      action: { commands: ['ls'], timeout_ms: 1_000, max_output_length: null },
    },
    args: { commands: ['ls'], timeout_ms: 1_000 },
    result: { type: 'shell_call_output', output: [{ stdout: 'a.txt', stderr: '', outcome }] },
    said: '[{"stdout":"a.txt"',
  },
  {
    name: 'apply_patch',
    call: { type: 'apply_patch_call', call_id: 'call_1', status: 'completed', operation },
    args: operation,
    result: { type: 'apply_patch_call_output', status: 'completed', output: 'ok' },
    said: 'ok',
  },
];

async function runWith(model: 'native' | 'chat', isStreamed: boolean, ran: unknown[]): Promise<string> {
  const openai = createOpenAI({ baseURL: `${harness.url}/v1`, apiKey: secret });
  const run =
    <Output>(output: Output) =>
    (input: unknown): Output => {
      ran.push(input);
      return output;
    };
  const options = {
    model: openai.responses(model),
    prompt: 'Go.',
    stopWhen: stepCountIs(3),
    // The SDK's types do not allow the optional fields used here.
    tools: {
      local_shell: openai.tools.localShell({ execute: run({ output: 'a.txt' }) }),
      shell: openai.tools.shell({
        execute: run({
          output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit' as const, exitCode: 0 } }],
        }),
      }),
      apply_patch: openai.tools.applyPatch({ execute: run({ status: 'completed' as const, output: 'ok' }) }),
    } as unknown as ToolSet,
  };
  if (!isStreamed) return (await generateText(options)).text;
  return streamText({
    ...options,
    onError: ({ error }) => {
      throw error;
    },
  }).text;
}

describe.each(TOOLS)('$name', ({ name, call, args, result, said: told }) => {
  it.each([false, true])(
    'is passed on, and works in a loop of the AI SDK (streamed: %s)',
    async (isStreamed) => {
      answerNatively({ id: 'x_1', ...call });
      const ran: unknown[] = [];
      expect(await runWith('native', isStreamed, ran)).toBe('Done.');
      expect(ran).toHaveLength(1);
      const [first, second] = asked;
      expect(first?.['tools']).toEqual([{ type: 'local_shell' }, { type: 'shell' }, { type: 'apply_patch' }]);
      const [, sentCall, sentResult] = second?.['input'] as Record<string, unknown>[];
      // The service gave it this id.
      const { call_id } = sentCall ?? {};
      expect(sentCall).toMatchObject({ ...call, call_id });
      expect(sentResult).toEqual({ ...result, call_id });
    },
  );

  it.each([false, true])('becomes a function for other servers (streamed: %s)', async (isStreamed) => {
    answerInChat(name, args);
    const ran: unknown[] = [];
    expect(await runWith('chat', isStreamed, ran)).toBe('Done.');
    expect(ran).toHaveLength(1);
    const [first, second] = asked;
    const names = (first?.['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(names).toEqual(['local_shell', 'shell', 'apply_patch']);
    const [, calling, answered] = second?.messages ?? [];
    expect(calling).toMatchObject({ tool_calls: [{ function: { name } }] });
    expect(answered).toMatchObject({ role: 'tool', content: expect.stringContaining(told) as string });
  });
});

describe('a choice', () => {
  const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };
  const tools = [{ type: 'shell' }, { type: 'apply_patch' }, { type: 'local_shell' }, look];
  const choose = async (model: string, tool_choice: object) => {
    const response = await fetch(`${harness.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, input: 'Go.', tools, tool_choice }),
    });
    expect(response.status).toBe(200);
    const { tool_choice: told } = (await response.json()) as { tool_choice: unknown };
    return { told, left: response.headers.get('x-ignored-fields'), sent: asked.at(-1) };
  };
  beforeEach(() => {
    answerNatively(said);
    answerInChat('look', {});
  });

  it.each(['shell', 'apply_patch'])('of %s reaches every server', async (type) => {
    const native = await choose('native', { type });
    expect(native).toMatchObject({ told: { type }, left: null, sent: { tool_choice: { type } } });
    const chat = await choose('chat', { type });
    const tool_choice = { type: 'function', function: { name: type } };
    expect(chat).toMatchObject({ told: { type }, left: null, sent: { tool_choice } });
  });

  it('of a tool that no server can be made to call is left out and named', async () => {
    for (const model of ['native', 'chat']) {
      const { told, left, sent } = await choose(model, { type: 'local_shell' });
      expect([told, left, sent?.['tool_choice']]).toEqual(['auto', 'tool_choice', undefined]);
    }
  });

  it('of some tools leaves the model these, whoever runs them', async () => {
    const allowed = [{ type: 'shell' }, { type: 'local_shell' }, { type: 'web_search' }];
    const choice = { type: 'allowed_tools', mode: 'required', tools: allowed };
    const { left, sent } = await choose('native', choice);
    expect(left).toBeNull();
    expect(sent).toMatchObject({ tool_choice: 'required' });
    expect(sent?.['tools']).toEqual([{ type: 'shell' }, { type: 'local_shell' }]);
    const { sent: inChat } = await choose('chat', choice);
    const names = (inChat?.['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name);
    expect(names).toEqual(['shell', 'local_shell']);
  });
});

describe('tool_search', () => {
  const search = {
    type: 'tool_search',
    execution: 'client',
    description: 'Finds.',
    parameters: { type: 'object' },
  };
  const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };
  const items = [
    { role: 'user', content: 'Go.' },
    {
      type: 'tool_search_call',
      call_id: 'c1',
      execution: 'client',
      arguments: { query: 'trams' },
      status: 'completed',
    },
    { type: 'tool_search_output', call_id: 'c1', execution: 'client', status: 'completed', tools: [look] },
  ];
  const send = async (model: string, input: unknown[]): Promise<{ output: object[] }> => {
    const response = await fetch(`${harness.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, input, tools: [search] }),
    });
    expect([response.status, response.headers.get('x-ignored-fields')]).toEqual([200, null]);
    return (await response.json()) as { output: object[] };
  };
  const called = {
    type: 'tool_search_call',
    call_id: expect.any(String) as string,
    execution: 'client',
    arguments: { query: 'trams' },
  };

  it('is passed on, and the tools found stay where they were found', async () => {
    answerNatively({ id: 'x_1', ...items[1] });
    expect((await send('native', items.slice(0, 1))).output).toMatchObject([called]);
    await send('native', items);
    expect(asked.at(-1)).toMatchObject({
      tools: [search],
      input: [items[0], items[1], { ...items[2], tools: [{ ...look, strict: false }] }],
    });
    expect(asked.at(-1)?.['tools']).toHaveLength(1);
  });

  it('becomes a function for other servers, and the tools found are among the tools', async () => {
    answerInChat('tool_search', { query: 'trams' });
    expect((await send('chat', items.slice(0, 1))).output).toMatchObject([called]);
    await send('chat', items);
    expect(asked.at(-1)).toMatchObject({
      tools: [{ function: { name: 'tool_search' } }, { function: { name: 'look' } }],
      messages: [
        {},
        { tool_calls: [{ function: { name: 'tool_search' } }] },
        { content: 'Tool found: look' },
      ],
    });
  });
});
