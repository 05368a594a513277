import { createHash } from 'node:crypto';
import { createdMessage, type CreatedMessage, type MessageUsage } from '@farebox/api';
import {
  PATIENT_UPSTREAM,
  startGatewayHarness,
  UPSTREAM_SECRET,
  UPSTREAM_SECRET_VARIABLE,
  type GatewayHarness,
} from '../../test/gateway-harness';
import { askBy, readBy, WIRE_CASES } from '../../test/wires';

// A Messages server is asked in its own wire, whichever wire the client uses.

const MODELS = [
  'echo',
  'reasons',
  'split',
  'breaks',
  'ends-early',
  'closes',
  'refuses-429',
  'refuses-400',
  'no-usage',
];

function catalogOf(url: string): string {
  const models = MODELS.map(
    (name) => `
  - id: ${name}
    routes: [{ upstream: native, model: sim-${name} }]
    input_price: 1
    output_price: 2
    context_window: 8192
    max_output_tokens: 4096
    tokenizer: o200k_base
    modalities: [text, image, file]
    image_tokens: 1000
    file_tokens: 500
    extra_fields: [top_k]`,
  );
  return `
upstreams:
  - { id: native, base_url: "${url}", wire: messages, prompt_cache: shared, api_key_env: ${UPSTREAM_SECRET_VARIABLE}, ${PATIENT_UPSTREAM} }
models:${models.join('')}`;
}

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness({}, { catalog: catalogOf });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const lastRequest = () => {
  const { path, headers, body } = harness.upstream.requests().at(-1) ?? {};
  return { path, headers, body: body as Record<string, unknown> };
};

const post = (path: string, secret: string, body: object): Promise<Response> =>
  fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify(body),
  });

async function create(secret: string, body: object): Promise<CreatedMessage> {
  const response = await post('/v1/messages', secret, { model: 'echo', max_tokens: 2_000, ...body });
  return createdMessage.parse(await response.json());
}

const user = (content: unknown) => ({ role: 'user', content });

describe.each(WIRE_CASES)('$name', (wire) => {
  it('gives the same answer with and without a stream', async () => {
    const { secret } = await harness.givenKey();
    const whole = await readBy(wire, await askBy(wire, harness, secret, { model: 'echo' }));
    expect(lastRequest().path).toBe('/v1/messages');
    const streamed = await readBy(wire, await askBy(wire, harness, secret, { model: 'echo', stream: true }));
    expect(whole).toMatchObject({ isWhole: true, error: undefined });
    expect(whole.text).not.toBe('');
    expect({ ...streamed, id: '' }).toEqual({ ...whole, id: '' });
  });

  it.each([false, true])('passes function calls on (streamed: %s)', async (stream) => {
    const { secret } = await harness.givenKey();
    const response = await askBy(wire, harness, secret, { model: 'echo', stream, tool: true });
    expect(await readBy(wire, response)).toMatchObject({ calls: ['weather'], isWhole: true });
    expect(lastRequest().body['tool_choice']).toEqual({ type: 'any' });
  });

  it.each(['breaks', 'ends-early'])('gets an error if a stream of %s fails', async (model) => {
    const { secret } = await harness.givenKey();
    const result = await readBy(wire, await askBy(wire, harness, secret, { model, stream: true }));
    expect(result).toMatchObject({ isWhole: false, isCut: true, error: wire.nameOf('service_unavailable') });
  });

  it.each([
    ['refuses-429', 503, 'service_unavailable'],
    ['refuses-400', 400, 'invalid_request_error'],
    ['closes', 503, 'service_unavailable'],
  ] as const)('gets an error in our words for %s', async (model, status, code) => {
    const { secret } = await harness.givenKey();
    const response = await askBy(wire, harness, secret, { model });
    const text = await response.clone().text();
    expect([response.status, (await readBy(wire, response)).error]).toEqual([status, wire.nameOf(code)]);
    expect(text.toLowerCase()).not.toContain('canary');
  });

  it('is charged by our own count if no usage is reported', async () => {
    const { secret } = await harness.givenKey();
    const result = await readBy(
      wire,
      await askBy(wire, harness, secret, { model: 'no-usage', stream: true }),
    );
    expect(result.usage?.outputTokens).toBeGreaterThan(0);
  });
});

it("gets a request with the secret and the version in the server's own headers", async () => {
  const { secret } = await harness.givenKey();
  await create(secret, { messages: [user('Hi')] });
  const { headers } = lastRequest();
  expect(headers).toMatchObject({ 'x-api-key': UPSTREAM_SECRET, 'anthropic-version': '2023-06-01' });
  expect(headers?.authorization).toBeUndefined();
});

it('sends what a client of messages wrote, without anything that identifies them', async () => {
  const { secret } = await harness.givenKey();
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const sent = {
    system: [{ type: 'text', text: 'Be brief.', cache_control }],
    messages: [
      user([{ type: 'text', text: 'Look.', cache_control }]),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } }] },
      user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Noon', is_error: false }]),
    ],
    tools: [{ name: 'look', input_schema: { type: 'object' }, cache_control }],
    stop_sequences: ['END'],
    temperature: 0.5,
    top_k: 5,
  };
  await create(secret, {
    ...sent,
    metadata: { user_id: 'ada' },
    service_tier: 'auto',
    tools: [...sent.tools, { type: 'web_search_20250305', name: 'web_search' }],
  });
  expect(lastRequest().body).toEqual({ ...sent, model: 'sim-echo', max_tokens: 2_000 });
});

it.each([false, true])(
  'keeps the signatures of thoughts, also in a replay (streamed: %s)',
  async (stream) => {
    const { secret } = await harness.givenKey();
    const thinking = { type: 'enabled', budget_tokens: 1_024 };
    const asked = { model: 'echo', max_tokens: 2_000, thinking, messages: [user('Think.')] };
    const read = async (): Promise<CreatedMessage['content']> => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'once', 'x-api-key': secret };
      const init = { method: 'POST', headers, body: JSON.stringify({ ...asked, stream }) };
      const response = await fetch(`${harness.url}/v1/messages`, init);
      const text = await response.text();
      return stream ? contentOf(text) : createdMessage.parse(JSON.parse(text)).content;
    };
    const content = await read();
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(content[0]).toMatchObject({ signature: expect.stringMatching(/^sig-/) as string });
    expect(await read()).toEqual(content);
    // The server refuses thoughts it has not signed.
    const conversation = [user('Think.'), { role: 'assistant', content }, user('Go on.')];
    const next = await post('/v1/messages', secret, { ...asked, messages: conversation });
    expect(next.status).toBe(200);
    const forged = [
      { type: 'thinking', thinking: 'Mine.', signature: 'sig-x' },
      { type: 'text', text: 'Yes.' },
    ];
    const refused = await post('/v1/messages', secret, {
      ...asked,
      messages: [user('Think.'), { role: 'assistant', content: forged }, user('Go on.')],
    });
    // The request is sent again without them: another server may have begun the conversation.
    expect(refused.status).toBe(200);
    expect(JSON.stringify(lastRequest().body)).not.toContain('sig-x');
  },
);

/** The blocks that a stream carried. */
function contentOf(text: string): CreatedMessage['content'] {
  const content: Record<string, string>[] = [];
  for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) {
    const event = JSON.parse(data) as {
      index: number;
      content_block?: object;
      delta?: Record<string, string>;
    };
    if (event.content_block) content[event.index] = { ...event.content_block };
    const block = content[event.index];
    for (const [field, piece] of Object.entries(event.delta ?? {}))
      if (block && field !== 'type') block[field] = (block[field] ?? '') + piece;
  }
  return content as unknown as CreatedMessage['content'];
}

it('gives a client of chat the signature too, and asks the server for thoughts', async () => {
  const { secret } = await harness.givenKey();
  const asked = { model: 'echo', max_tokens: 4_000, messages: [user('Think.')], reasoning_effort: 'low' };
  const { choices } = (await (await post('/v1/chat/completions', secret, asked)).json()) as {
    choices: { message: { reasoning_content: string; reasoning_details: object[] } }[];
  };
  const { reasoning_content: text, reasoning_details } = choices[0]?.message ?? {};
  expect(text).toBeTruthy();
  expect(reasoning_details).toMatchObject([{ type: 'reasoning.text', text }]);
  expect(lastRequest().body['thinking']).toEqual({ type: 'enabled', budget_tokens: 1_024 });
});

it('reports cache reads and writes, and charges for them', async () => {
  const { secret, accountId } = await harness.givenKey();
  const system = [{ type: 'text', text: 'Be brief. '.repeat(100), cache_control: { type: 'ephemeral' } }];
  const usages: MessageUsage[] = [];
  for (const words of ['One.', 'Two.'])
    usages.push((await create(secret, { system, messages: [user(words)] })).usage);
  const [written, read] = usages;
  expect(written?.cache_creation_input_tokens).toBeGreaterThan(150);
  expect(read).toMatchObject({
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: written?.cache_creation_input_tokens,
  });
  const sql = `SELECT (cost_nano::numeric / 1e9)::numeric(20, 9)::text AS cost FROM usage_record WHERE account_id = $1`;
  const { rows } = await harness.db.pool.query<{ cost: string }>(sql, [accountId]);
  expect(rows.map(({ cost }) => cost).sort()).toEqual(usages.map(({ cost }) => cost).sort());
});

const LONG = 'Here is a page of the book that the model is to read and to answer about. '.repeat(50);
const asked = (...content: object[]) => [user('Read.'), { role: 'assistant', content }, user('Well?')];

const SHORT = { role: 'assistant', content: [{ type: 'text', text: '.' }] };

describe('a request passed on unchanged is held and counted as it is sent', () => {
  it.each<[string, object[], number]>([
    ['only a thought', asked({ type: 'thinking', thinking: LONG, signature: 'c2ln' }), LONG.length],
    [
      'the signature of a thought',
      asked({ type: 'thinking', thinking: 'Hm', signature: LONG }, { type: 'text', text: 'Yes.' }),
      LONG.length,
    ],
    ['a thought that is sealed', asked({ type: 'redacted_thinking', data: LONG }), LONG.length],
    [
      'nearly empty turns, each with its template text',
      asked().flatMap((turn, i) => (i === 1 ? Array.from({ length: 200 }, () => SHORT) : turn)),
      200 * 16,
    ],
    [
      'results without text, each with its template text',
      [user('Read.'), user(Array.from({ length: 200 }, () => ({ type: 'tool_result', tool_use_id: 't' })))],
      200 * 16,
    ],
  ])('%s', async (_what, messages, least) => {
    const { secret } = await harness.givenKey();
    const body = { model: 'echo', max_tokens: 10, messages };
    const read = async (path: string): Promise<unknown> => (await post(path, secret, body)).json();
    const quote = (await read('/v1/quotes?wire=messages')) as {
      prompt_tokens: { bound: number; counted: number };
    };
    expect(quote.prompt_tokens.bound).toBeGreaterThanOrEqual(least);
    const { input_tokens } = (await read('/v1/messages/count_tokens')) as { input_tokens: number };
    expect(input_tokens).toBe(quote.prompt_tokens.counted);
    expect(input_tokens).toBeGreaterThan(least / 8);
  });
});

it.each([false, true])(
  'usage that a server does not report is counted from what it was sent (streamed: %s)',
  async (stream) => {
    const { secret, accountId } = await harness.givenKey();
    const signature = `sig-${createHash('sha256').update(LONG).digest('base64')}`;
    const messages = asked({ type: 'thinking', thinking: LONG, signature });
    const body = { model: 'no-usage', max_tokens: 10, messages };
    const counted = await (await post('/v1/messages/count_tokens', secret, body)).json();
    await (await post('/v1/messages', secret, { ...body, stream })).text();
    await harness.expectSettled();
    const sql = 'SELECT prompt_tokens AS input_tokens, estimated FROM usage_record WHERE account_id = $1';
    const { rows } = await harness.db.pool.query(sql, [accountId]);
    expect(rows).toEqual([{ ...(counted as object), estimated: true }]);
    expect((counted as { input_tokens: number }).input_tokens).toBeGreaterThan(LONG.length / 8);
  },
);

it('turns a chat into turns: instructions apart, tool results in one user turn each', async () => {
  const { secret } = await harness.givenKey();
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } };
  const png = 'data:image/png;base64,iVBORw0KGgo=';
  const response = await post('/v1/chat/completions', secret, {
    model: 'echo',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: png } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Noon' },
      { role: 'user', content: 'Well?' },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters: { properties: {} } } }],
    parallel_tool_calls: false,
    temperature: 1.5,
    max_tokens: 50,
    stop: 'END',
    seed: 7,
  });
  expect(response.status).toBe(200);
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  expect(lastRequest().body).toEqual({
    model: 'sim-echo',
    max_tokens: 50,
    temperature: 1,
    stop_sequences: ['END'],
    system: 'Be brief.\n\nBe kind.',
    messages: [
      user([
        { type: 'text', text: 'Look.' },
        { type: 'image', source },
      ]),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: { at: 1 } }] },
      user([
        { type: 'tool_result', tool_use_id: 'call_1', content: 'Noon' },
        { type: 'text', text: 'Well?' },
      ]),
    ],
    tools: [{ name: 'look', input_schema: { type: 'object', properties: {} } }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  });
});

it('reports which stop sequence of the request ended a text', async () => {
  const { secret } = await harness.givenKey();
  const whole = await create(secret, { messages: [user('Hi')] });
  const text = whole.content[0]?.type === 'text' ? whole.content[0].text : '';
  const [, stop = ''] = text.split(' ');
  const stopped = await create(secret, { messages: [user('Hi')], stop_sequences: [` ${stop}`] });
  expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: ` ${stop}` });
});
