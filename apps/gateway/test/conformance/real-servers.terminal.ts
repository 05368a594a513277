import { chatCompletion } from '@farebox/api';
import { PATIENT_UPSTREAM, startGatewayHarness, waitUntil, type GatewayHarness } from '../gateway-harness';
import {
  openRealServer,
  OPTIONS_VARIABLE,
  type RealServer,
  type RealServerOptions,
} from '../real-servers/real-server';
import { askBy, readBy, WIRE_CASES } from '../wires';

/**
 * Requirements for an upstream, tested on a real server through the service: `npm run real-servers`, not part
 * of `npm test`. Nothing depends on the content of answers: a model with random weights passes.
 */

const MODEL = 'served';
const EMBEDDER = 'embedder';
const KEY_VARIABLE = 'REAL_SERVER_KEY';

let server: RealServer;
let harness: GatewayHarness;
beforeAll(async () => {
  const options = JSON.parse(process.env[OPTIONS_VARIABLE] ?? '{}') as RealServerOptions;
  server = await openRealServer(options);
  process.stderr.write(`Upstream: ${server.about}\n`);
  const { apiKey } = server;
  harness = await startGatewayHarness(
    {},
    {
      catalog: () => catalogOf(server),
      ...(apiKey !== undefined && { secrets: { [KEY_VARIABLE]: apiKey } }),
    },
  );
}, 120_000);
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
  await server.close();
});

/** The service would itself refuse a prompt too long for its catalogue; here the server must do it. */
const CONTEXTS_ALLOWED = 16;

function catalogOf({ baseUrl, model, embeddings, apiKey, contextTokens }: RealServer): string {
  const key = apiKey === undefined ? {} : { api_key_env: KEY_VARIABLE };
  const upstreamOf = (id: string, url: string): string =>
    `  - { id: ${id}, base_url: "${url}", ${PATIENT_UPSTREAM}, ${JSON.stringify(key).slice(1, -1)} }`;
  const context = String(contextTokens * CONTEXTS_ALLOWED);
  const terms = `input_price: 1, context_window: ${context}, tokenizer: o200k_base`;
  const chat = `output_price: 2, max_output_tokens: ${String(contextTokens)}`;
  return [
    'upstreams:',
    upstreamOf('chat', baseUrl),
    ...(embeddings ? [upstreamOf('vectors', embeddings.baseUrl)] : []),
    'models:',
    `  - { id: ${MODEL}, routes: [{ upstream: chat, model: "${model}" }], ${terms}, ${chat} }`,
    ...(embeddings
      ? [
          `  - { id: ${EMBEDDER}, kind: embeddings, routes: [{ upstream: vectors, model: "${embeddings.model}" }], ${terms} }`,
        ]
      : []),
  ].join('\n');
}

interface Charge {
  prompt: number;
  completion: number;
  outcome: string;
  estimated: boolean;
}

/** The charges of an account once it has no holds. */
async function chargesOf(accountId: string): Promise<Charge[]> {
  const { pool } = harness.db;
  await waitUntil(
    async () => (await pool.query('SELECT 1 FROM hold WHERE account_id = $1', [accountId])).rowCount === 0,
    'nothing is held',
  );
  const { rows } = await pool.query<Charge>(
    `SELECT prompt_tokens AS prompt, completion_tokens AS completion, outcome, estimated
     FROM usage_record WHERE account_id = $1`,
    [accountId],
  );
  return rows;
}

async function expectNoReview(): Promise<void> {
  expect((await harness.db.pool.query('SELECT reason FROM billing_review')).rows).toEqual([]);
}

const LONG_MS = 120_000;

describe.each(WIRE_CASES)('by $name', (wire) => {
  it.each([
    ['without a stream', false],
    ['as a stream', true],
  ])(
    'it answers %s, and reports the tokens used',
    async (_how, stream) => {
      const { secret, accountId } = await harness.givenKey();
      const result = await readBy(wire, await askBy(wire, harness, secret, { model: MODEL, stream }));
      expect(result).toMatchObject({ isWhole: true, isCut: false, error: undefined });
      const [charge] = await chargesOf(accountId);
      expect(charge).toMatchObject({ outcome: 'completed', estimated: false });
      expect(result.usage).toMatchObject({ inputTokens: charge?.prompt, outputTokens: charge?.completion });
      expect(charge?.prompt).toBeGreaterThan(0);
      expect(charge?.completion).toBeGreaterThan(0);
      await expectNoReview();
    },
    LONG_MS,
  );

  it.each([
    ['without a stream', false],
    ['as a stream', true],
  ])(
    'it makes a forced function call, %s',
    async (_how, stream) => {
      const { secret, accountId } = await harness.givenKey();
      const asked = { model: MODEL, stream, tool: true, maxTokens: 1_000 };
      const result = await readBy(wire, await askBy(wire, harness, secret, asked));
      expect(result).toMatchObject({ isWhole: true, error: undefined });
      // Some models repeat the call.
      expect(new Set(result.calls)).toEqual(new Set(['weather']));
      expect(await chargesOf(accountId)).toMatchObject([{ outcome: 'completed', estimated: false }]);
    },
    LONG_MS,
  );
});

it(
  'writes JSON that fits a schema',
  async () => {
    const { secret } = await harness.givenKey();
    const schema = {
      type: 'object',
      properties: { line: { type: 'integer' }, day: { enum: ['today', 'tomorrow'] } },
      required: ['line', 'day'],
      additionalProperties: false,
    };
    const response_format = { type: 'json_schema', json_schema: { name: 'ride', strict: true, schema } };
    const response = await harness.complete(secret, MODEL, { response_format, max_tokens: 1_000 });
    const { choices } = chatCompletion.parse(await response.json());
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({
      line: expect.any(Number) as number,
      day: expect.stringMatching(/^(today|tomorrow)$/) as string,
    });
  },
  LONG_MS,
);

it(
  'ends at its output limit, and reports that',
  async () => {
    const { secret, accountId } = await harness.givenKey();
    const response = await harness.complete(secret, MODEL, { max_tokens: 5, messages: counting() });
    const { choices } = chatCompletion.parse(await response.json());
    expect(choices[0]?.finish_reason).toBe('length');
    expect(await chargesOf(accountId)).toMatchObject([{ completion: 5, estimated: false }]);
  },
  LONG_MS,
);

it(
  'accepts a prompt of three quarters of its context in bytes',
  async () => {
    const { secret, accountId } = await harness.givenKey();
    const messages = [{ role: 'user', content: 'tram '.repeat((server.contextTokens * 0.75) / 5) }];
    const response = await harness.complete(secret, MODEL, { messages, max_tokens: 10 });
    expect(response.status).toBe(200);
    const [charge] = await chargesOf(accountId);
    expect(charge).toMatchObject({ outcome: 'completed', estimated: false });
    expect(charge?.prompt).toBeGreaterThan(server.contextTokens / 10);
    await expectNoReview();
  },
  LONG_MS,
);

it.each([false, true])(
  'refuses a prompt over its context, which costs nothing and is reported as an overflow (streamed: %s)',
  async (stream) => {
    const { secret, accountId } = await harness.givenKey();
    const messages = [{ role: 'user', content: 'tram '.repeat(server.contextTokens * 2) }];
    const response = await harness.complete(secret, MODEL, { messages, stream, max_tokens: 10 });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([400, 'invalid_request_error']);
    expect(error.message).toContain('context window');
    expect(await chargesOf(accountId)).toEqual([]);
    // The refusal closes the model for nobody.
    expect((await harness.complete(secret, MODEL, { max_tokens: 1 })).status).toBe(200);
  },
  LONG_MS,
);

it(
  'charges a client who leaves within a stream for what was delivered',
  async () => {
    const { secret, accountId } = await harness.givenKey();
    const going = new AbortController();
    const max_tokens = Math.floor(server.contextTokens / 2);
    const asked = { method: 'POST', headers: headersOf(secret), signal: going.signal };
    const response = await fetch(`${harness.url}/v1/chat/completions`, {
      ...asked,
      body: JSON.stringify({ model: MODEL, stream: true, max_tokens, messages: counting() }),
    });
    const reader = response.body?.getReader();
    let seen = '';
    while (seen.split('"content"').length < 5)
      seen += Buffer.from((await reader?.read())?.value ?? []).toString();
    going.abort();
    await waitUntil(async () => (await chargesOf(accountId)).length === 1, 'it is charged');
    const [charge] = await chargesOf(accountId);
    expect(charge).toMatchObject({ outcome: 'client_gone', estimated: true });
    expect(charge?.completion).toBeGreaterThan(0);
    expect(charge?.completion).toBeLessThan(max_tokens);
    await expectIdle();
  },
  LONG_MS,
);

it(
  'charges nothing to a client who leaves before a non-streamed response',
  async () => {
    const { secret, accountId } = await harness.givenKey();
    const going = new AbortController();
    const max_tokens = Math.floor(server.contextTokens / 2);
    const body = JSON.stringify({ model: MODEL, max_tokens, messages: counting() });
    const asked = fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: headersOf(secret),
      signal: going.signal,
      body,
    });
    const isHeld = async (): Promise<boolean> =>
      (await harness.db.pool.query('SELECT 1 FROM hold WHERE account_id = $1', [accountId])).rowCount === 1;
    await waitUntil(async () => (server.isBusy ? await server.isBusy() : await isHeld()), 'it is at work');
    going.abort();
    await expect(asked).rejects.toThrow();
    expect(await chargesOf(accountId)).toEqual([]);
    await expectIdle();
  },
  LONG_MS,
);

it(
  'answers two concurrent requests separately',
  async () => {
    const customers = await Promise.all([harness.givenKey(), harness.givenKey()]);
    await Promise.all(
      customers.map(async ({ secret }) => {
        const [wire] = WIRE_CASES;
        if (!wire) throw new Error('there is no wire');
        const asked = { model: MODEL, stream: true, maxTokens: 100 };
        expect(await readBy(wire, await askBy(wire, harness, secret, asked))).toMatchObject({
          isWhole: true,
        });
      }),
    );
    for (const { accountId } of customers)
      expect(await chargesOf(accountId)).toMatchObject([{ outcome: 'completed', estimated: false }]);
  },
  LONG_MS,
);

it(
  'makes embeddings, if it has a model for them',
  async () => {
    if (!server.embeddings) {
      process.stderr.write('No model for embeddings was named.\n');
      return;
    }
    const { secret, accountId } = await harness.givenKey();
    for (const encoding_format of ['float', 'base64']) {
      const response = await fetch(`${harness.url}/v1/embeddings`, {
        method: 'POST',
        headers: headersOf(secret),
        body: JSON.stringify({ model: EMBEDDER, input: ['One text.', 'And another.'], encoding_format }),
      });
      const { data } = (await response.json()) as { data: { embedding: unknown }[] };
      expect(data).toHaveLength(2);
      expect(data[0]?.embedding).not.toEqual(data[1]?.embedding);
    }
    const charges = await chargesOf(accountId);
    expect(charges).toHaveLength(2);
    for (const charge of charges) expect(charge).toMatchObject({ completion: 0, estimated: false });
  },
  LONG_MS,
);

/** A prompt with a long answer. */
const counting = () => [
  { role: 'user', content: 'Count from one to ten thousand, a number a line. Leave none out.' },
];

const headersOf = (secret: string) => ({
  authorization: `Bearer ${secret}`,
  'content-type': 'application/json',
});

/**
 * An aborted request must stop the model. A server that does not report its work must at least answer the
 * next request.
 */
async function expectIdle(): Promise<void> {
  const { isBusy } = server;
  if (isBusy) await waitUntil(async () => !(await isBusy()), 'the server is at work for nobody');
  const { secret } = await harness.givenKey();
  expect((await harness.complete(secret, MODEL, { max_tokens: 1 })).status).toBe(200);
}
