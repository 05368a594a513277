import { chatCompletion, type CompletionUsage } from '@farebox/api';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../test/gateway-harness';
import { readStream } from '../test/read-stream';

// Every kind of token has its price: the kinds that an upstream reports are passed on, charged and kept.

/** In nano-dollars a token: 1000, 100, 1250, 2000 and 3000, and twice that for prompts over 60 tokens. */
const PRICES = `input_price: 1
    cached_input_price: 0.1
    cache_write_price: 1.25
    output_price: 2
    reasoning_price: 3
    request_price: 0.001
    price_steps:
      - { above_prompt_tokens: 60, input_price: 2, cached_input_price: 0.2, cache_write_price: 2.5, output_price: 4, reasoning_price: 6 }`;

const catalogOf = (url: string): string => `
upstreams: [{ id: sim, base_url: "${url}", api_key_env: HARNESS_UPSTREAM_KEY, prompt_cache: shared }]
models:
${['cached', 'reasoning', 'breaks', 'echo']
  .map(
    (name) => `
  - id: ${name}
    routes: [{ upstream: sim, model: sim-${name} }]
    ${PRICES}
    image_price: 0.01
    modalities: [text, image]
    image_tokens: 1000
    context_window: 8192
    max_output_tokens: 4096
    default_max_output_tokens: 100
    tokenizer: o200k_base`,
  )
  .join('')}`;

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness({}, { catalog: catalogOf });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

interface Kept {
  prompt: number;
  completion: number;
  cached: number | null;
  written: number | null;
  reasoning: number | null;
  images: number | null;
  cost: string;
  streamed: boolean;
}

async function keptOf(accountId: string): Promise<Kept> {
  let kept: Kept[] = [];
  await waitUntil(async () => {
    const { rows } = await harness.db.pool.query<Kept>(
      `SELECT prompt_tokens AS prompt, completion_tokens AS completion, cached_tokens AS cached,
              cache_write_tokens AS written, reasoning_tokens AS reasoning, images, cost_nano::text AS cost, streamed
       FROM usage_record WHERE account_id = $1`,
      [accountId],
    );
    kept = rows;
    return rows.length > 0;
  }, 'the request is charged');
  const [row] = kept;
  if (!row) throw new Error('nothing was charged');
  return row;
}

const REQUEST_NANO = 1_000_000n;

/** The cost of each kind by the kept prices, below or above the step. */
function costOf({ prompt, completion, cached, written, reasoning, images }: Kept): bigint {
  const [read, wrote, thought] = [cached ?? 0, written ?? 0, reasoning ?? 0];
  const base =
    (prompt - read - wrote) * 1_000 +
    read * 100 +
    wrote * 1_250 +
    (completion - thought) * 2_000 +
    thought * 3_000;
  return REQUEST_NANO + BigInt(base * (prompt > 60 ? 2 : 1)) + BigInt(images ?? 0) * 10_000_000n;
}

async function ask(
  model: string,
  messages: object[],
  how: object,
): Promise<{ usage: CompletionUsage; kept: Kept }> {
  const { secret, accountId } = await harness.givenKey();
  const response = await harness.complete(secret, model, { messages, ...how });
  expect(response.status).toBe(200);
  const usage =
    'stream' in how
      ? (await readStream(response)).chunks.at(-1)?.usage
      : chatCompletion.parse(await response.json()).usage;
  if (!usage) throw new Error('the response has no usage');
  return { usage, kept: await keptOf(accountId) };
}

const user = (content: unknown): object[] => [{ role: 'user', content }];
const STREAMED = { stream: true, stream_options: { include_usage: true } };

describe.each([
  ['in one piece', {}],
  ['streamed', STREAMED],
])('a response %s', (_how, how) => {
  it.each([
    ['short', 'Good morning'],
    ['longer than a step', 'word '.repeat(200)],
  ])('with cached tokens costs what each kind costs, with a prompt that is %s', async (_name, text) => {
    const { usage, kept } = await ask('cached', user(text), how);
    const [half, quarter] = [Math.floor(kept.prompt / 2), Math.floor(kept.prompt / 4)];
    expect(kept).toMatchObject({ cached: half, written: quarter, reasoning: null, images: null });
    expect(usage).toMatchObject({
      prompt_tokens: kept.prompt,
      prompt_tokens_details: { cached_tokens: half, cache_write_tokens: quarter },
    });
    // Not reported, and kept as such.
    expect(usage.completion_tokens_details).toEqual({ reasoning_tokens: 0 });
    expect([BigInt(kept.cost), usage.cost]).toEqual([costOf(kept), dollars(kept.cost)]);
    expect(kept.prompt > 60).toBe(text.length > 100);
  });

  it('with reasoning tokens costs their price', async () => {
    const { usage, kept } = await ask('reasoning', user('Why?'), how);
    const half = Math.floor(kept.completion / 2);
    expect(kept).toMatchObject({ reasoning: half, cached: null, written: null });
    expect(usage.completion_tokens_details).toEqual({ reasoning_tokens: half });
    expect([BigInt(kept.cost), usage.cost]).toEqual([costOf(kept), dollars(kept.cost)]);
  });

  it('to an image costs its price too', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const { usage, kept } = await ask('echo', user([image, image]), how);
    expect(kept.images).toBe(2);
    expect([BigInt(kept.cost), usage.cost]).toEqual([costOf(kept), dollars(kept.cost)]);
  });
});

it('a stream that breaks off costs the request, the prompt and what was delivered', async () => {
  const { secret, accountId } = await harness.givenKey();
  const response = await harness.complete(secret, 'breaks', { messages: user('Hi'), stream: true });
  expect((await readStream(response)).cut).toBe(true);
  const kept = await keptOf(accountId);
  expect(kept).toMatchObject({ cached: null, written: null, reasoning: null });
  expect(kept.completion).toBeGreaterThan(0);
  expect(BigInt(kept.cost)).toBe(costOf(kept));
});

it.each([
  [2_300_000n, 402],
  [2_400_000n, 200],
])(
  'the hold assumes the dearest kind for every token: of %s nano-dollars the answer is %i',
  async (balanceNano, status) => {
    // 100 output tokens at 6000, a request at 1000000, and a prompt of 272 tokens around some 21 words at 2500.
    const { secret } = await harness.givenKey({ balanceNano });
    const messages = user('word '.repeat(20));
    expect((await harness.complete(secret, 'cached', { messages })).status).toBe(status);
  },
);

function dollars(nano: string): string {
  const digits = nano.padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}
