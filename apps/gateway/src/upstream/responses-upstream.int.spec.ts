import {
  PATIENT_UPSTREAM,
  startGatewayHarness,
  UPSTREAM_SECRET_VARIABLE,
  type GatewayHarness,
} from '../../test/gateway-harness';
import { askBy, readBy, WIRE_CASES } from '../../test/wires';

// A Responses server is asked in its own wire, whichever wire the client uses.

const MODELS = [
  ...['echo', 'reasons', 'split', 'breaks', 'ends-early', 'closes', 'refuses-429', 'refuses-400'],
  ...['no-usage', 'error-midstream', 'cached'],
];

function catalogOf(url: string): string {
  const models = MODELS.map(
    (name) => `
  - { id: ${name}, routes: [{ upstream: native, model: sim-${name} }], input_price: 1, cached_input_price: 0.1, output_price: 2, context_window: 8192, max_output_tokens: 4096, tokenizer: o200k_base }`,
  );
  return `
upstreams:
  - { id: native, base_url: "${url}", wire: responses, prompt_cache: shared, api_key_env: ${UPSTREAM_SECRET_VARIABLE}, ${PATIENT_UPSTREAM} }
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
  const { path, body } = harness.upstream.requests().at(-1) ?? {};
  return { path, body: body as Record<string, unknown> };
};

const post = async (path: string, secret: string, body: object): Promise<Record<string, unknown>> => {
  const response = await fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
};

describe.each(WIRE_CASES)('$name', (wire) => {
  it('gives the same answer with and without a stream', async () => {
    const { secret } = await harness.givenKey();
    const whole = await readBy(wire, await askBy(wire, harness, secret, { model: 'echo' }));
    expect(lastRequest().path).toBe('/v1/responses');
    const streamed = await readBy(wire, await askBy(wire, harness, secret, { model: 'echo', stream: true }));
    expect(whole).toMatchObject({ isWhole: true, error: undefined });
    expect(whole.text).not.toBe('');
    expect({ ...streamed, id: '' }).toEqual({ ...whole, id: '' });
  });

  it('reads a stream with unusual framing', async () => {
    const { secret } = await harness.givenKey();
    const result = await readBy(wire, await askBy(wire, harness, secret, { model: 'split', stream: true }));
    expect(result).toMatchObject({ isWhole: true, error: undefined });
  });

  it.each([false, true])('passes function calls on (streamed: %s)', async (stream) => {
    const { secret } = await harness.givenKey();
    const response = await askBy(wire, harness, secret, { model: 'echo', stream, tool: true });
    expect(await readBy(wire, response)).toMatchObject({ calls: ['weather'], isWhole: true });
    expect(lastRequest().body).toMatchObject({ tool_choice: 'required', store: false });
  });

  it.each(['breaks', 'ends-early', 'error-midstream'])(
    'gets an error if a stream of %s fails',
    async (model) => {
      const { secret } = await harness.givenKey();
      const result = await readBy(wire, await askBy(wire, harness, secret, { model, stream: true }));
      expect(result).toMatchObject({ isWhole: false, error: wire.nameOf('service_unavailable') });
    },
  );

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

/** The server refuses thoughts that it has not sealed, and those without a seal. */
describe('a sealed thought comes back to the server', () => {
  const sealOf = (): unknown => {
    const { input } = lastRequest().body as { input: { type?: string; encrypted_content?: string }[] };
    return input.find(({ type }) => type === 'reasoning')?.encrypted_content;
  };
  const user = { role: 'user', content: 'Think.' };
  const more = { role: 'user', content: 'Go on.' };

  it('from a client of chat', async () => {
    const { secret } = await harness.givenKey();
    const ask = (messages: unknown[]) => post('/v1/chat/completions', secret, { model: 'reasons', messages });
    const { choices } = (await ask([user])) as { choices: { message: object }[] };
    await ask([user, choices[0]?.message, more]);
    expect(sealOf()).toMatch(/^gAAAA/);
  });

  it('from a client of Responses', async () => {
    const { secret } = await harness.givenKey();
    const asked = { model: 'reasons', include: ['reasoning.encrypted_content'], store: false };
    const ask = (input: unknown[]) => post('/v1/responses', secret, { ...asked, input });
    const { output } = (await ask([user])) as { output: object[] };
    await ask([user, ...output, more]);
    expect(sealOf()).toMatch(/^gAAAA/);
  });

  it('or is left out if another server has sealed it', async () => {
    const { secret } = await harness.givenKey();
    const foreign = { type: 'reasoning.encrypted', data: 'rs1.foreign' };
    const answer = { role: 'assistant', content: 'Yes.', reasoning_details: [foreign] };
    const { choices } = await post('/v1/chat/completions', secret, {
      model: 'reasons',
      messages: [user, answer, more],
    });
    expect(choices).toHaveLength(1);
    expect(sealOf()).toBeUndefined();
  });

  it('from a client of messages', async () => {
    const { secret } = await harness.givenKey();
    const asked = { model: 'reasons', max_tokens: 1_000 };
    const ask = (messages: unknown[]) => post('/v1/messages', secret, { ...asked, messages });
    const { content } = (await ask([user])) as { content: object[] };
    await ask([user, { role: 'assistant', content }, more]);
    expect(sealOf()).toMatch(/^gAAAA/);
  });
});

it('cache reads are reported and priced', async () => {
  const { secret } = await harness.givenKey();
  const { usage } = (await post('/v1/responses', secret, { model: 'cached', input: 'Tell me.' })) as {
    usage: { input_tokens_details: { cached_tokens: number } };
  };
  expect(usage.input_tokens_details.cached_tokens).toBeGreaterThan(0);
});

it('fields of the request get their names in Responses', async () => {
  const { secret } = await harness.givenKey();
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  await post('/v1/chat/completions', secret, {
    model: 'echo',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ],
    tools: [{ type: 'function', function: { name: 'w', parameters: schema } }],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning_effort: 'low',
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
    max_completion_tokens: 100,
    temperature: 0.5,
    seed: 7,
    stop: 'END',
  });
  expect(lastRequest().body).toEqual({
    model: 'sim-echo',
    input: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    ],
    tools: [{ type: 'function', name: 'w', parameters: schema, strict: false }],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'low' },
    text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } },
    include: ['reasoning.encrypted_content'],
    max_output_tokens: 100,
    temperature: 0.5,
    store: false,
  });
});
