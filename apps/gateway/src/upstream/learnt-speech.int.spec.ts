import { sendJson, sayOk, startRoutesHarness, type RoutesHarness } from '../../test/routes-harness';

/** Servers without a dialect in the catalogue, which ask for the form of request that they want. */

let harness: RoutesHarness;
beforeAll(async () => {
  harness = await startRoutesHarness(
    ['mistral', 'groq', 'codex', 'both', 'stubborn', 'claude'].map((id) => ({
      id,
      routes: [{ upstream: id === 'claude' ? 'b' : 'a', model: id }],
      max_output_tokens: 4096,
    })),
    { upstreams: { b: { wire: 'messages' } } },
  );
});
beforeEach(() => {
  harness.asked();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const call = { id: 'call_1', type: 'function', function: { name: 'w', arguments: '{}' } };
const tools = [{ type: 'function', function: { name: 'w', parameters: { type: 'object' } } }];
const history = [
  { role: 'user', content: 'Weather?' },
  { role: 'assistant', content: null, reasoning_content: 'Look.', tool_calls: [call] },
  { role: 'tool', tool_call_id: 'call_1', content: '20' },
];

it('a request is sent again in the form that the server wants, and later ones use that form at once', async () => {
  harness.answer('a/mistral', (res, body, req) => {
    const id = (body.messages[1] as { tool_calls?: { id: string }[] } | undefined)?.tool_calls?.[0]?.id ?? '';
    if (/^[A-Za-z0-9]{9}$/.test(id)) sayOk(res, body, req);
    else
      sendJson(res, 400, {
        message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
        code: '3280',
      });
  });
  const { secret } = await harness.givenKey();
  const ask = () => harness.complete(secret, 'mistral', { messages: history, tools });
  expect((await ask()).status).toBe(200);
  expect(harness.asked()).toEqual(['a/mistral', 'a/mistral']);
  expect((await ask()).status).toBe(200);
  expect(harness.asked()).toEqual(['a/mistral']);
});

it('a server with several wishes gets them all met, also for a stream', async () => {
  harness.answer('a/both', (res, body, req) => {
    const text = JSON.stringify(body);
    if (text.includes('reasoning_content'))
      sendJson(res, 400, { error: { message: "property 'reasoning_content' is unsupported" } });
    else if (text.includes('"ann"'))
      sendJson(res, 400, { error: { message: "'messages.0' : property 'name' is unsupported" } });
    else sayOk(res, body, req);
  });
  const { secret } = await harness.givenKey();
  const messages = [{ role: 'user', name: 'ann', content: 'Hello' }, ...history];
  const response = await harness.complete(secret, 'both', { messages, tools, stream: true });
  expect([response.status, (await response.text()).includes('"ok"')]).toEqual([200, true]);
  expect(harness.asked()).toHaveLength(3);
});

it('a model served only by Responses is asked there, and its answer is charged', async () => {
  harness.answer('a/codex', (res, _body, req) => {
    if (req.url?.endsWith('/responses') !== true) {
      sendJson(res, 400, { error: { message: 'To use function tools, use /v1/responses' } });
      return;
    }
    const text = { type: 'output_text', text: 'ok', annotations: [] };
    sendJson(res, 200, {
      status: 'completed',
      output: [{ type: 'message', role: 'assistant', content: [text] }],
      usage: { input_tokens: 100, output_tokens: 5, total_tokens: 105 },
    });
  });
  const { secret } = await harness.givenKey();
  const response = await harness.complete(secret, 'codex', { messages: history, tools });
  expect(await response.json()).toMatchObject({
    choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 5 },
  });
});

it('a server that keeps refusing is not asked without end, and nothing is charged', async () => {
  harness.answer('a/stubborn', (res, body) => {
    const wants = JSON.stringify(body).includes('max_completion_tokens') ? 'messages.name' : 'x';
    const message =
      wants === 'x'
        ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        : "'messages.0' : property 'name' is unsupported";
    sendJson(res, 400, { error: { message } });
  });
  const { secret } = await harness.givenKey();
  const response = await harness.complete(secret, 'stubborn', { messages: history, tools });
  expect(response.status).toBe(400);
  expect(harness.asked()).toHaveLength(3);
});

/** As sent by Claude Code 2.1.332: recorded, then shortened. */
const BETWEEN_TURNS = {
  max_tokens: 1_000,
  system: 'You are a Claude agent.',
  tools: [{ name: 'Bash', input_schema: { type: 'object' } }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Run date.' }] },
    { role: 'system', content: [{ type: 'text', text: '# Environment' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }] },
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Monday' }] },
  ],
};

it('a system message between turns becomes a user message if the server refuses it as system', async () => {
  harness.answer('b/claude', (res, { messages }) => {
    if (messages.some(({ role }) => role === 'system')) {
      const message =
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';
      sendJson(res, 400, { type: 'error', error: { type: 'invalid_request_error', message } });
      return;
    }
    const text = JSON.stringify(messages.map(({ role, content }) => [role, content]));
    sendJson(res, 200, {
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 50, output_tokens: 5 },
    });
  });
  const { secret } = await harness.givenKey();
  const response = await fetch(`${harness.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'claude', ...BETWEEN_TURNS }),
  });
  expect(response.status).toBe(200);
  const { content } = (await response.json()) as { content: { text: string }[] };
  expect(JSON.parse(content[0]?.text ?? '')).toEqual([
    [
      'user',
      [
        { type: 'text', text: 'Run date.' },
        { type: 'text', text: '# Environment' },
      ],
    ],
    ['assistant', BETWEEN_TURNS.messages[2]?.content],
    [
      'user',
      [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Monday' },
        { type: 'text', text: 'Be short.' },
      ],
    ],
  ]);
  expect(harness.asked()).toEqual(['b/claude', 'b/claude']);
});
