import { chatCompletion, FORWARDED_FIELDS } from '@farebox/api';
import { startGatewayHarness, type GatewayHarness } from '../../../test/gateway-harness';
import { readStream } from '../../../test/read-stream';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };
const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } };
const parameters = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };

/** One message of every role, with every field that it may have. */
const messages = [
  { role: 'system', content: 'Be brief.', name: 'house' },
  { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }], name: 'house' },
  { role: 'user', content: [{ type: 'text', text: 'Look:' }, image], name: 'Ada' },
  {
    role: 'assistant',
    content: null,
    refusal: null,
    reasoning_content: 'Hm.',
    name: 'house',
    tool_calls: [call],
  },
  { role: 'tool', content: '18', tool_call_id: 'call_1', name: 'weather' },
  { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }], function_call: call.function },
  { role: 'function', content: '18', name: 'weather' },
  { role: 'user', content: 'So?' },
];

/** Every field that changes the answer. */
const forwarded = {
  messages,
  temperature: 0.5,
  top_p: 0.9,
  frequency_penalty: -1,
  presence_penalty: 1.5,
  logit_bias: { 50256: -100 },
  logprobs: true,
  top_logprobs: 2,
  n: 2,
  seed: 7,
  stop: ['END', 'STOP'],
  tools: [
    { type: 'function', function: { name: 'weather', description: 'Outside.', parameters, strict: true } },
  ],
  tool_choice: 'none',
  parallel_tool_calls: false,
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: parameters, strict: true } },
  reasoning_effort: 'low',
};

/** Every field without effect here. */
const meaningless = {
  user: 'ada',
  metadata: { order: '7' },
  store: true,
  service_tier: 'priority',
  prompt_cache_key: 'a',
  prompt_cache_retention: '24h',
  safety_identifier: 'b',
  verbosity: 'high',
};

async function ask(model: string, more: object): Promise<{ sent: unknown; ignored: string | null }> {
  const { secret } = await harness.givenKey();
  const response = await harness.complete(secret, model, more);
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  const sent = harness.upstream.requests().at(-1)?.body;
  return { sent, ignored: response.headers.get('x-ignored-fields') };
}

async function sentUpstream(more: object): Promise<unknown> {
  const { sent, ignored } = await ask('eyes', more);
  expect(ignored).toBeNull();
  return sent;
}

it('every field that changes the answer goes upstream unchanged, and no other does', async () => {
  expect(Object.keys(forwarded).sort()).toEqual([...FORWARDED_FIELDS].sort());
  expect(await sentUpstream({ ...forwarded, ...meaningless, max_tokens: 50 })).toEqual({
    ...forwarded,
    messages: messages.map(asServersKnowIt),
    model: 'sim-echo',
    max_tokens: 50,
  });
});

/** Most servers do not know the role developer, and some refuse an empty refusal. */
function asServersKnowIt(message: object): object {
  const known: { role?: string; refusal?: unknown } = { ...message };
  if (known.role === 'developer') known.role = 'system';
  if (known.refusal === null) delete known.refusal;
  return known;
}

it('a null field is left out', async () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  const nothing = {
    temperature: null,
    stop: null,
    n: null,
    logit_bias: null,
    max_tokens: null,
    stream: null,
  };
  expect(await sentUpstream({ ...nothing, messages, max_completion_tokens: 9 })).toEqual({
    model: 'sim-echo',
    messages,
    max_tokens: 9,
  });
});

it('a field with the value "none" is left out', async () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  const none = {
    tools: [],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    stop: [],
    audio: null,
    modalities: ['text'],
  };
  expect(await sentUpstream({ ...none, messages })).toEqual({ model: 'sim-echo', messages, max_tokens: 100 });
});

it("an output limit over that of the model becomes the model's", async () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  for (const field of ['max_tokens', 'max_completion_tokens'])
    expect(await sentUpstream({ messages, [field]: 32_000, stop: ['Hello'] })).toMatchObject({
      max_tokens: 4_096,
    });
});

describe('unknown fields', () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  const vendors = { top_k: 5, chat_template_kwargs: { enable_thinking: false } };

  it('go upstream if the catalogue allows them for the model', async () => {
    const asked = { messages, ...vendors, min_p: 0.1 };
    expect(await ask('vendors', asked)).toEqual({
      sent: { model: 'sim-echo', messages, max_tokens: 100, ...vendors },
      ignored: 'min_p',
    });
  });

  it('are left out otherwise, and named, with and without a stream', async () => {
    const message = { role: 'user', content: 'Hello', cache_control: { type: 'ephemeral' } };
    for (const stream of [false, true]) {
      const { sent, ignored } = await ask('echo', { messages: [message], ...vendors, stream });
      expect(sent).not.toHaveProperty('top_k');
      expect(sent).toMatchObject({ messages });
      expect(ignored).toBe('top_k, chat_template_kwargs, messages.cache_control');
    }
  });

  it('are not named if a header cannot hold their name, and at most twenty are', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field_${String(i)}`, 1]));
    const { ignored } = await ask('echo', {
      messages,
      'x\r\nset-cookie: a': 1,
      é: 1,
      [`y${'y'.repeat(100)}`]: 1,
      ...many,
    });
    expect(ignored?.split(', ')).toEqual(Array.from({ length: 20 }, (_, i) => `field_${String(i)}`));
  });

  it("are paid for: the hold covers their text and the catalogue's extra for them", async () => {
    const heldFor = async (more: object): Promise<bigint> => {
      const { secret, accountId } = await harness.givenKey();
      const stream = await harness.complete(secret, 'vendors-stalls', {
        messages,
        stream: true,
        max_tokens: 20,
        ...more,
      });
      const { rows } = await harness.db.pool.query<{ held: string }>(
        'SELECT held_nano AS held FROM account_funds WHERE account_id = $1',
        [accountId],
      );
      await stream.body?.cancel();
      return BigInt(rows[0]?.held ?? '0');
    };
    const json = JSON.stringify(vendors.chat_template_kwargs);
    const difference =
      (await heldFor({ chat_template_kwargs: vendors.chat_template_kwargs })) - (await heldFor({}));
    expect(difference).toBe(1_000n * BigInt(2 * json.length + 300));
  });

  it('are refused if they are longer than options may be', async () => {
    const { secret } = await harness.givenKey();
    const response = await harness.complete(secret, 'vendors', { messages, top_k: 'x'.repeat(70_000) });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'top_k' } }]);
  });

  it('cannot replace a known field', async () => {
    const { sent } = await ask('vendors', { messages, top_k: 1, model_name: 'x', stream: false });
    expect(sent).toEqual({ model: 'sim-echo', messages, max_tokens: 100, top_k: 1 });
  });
});

it('a file goes to a model that reads files, and its tokens are held', async () => {
  const file = {
    type: 'file',
    file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
  };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Read:' }, file] }];
  expect((await ask('vendors', { messages })).sent).toMatchObject({ messages });
  const { secret } = await harness.givenKey();
  const response = await harness.complete(secret, 'echo', { messages });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { param: 'messages', message: 'This model does not take files.' } },
  ]);
});

it('an output limit is always sent, and usage is always requested for a stream', async () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  expect(await sentUpstream({ messages })).toEqual({ model: 'sim-echo', messages, max_tokens: 100 });
  const streamed = { model: 'sim-echo', messages, max_tokens: 100, stream: true };
  for (const stream_options of [undefined, { include_usage: false }, { include_usage: true }]) {
    const sent = await sentUpstream({ messages, stream: true, stream_options });
    expect(sent).toEqual({ ...streamed, stream_options: { include_usage: true } });
  }
});

it('no header of the customer goes upstream', async () => {
  const { secret } = await harness.givenKey();
  await harness.complete(secret, 'echo', undefined, {
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      cookie: 'customer=1',
      'x-customer': 'customer',
      'x-forwarded-for': '203.0.113.7',
      'x-request-id': 'customer-1',
      'idempotency-key': 'customer-key',
      'openai-organization': 'customer-org',
      'user-agent': 'customer/1.0',
    },
  });
  const headers = JSON.stringify(harness.upstream.requests().at(-1)?.headers);
  expect(headers).not.toMatch(/customer|203\.0\.113\.7/);
  expect(headers).not.toContain(secret);
});

describe('an answer has what the fields ask for', () => {
  async function complete(more: object) {
    const { secret } = await harness.givenKey();
    return chatCompletion.parse(await (await harness.complete(secret, 'echo', more)).json());
  }

  it('choices, each with its log probabilities', async () => {
    const answer = await complete({ n: 3, logprobs: true, top_logprobs: 2, max_tokens: 4 });
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(answer.usage.completion_tokens).toBe(12);
    for (const { message, logprobs } of answer.choices) {
      expect(logprobs?.content?.map(({ token }) => token).join('')).toBe(message.content);
      expect(logprobs?.content?.map((entry) => entry.top_logprobs.length)).toEqual([2, 2, 2, 2]);
    }
  });

  it('the same in a stream', async () => {
    const { secret } = await harness.givenKey();
    const asked = { n: 2, logprobs: true, top_logprobs: 1, max_tokens: 4 };
    const whole = await complete(asked);
    const { chunks } = await readStream(await harness.complete(secret, 'echo', { ...asked, stream: true }));
    for (const { index, message, logprobs } of whole.choices) {
      const parts = chunks.flatMap((chunk) => chunk.choices.filter((choice) => choice.index === index));
      expect(parts.map(({ delta }) => delta.content ?? '').join('')).toBe(message.content);
      expect(parts.flatMap((part) => part.logprobs?.content ?? [])).toEqual(logprobs?.content);
      expect(parts.at(-1)?.finish_reason).toBe('length');
    }
  });

  it('several tool calls, under ids of the service, with and without a stream', async () => {
    const named = (name: string) => ({ type: 'function', function: { name, parameters } });
    const asked = {
      tools: [named('weather'), named('time')],
      messages: [{ role: 'user', content: 'Please call weather and call time' }],
    };
    const calls = (await complete(asked)).choices[0]?.message.tool_calls ?? [];
    expect(calls.map((called) => called.function.name)).toEqual(['weather', 'time']);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);

    const { secret } = await harness.givenKey();
    const { chunks } = await readStream(await harness.complete(secret, 'echo', { ...asked, stream: true }));
    const parts = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    for (const [index, called] of calls.entries()) {
      const own = parts.filter((part) => part.index === index);
      expect(own.map((part) => part.function?.arguments ?? '').join('')).toBe(called.function.arguments);
      expect(own.flatMap(({ id }) => id ?? [])).toEqual([expect.stringMatching(/^call_[0-9a-f]{32}$/)]);
    }
  });

  it('an end at a stop sequence', async () => {
    const text = (await complete({})).choices[0]?.message.content ?? '';
    const stop = text.slice(20, 26);
    expect((await complete({ stop })).choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: text.split(stop)[0] },
    });
  });

  it('reasoning before the answer, which may be sent back', async () => {
    const { secret } = await harness.givenKey();
    const first = chatCompletion.parse(await (await harness.complete(secret, 'reasons')).json());
    const said = first.choices[0]?.message;
    expect(said?.reasoning_content).toBeTruthy();
    const messages = [{ role: 'user', content: 'Why?' }, said, { role: 'user', content: 'And then?' }];
    expect((await harness.complete(secret, 'reasons', { messages })).status).toBe(200);
    const { refusal, ...sent } = said ?? {};
    expect(refusal).toBeNull();
    expect(harness.upstream.requests().at(-1)?.body).toMatchObject({
      messages: [messages[0], sent, messages[2]],
    });
  });
});
