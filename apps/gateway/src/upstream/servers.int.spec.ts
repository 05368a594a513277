import { chatCompletion } from '@farebox/api';
import { waitUntil } from '@farebox/testing';
import { readStream } from '../../test/read-stream';
import {
  sendJson,
  startRoutesHarness,
  type RouteAnswer,
  type RoutesHarness,
} from '../../test/routes-harness';

/**
 * Answers observed from real servers (vLLM, llama.cpp, transformers, SGLang, TGI and others), each over HTTP:
 * what a customer gets and what is charged.
 */

/** Each test has its own model: failures of its upstream close none for the others. */
const MODELS = Array.from({ length: 60 }, (_, at) => `m${String(at)}`);
let harness: RoutesHarness;
let model: string;
beforeEach(() => {
  model = MODELS.pop() ?? '';
});
beforeAll(async () => {
  const tokenizer = 'o200k_base';
  harness = await startRoutesHarness([
    ...MODELS.map((id) => ({ id, routes: [{ upstream: 'a', model: id }], tokenizer })),
    ...MODELS.map((id) => ({
      id: `${id}-or-next`,
      routes: ['a', 'b'].map((upstream) => ({ upstream, model: id })),
      tokenizer,
    })),
  ]);
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

interface Said {
  message?: object;
  finish_reason?: string;
  usage?: object;
  /** Deltas of a stream, each an event of its own. Default: one delta with the message. */
  deltas?: object[];
  choices?: number;
}

const USAGE = { prompt_tokens: 10, completion_tokens: 4 };

/** Sends the same answer with and without a stream. */
function say({
  message = { content: 'ok' },
  finish_reason = 'stop',
  usage = USAGE,
  ...more
}: Said): RouteAnswer {
  const indices = Array.from({ length: more.choices ?? 1 }, (_, index) => index);
  return (res, { stream }) => {
    if (!stream) {
      sendJson(res, 200, { choices: indices.map((index) => ({ index, message, finish_reason })), usage });
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (value: object): boolean => res.write(`data: ${JSON.stringify(value)}\n\n`);
    for (const delta of more.deltas ?? [{ role: 'assistant', ...message }])
      for (const index of indices) send({ choices: [{ index, delta }] });
    for (const index of indices) send({ choices: [{ index, delta: {}, finish_reason }] });
    send({ choices: [], usage });
    res.end('data: [DONE]\n\n');
  };
}

interface SeenMessage {
  content: string;
  reasoning: string;
  calls: { name: string; arguments: string }[];
  finish: string | null;
}

interface Seen {
  status: number;
  /** The message of each choice. */
  messages: SeenMessage[];
  error: { code: string; message: string } | undefined;
  /** `undefined` if nothing was charged. */
  charge: { prompt: number; completion: number; estimated: boolean; cost: number } | undefined;
}

/** Asks as a new customer, and returns their answer and their charge. */
async function see(stream: boolean, more: object = {}, named = model): Promise<Seen> {
  const { secret, accountId } = await harness.givenKey();
  const response = await harness.complete(secret, named, { max_tokens: 20, stream, ...more });
  const { status } = response;
  const messages: SeenMessage[] = [];
  let error: Seen['error'];
  if (status !== 200) error = ((await response.json()) as { error: Seen['error'] }).error;
  else if (stream) for (const part of (await readStream(response)).chunks) addChunk(messages, part);
  else for (const choice of chatCompletion.parse(await response.json()).choices) addChoice(messages, choice);
  await waitUntil(
    async () =>
      (await harness.db.pool.query('SELECT 1 FROM hold WHERE account_id = $1', [accountId])).rowCount === 0,
    'nothing is held',
  );
  const { rows } = await harness.db.pool.query<NonNullable<Seen['charge']>>(
    `SELECT prompt_tokens AS prompt, completion_tokens AS completion, estimated, cost_nano::int AS cost
     FROM usage_record WHERE account_id = $1`,
    [accountId],
  );
  return { status, messages, error, charge: rows[0] };
}

type WholeChoice = ReturnType<typeof chatCompletion.parse>['choices'][number];

function addChoice(messages: SeenMessage[], { message, finish_reason: finish }: WholeChoice): void {
  messages.push({
    content: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    calls: (message.tool_calls ?? []).map((call) => ({
      name: call.function.name,
      arguments: call.function.arguments,
    })),
    finish,
  });
}

type Chunk = Awaited<ReturnType<typeof readStream>>['chunks'][number];

function addChunk(messages: SeenMessage[], { choices }: Chunk): void {
  for (const { index, delta, finish_reason: finish } of choices) {
    const message = (messages[index] ??= { content: '', reasoning: '', calls: [], finish: null });
    message.content += delta.content ?? '';
    message.reasoning += delta.reasoning_content ?? '';
    message.finish ??= finish;
    for (const piece of delta.tool_calls ?? []) {
      const call = (message.calls[piece.index] ??= { name: '', arguments: '' });
      call.name += piece.function?.name ?? '';
      call.arguments += piece.function?.arguments ?? '';
    }
  }
}

const costOf = (prompt: number, completion: number): number => prompt * 1_000 + completion * 2_000;
const TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };
const hi = { messages: [{ role: 'user', content: 'hi' }] };

describe.each([false, true])('an answer of a real server (streamed: %s)', (stream) => {
  it.each([
    ['Qwen 2.5', 28, 156],
    ['Llama 3.3', 30, 149],
    ['gpt-oss', 66, 111],
    ['Hermes 3', 196, 251],
  ])('1. the prompt of %s is held in full, even at the output limit', async (_name, plain, tools) => {
    for (const [prompt, more] of [
      [plain, {}],
      [tools, { tools: [TOOL] }],
    ] as const) {
      harness.answer(`a/${model}`, say({ usage: { prompt_tokens: prompt, completion_tokens: 20 } }));
      const { charge } = await see(stream, { ...hi, ...more });
      expect(charge).toEqual({ prompt, completion: 20, estimated: false, cost: costOf(prompt, 20) });
    }
    const overHold = `SELECT 1 FROM billing_review WHERE reason = 'usage_over_hold'`;
    expect((await harness.db.pool.query(overHold)).rowCount).toBe(0);
  });

  it.each(['reasoning', 'reasoning_content'])('2. reasoning is passed on as %s', async (field) => {
    const deltas = [{ role: 'assistant' }, { [field]: 'why' }, { content: 'ok' }];
    harness.answer(`a/${model}`, say({ message: { content: 'ok', [field]: 'why' }, deltas }));
    const { messages } = await see(stream);
    expect(messages).toEqual([{ content: 'ok', reasoning: 'why', calls: [], finish: 'stop' }]);
  });

  it('3. a first event without text is not an answer: the next route is asked', async () => {
    harness.answer(`a/${model}`, (res, { stream: streamed }) => {
      if (!streamed) {
        res.destroy();
        return;
      }
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const begun = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] };
      res.write(`data: ${JSON.stringify(begun)}\n\n`, () => res.destroy());
    });
    const { status, messages } = await see(stream, {}, `${model}-or-next`);
    expect([status, messages.map(({ content }) => content)]).toEqual([200, ['ok']]);
  });

  it("4. a 500 for one customer's request is their 400, and the model stays open", async () => {
    harness.answer(`a/${model}`, (res, asked, req) => {
      if (asked['logit_bias'] === undefined) say({})(res, asked, req);
      else sendJson(res, 500, { error: { message: 'logit_bias is not supported' } });
    });
    for (let sent = 0; sent < 6; sent++) {
      const broken = await see(stream, { logit_bias: { '1': 1 } });
      expect([broken.status, broken.charge]).toEqual([400, undefined]);
      expect((await see(stream)).status).toBe(200);
    }
  });

  it.each([
    [
      'llama.cpp',
      { error: { code: 400, message: 'too long', type: 'exceed_context_size_error', n_prompt_tokens: 900 } },
    ],
    [
      'vLLM',
      {
        object: 'error',
        message: "This model's maximum context length is 8192 tokens.",
        type: 'BadRequestError',
        code: 400,
      },
    ],
    ['OpenAI', { error: { message: 'too long', code: 'context_length_exceeded', param: 'messages' } }],
  ])('5. an overflow of the context reported as %s is recognised', async (_server, body) => {
    harness.answer(`a/${model}`, (res) => {
      sendJson(res, 400, body);
    });
    const { status, error, charge } = await see(stream);
    expect([status, error?.code, charge]).toEqual([400, 'invalid_request_error', undefined]);
    expect(error?.message).toContain('context window');
    expect(error?.message).not.toContain('8192');
  });

  it('6. one choice instead of two is passed on and charged', async () => {
    harness.answer(`a/${model}`, say({}));
    const { messages, charge } = await see(stream, { n: 2 });
    expect(messages.map(({ content }) => content)).toEqual(['ok']);
    expect(charge).toMatchObject({ completion: 4, estimated: false });
  });

  it('6. the usage of one choice is not believed for two', async () => {
    const message = { content: 'The cat sat on the mat.' };
    harness.answer(
      `a/${model}`,
      say({ message, choices: 2, usage: { prompt_tokens: 10, completion_tokens: 7 } }),
    );
    const { messages, charge } = await see(stream, { n: 2 });
    expect(messages.map(({ content }) => content)).toEqual([message.content, message.content]);
    expect(charge).toMatchObject({ completion: 14, estimated: true });
  });

  it.each([
    ['zeros', { prompt_tokens: 0, completion_tokens: 0 }],
    ['more than was asked for', { prompt_tokens: 10, completion_tokens: 999_999 }],
    ['more than there is room for', { prompt_tokens: 999_999, completion_tokens: 2 }],
  ])('7. usage of %s is not believed: the service counts', async (_what, usage) => {
    harness.answer(`a/${model}`, say({ usage }));
    const { status, charge } = await see(stream);
    expect([status, charge?.completion, charge?.estimated]).toEqual([200, 1, true]);
    expect(charge?.prompt).toBeLessThan(30);
  });

  const calls = [
    { name: 'look', arguments: '{"at":1}' },
    { name: 'look', arguments: '{"at":2}' },
  ];

  it('8. parallel calls without an index, and arguments that are objects, stay separate', async () => {
    const pieces = [1, 2].map((at) => ({
      id: `c${String(at)}`,
      function: { name: 'look', arguments: { at } },
    }));
    const deltas = pieces.map((piece) => ({ tool_calls: [piece] }));
    harness.answer(
      `a/${model}`,
      say({ message: { content: null, tool_calls: pieces }, deltas, finish_reason: 'tool_calls' }),
    );
    const { messages } = await see(stream, { tools: [TOOL] });
    expect(messages).toEqual([{ content: '', reasoning: '', calls, finish: 'tool_calls' }]);
  });

  it('8. a legacy function call is read', async () => {
    const call = { name: 'look', arguments: '{"at":1}' };
    const deltas = [
      { function_call: { name: 'look', arguments: '' } },
      { function_call: { arguments: '{"at":1}' } },
    ];
    harness.answer(
      `a/${model}`,
      say({ message: { function_call: call }, deltas, finish_reason: 'function_call' }),
    );
    const { messages } = await see(stream, { tools: [TOOL] });
    expect(messages).toEqual([{ content: '', reasoning: '', calls: [call], finish: 'tool_calls' }]);
  });

  it('8. content in parts is joined, and a finish at the limit is kept', async () => {
    const content = [
      { type: 'text', text: 'o' },
      { type: 'text', text: 'k' },
    ];
    harness.answer(`a/${model}`, say({ message: { content }, finish_reason: 'max_tokens' }));
    const { messages } = await see(stream);
    expect(messages).toEqual([{ content: 'ok', reasoning: '', calls: [], finish: 'length' }]);
  });

  it.each(['abort', 'error'])('8. a finish of "%s" is a failure', async (finish) => {
    harness.answer(`a/${model}`, say({ finish_reason: finish, deltas: [{ role: 'assistant' }] }));
    const { status, error, charge } = await see(stream);
    expect([status, error?.code, charge]).toEqual([503, 'service_unavailable', undefined]);
  });

  it('9. the kinds of tokens are passed on', async () => {
    const details = {
      prompt_tokens_details: { cached_tokens: 7 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    harness.answer(`a/${model}`, say({ usage: { ...USAGE, ...details } }));
    const { secret } = await harness.givenKey();
    const more = { stream, ...(stream && { stream_options: { include_usage: true } }) };
    const response = await harness.complete(secret, model, more);
    const { usage } = stream
      ? ((await readStream(response)).chunks.at(-1) ?? { usage: undefined })
      : chatCompletion.parse(await response.json());
    expect(usage).toMatchObject({ ...USAGE, ...details });
  });

  const endless: [string, object][] = [
    ['text', { content: ' word' }],
    ['thoughts', { reasoning: ' word' }],
    ['a call', { tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: ' word' } }] }],
  ];
  it.each(endless)('10. an endless %s is cut off at the limit and abandoned', async (_what, delta) => {
    let isLeft = false;
    harness.answer(`a/${model}`, (res, { stream: streamed }) => {
      res.once('close', () => (isLeft = true));
      res.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' });
      const piece = streamed
        ? `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
        : `{"choices":[{"message":{"content":"${' word'.repeat(10_000)}`;
      const goOn = (): void => {
        while (!res.destroyed && res.write(piece));
        if (!res.destroyed) res.once('drain', goOn);
      };
      goOn();
    });
    const { status, messages, charge } = await see(stream);
    await waitUntil(() => isLeft, 'the upstream is left');
    if (!stream) {
      expect([status, charge]).toEqual([503, undefined]);
      return;
    }
    expect([status, messages[0]?.finish]).toEqual([200, 'length']);
    expect(charge).toMatchObject({ estimated: true, completion: expect.any(Number) as number });
    expect(charge?.completion).toBeLessThanOrEqual(20);
  });
});

describe('a stream with an unusual content type', () => {
  const answerAs = (type: string | undefined, body: string[]): void => {
    harness.answer(`a/${model}`, (res) => {
      res.writeHead(200, type === undefined ? {} : { 'content-type': type });
      const goOn = (): void => {
        const piece = body.shift();
        if (piece === undefined) res.end();
        else res.write(piece, () => setImmediate(goOn));
      };
      goOn();
    });
  };
  const events = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'ok' } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: USAGE },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`);

  it.each(['text/plain; charset=utf-8', 'application/x-ndjson', undefined])('%s is read', async (type) => {
    const text = [...events, 'data: [DONE]\n\n'].join('');
    answerAs(type, [text]);
    const { status, messages, charge } = await see(true);
    expect([status, messages[0]?.content, charge?.estimated]).toEqual([200, 'ok', false]);
  });

  it.each(['<html>data: {}</html>', '{"data":"x"}', 'da'])(
    'a body that is not a stream is rejected: %s',
    async (text) => {
      answerAs('text/plain', [text]);
      const { status, charge } = await see(true);
      expect([status, charge]).toEqual([503, undefined]);
    },
  );
});
