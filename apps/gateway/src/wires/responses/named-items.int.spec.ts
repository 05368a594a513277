import {
  sayOk,
  sendJson,
  startRoutesHarness,
  type RouteRequest,
  type RoutesHarness,
} from '../../../test/routes-harness';

// Clients of OpenAI refer to earlier items by id instead of sending them, because they expect them to be
// stored.

let harness: RoutesHarness;
let asked: RouteRequest[] = [];
let secret: string;
beforeAll(async () => {
  harness = await startRoutesHarness([{ id: 'm', routes: [{ upstream: 'a', model: 'm' }] }]);
});
beforeEach(async () => {
  ({ secret } = await harness.givenKey());
  asked = [];
  harness.answer('a/m', (res, request, req) => {
    asked.push(request);
    sayOk(res, request, req);
  });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

interface Item {
  id: string;
  type: string;
  [field: string]: unknown;
}

const send = (
  body: object,
  headers: Record<string, string> = {},
  path = '/v1/responses',
): Promise<Response> =>
  fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', ...body }),
  });

const hi = { role: 'user', content: 'Hi' };
const nameOf = ({ id }: { id: string }) => ({ type: 'item_reference', id });

/** The output items of the response. */
async function outputOf(body: object, headers?: Record<string, string>): Promise<Item[]> {
  const response = await send(body, headers);
  const text = await response.text();
  if (!('stream' in body)) return (JSON.parse(text) as { output: Item[] }).output;
  const last = text.split('\n').findLast((line) => line.startsWith('data: {'));
  return (JSON.parse(last?.slice('data: '.length) ?? '') as { response: { output: Item[] } }).response.output;
}

/** The messages that the model received. */
const told = () => asked.at(-1)?.messages;

const edit = { type: 'custom', name: 'edit' };
const signature = { google: { thought_signature: 'c2ln' } };
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'edit', arguments: '{"input":"*** patch"}' },
  extra_content: signature,
};

/** The model sends a text and a call, with a signature that its server wants back. */
function answerWithCall(): void {
  const usage = { prompt_tokens: 10, completion_tokens: 12 };
  harness.answer('a/m', (res, request) => {
    asked.push(request);
    const message = { role: 'assistant', reasoning_content: 'Hm.', content: 'I edit.', tool_calls: [call] };
    if (!request.stream) {
      sendJson(res, 200, { choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage });
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const deltas = [
      { role: 'assistant', reasoning_content: 'Hm.' },
      { content: 'I ' },
      { content: 'edit.' },
      { tool_calls: [{ index: 0, ...call }] },
    ];
    for (const delta of deltas) res.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage };
    res.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
  });
}

describe.each([
  ['in one piece', {}],
  ['streamed', { stream: true }],
])('of a response %s', (_name, form) => {
  it('the model gets its text, calls and thoughts as if the items had been sent', async () => {
    answerWithCall();
    const output = await outputOf({ input: [hi], tools: [edit], ...form });
    expect(output.at(-1)).toMatchObject({ type: 'custom_tool_call', input: '*** patch' });
    // The request did not ask for them.
    for (const item of output) expect(item).not.toHaveProperty('encrypted_content');
    const result = { type: 'custom_tool_call_output', call_id: output.at(-1)?.['call_id'], output: 'done' };
    const response = await send({ input: [hi, ...output.map(nameOf), result], tools: [edit] });
    expect([response.status, response.headers.get('x-ignored-fields')]).toEqual([200, null]);
    expect(told()).toMatchObject([
      hi,
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'I edit.' }],
        reasoning_content: 'Hm.',
        tool_calls: [{ function: call.function, extra_content: signature }],
      },
      { role: 'tool', content: 'done' },
    ]);
  });
});

it('the hold covers the content of its items, as does a quote', async () => {
  const long = 'A tale. '.repeat(20);
  harness.answer('a/m', (res) => {
    const message = { role: 'assistant', content: long };
    const usage = { prompt_tokens: 10, completion_tokens: 100 };
    sendJson(res, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
  });
  const [said] = await outputOf({ input: [hi] });
  const quote = async (input: unknown[]): Promise<number> => {
    const response = await send({ input }, {}, '/v1/quotes?wire=responses');
    return ((await response.json()) as { prompt_tokens: { bound: number } }).prompt_tokens.bound;
  };
  const [whole, named] = [
    await quote([hi, { role: 'assistant', content: long }, hi]),
    await quote([hi, nameOf(said ?? { id: '' }), hi]),
  ];
  expect(named).toBeGreaterThan(long.length);
  expect(Math.abs(named - whole)).toBeLessThan(16);
});

it.each([
  ['was not to be stored', { store: false }, undefined],
  ['is kept for a repetition', {}, { 'idempotency-key': 'once' }],
])('a text that %s is left out and named', async (_name, fields, headers) => {
  const [said] = await outputOf({ input: [hi], ...fields }, headers);
  const response = await send({ input: [hi, nameOf(said ?? { id: '' }), hi] });
  expect([response.status, response.headers.get('x-ignored-fields')]).toEqual([200, 'input.item_reference']);
  expect(told()).toEqual([hi, hi]);
});

it.each(['msg_1', 'rs_1', 'msg_00000000000000000000000000_0', 'msg_zzzzzzzzzzzzzzzzzzzzzzzzzz_0', ''])(
  'an item that never existed is left out: %j',
  async (id) => {
    const response = await send({ input: [hi, nameOf({ id })] });
    expect([response.status, response.headers.get('x-ignored-fields')]).toEqual([
      200,
      'input.item_reference',
    ]);
  },
);

it("another key's items are unknown, and a missing call whose result follows is an error", async () => {
  answerWithCall();
  const output = await outputOf({ input: [hi], tools: [edit] });
  const result = { type: 'custom_tool_call_output', call_id: output.at(-1)?.['call_id'], output: 'done' };
  ({ secret } = await harness.givenKey());
  const before = asked.length;
  const response = await send({ input: [hi, ...output.map(nameOf), result], tools: [edit] });
  const { error } = (await response.json()) as { error: { param: string; message: string } };
  expect([response.status, error.param]).toEqual([400, `input[${String(output.length)}].id`]);
  expect(error.message).toContain('store: false');
  expect(asked).toHaveLength(before);
});

it('items are kept encrypted, for one day', async () => {
  harness.answer('a/m', (res) => {
    const message = { role: 'assistant', content: 'zebra' };
    const usage = { prompt_tokens: 10, completion_tokens: 1 };
    sendJson(res, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
  });
  const { secret: own, accountId } = await harness.givenKey();
  secret = own;
  const [said] = await outputOf({ input: [hi] });
  const { pool } = harness.db;
  const { rows } = await pool.query<{ answer: Buffer; hours: number }>(
    `SELECT answer, extract(epoch FROM expires_at - created_at) / 3600 AS hours FROM idempotency_claim WHERE account_id = $1`,
    [accountId],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.answer.includes('zebra')).toBe(false);
  expect(Math.round(Number(rows[0]?.hours))).toBe(24);
  await pool.query('DELETE FROM idempotency_claim WHERE account_id = $1', [accountId]);
  const response = await send({ input: [hi, nameOf(said ?? { id: '' })] });
  expect([response.status, response.headers.get('x-ignored-fields')]).toEqual([200, 'input.item_reference']);
});
