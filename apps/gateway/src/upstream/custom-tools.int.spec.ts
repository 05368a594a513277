import {
  sendJson,
  startRoutesHarness,
  type RouteRequest,
  type RoutesHarness,
} from '../../test/routes-harness';

// A tool with text input stays one for a Responses server and becomes a function for any other.

let harness: RoutesHarness;
let asked: RouteRequest[] = [];
let secret: string;
beforeAll(async () => {
  const routes = (...models: string[]) => models.map((model) => ({ upstream: 'a', model }));
  harness = await startRoutesHarness(
    ['m', 'strict', 'long'].map((id) => ({ id, routes: routes(id) })),
    { upstreams: { a: { wire: 'responses' } } },
  );
  ({ secret } = await harness.givenKey());
});
beforeEach(() => {
  asked = [];
  for (const model of ['m', 'strict', 'long']) harness.answer(`a/${model}`, callEdit);
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const INPUT = '*** Begin "Patch"\n+é 😀\n*** End';
const usage = { input_tokens: 10, output_tokens: 12, total_tokens: 22 };

/** Calls the tool under the type that the server received. */
function callEdit(...[res, request]: Parameters<Parameters<RoutesHarness['answer']>[1]>): void {
  asked.push(request);
  const isCustom = toolsOf(request)[0]?.['type'] === 'custom';
  const called = { id: 'x_1', call_id: 'call_1', name: 'edit' };
  const item = isCustom
    ? { type: 'custom_tool_call', ...called, input: INPUT }
    : { type: 'function_call', ...called, arguments: JSON.stringify({ input: INPUT }) };
  const response = { status: 'completed', output: [item], usage };
  if (!request.stream) {
    sendJson(res, 200, response);
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const deltas = isCustom ? (INPUT.match(/[^]{1,5}/gu) ?? []) : [];
  for (const event of [
    { type: 'response.created', response: { status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, input: '', arguments: '' } },
    ...deltas.map((delta) => ({ type: 'response.custom_tool_call_input.delta', output_index: 0, delta })),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ])
    res.write(`data: ${JSON.stringify(event)}\n\n`);
  res.end();
}

const toolsOf = ({ tools }: RouteRequest) => tools as Record<string, unknown>[];
const grammar = { syntax: 'lark', definition: 'start: /.+/' };

async function post(path: string, body: object): Promise<Response> {
  const response = await fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return response;
}

const edit = { type: 'custom', name: 'edit', description: 'Edits.', format: { type: 'grammar', ...grammar } };
const hi = { role: 'user', content: 'Hi' };
const history = [
  hi,
  { type: 'custom_tool_call', call_id: 'c1', name: 'edit', input: INPUT },
  { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
  { type: 'function_call', call_id: 'c2', name: 'look', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c2', output: 'a tram' },
];

async function callOf(response: Response): Promise<unknown> {
  const text = await response.text();
  const [whole = text] = text.split('\n').filter((line) => line.includes('"type":"response.completed"'));
  const parsed = JSON.parse(whole.replace(/^data: /, '')) as {
    output?: unknown[];
    response?: { output: unknown[] };
  };
  return (parsed.output ?? parsed.response?.output)?.at(-1);
}

it.each([false, true])('a client of Responses gets its call unchanged (streamed: %s)', async (stream) => {
  const tool_choice = { type: 'custom', name: 'edit' };
  const body = { model: 'm', input: history, tools: [edit], tool_choice, stream };
  const called = await callOf(await post('/v1/responses', body));
  expect(called).toMatchObject({ type: 'custom_tool_call', name: 'edit', input: INPUT });
  expect(asked.at(-1)).toMatchObject({
    tools: [edit],
    tool_choice,
    input: [
      hi,
      { type: 'custom_tool_call', call_id: 'c1', name: 'edit', input: INPUT },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
      { type: 'function_call', call_id: 'c2', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c2', output: 'a tram' },
    ],
  });
});

it('a tool of a namespace has its full name everywhere', async () => {
  const tools = [{ type: 'namespace', name: 'files', description: 'Files.', tools: [edit] }];
  const call = { type: 'custom_tool_call', call_id: 'c1', namespace: 'files', name: 'edit', input: INPUT };
  await post('/v1/responses', { model: 'm', input: [hi, call, history[2]], tools });
  const body = asked.at(-1);
  expect(body && toolsOf(body)).toEqual([{ ...edit, name: 'files__edit' }]);
  expect(body?.['input']).toMatchObject([hi, { name: 'files__edit' }, { output: 'done' }]);
});

it('a client of chat gets its call unchanged', async () => {
  const custom = { name: 'edit', description: 'Edits.', format: { type: 'grammar', grammar } };
  const messages = [
    hi,
    { role: 'assistant', tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'edit', input: INPUT } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
  ];
  const body = { model: 'm', messages, tools: [{ type: 'custom', custom }] };
  const { choices } = (await (await post('/v1/chat/completions', body)).json()) as {
    choices: { message: object }[];
  };
  expect(choices[0]?.message).toMatchObject({
    tool_calls: [{ type: 'custom', custom: { name: 'edit', input: INPUT } }],
  });
  expect(asked.at(-1)).toMatchObject({ tools: [edit], input: history.slice(0, 3) });
});

it('a server that knows only functions gets a function, after one refusal and from then on', async () => {
  const refuse: typeof callEdit = (res, request, req) => {
    if (toolsOf(request)[0]?.['type'] === 'function') {
      callEdit(res, request, req);
      return;
    }
    asked.push(request);
    const message = "Invalid value: 'custom'. Supported values are: 'function' and 'web_search'.";
    sendJson(res, 400, { error: { message, param: 'tools[0].type', code: 'invalid_value' } });
  };
  harness.answer('a/strict', refuse);
  // The hold covers the longer wording.
  const turns = Array.from({ length: 30 }, (_, i) => [
    { ...history[1], call_id: `c${String(i)}` },
    { ...history[2], call_id: `c${String(i)}` },
  ]).flat();
  const body = { model: 'strict', input: [hi, ...turns], tools: [edit] };
  for (const requests of [2, 3]) {
    expect(await callOf(await post('/v1/responses', body))).toMatchObject({ input: INPUT });
    expect(asked).toHaveLength(requests);
  }
  expect(asked.at(-1)?.['input']).toMatchObject([
    hi,
    ...turns.map((_, i) => ({ type: i % 2 === 0 ? 'function_call' : 'function_call_output' })),
  ]);
});
