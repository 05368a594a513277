import type { IncomingMessage, ServerResponse } from 'node:http';
import { waitUntil } from '@farebox/testing';
import {
  PATIENT_UPSTREAM,
  startGatewayHarness,
  UPSTREAM_SECRET_VARIABLE,
  type GatewayHarness,
} from '../test/gateway-harness';
import { startOwnUpstream, type OwnUpstream } from '../test/own-upstream';

let harness: GatewayHarness;
let own: OwnUpstream;
let neighbour: string;
beforeAll(async () => {
  own = await startOwnUpstream(answerWithoutUsage);
  harness = await startGatewayHarness({}, { catalog: (url) => catalogOf(url, own.url) });
  neighbour = (await harness.givenKey()).secret;
  // The thread has loaded its tables, and every connection is open.
  await ask((await harness.givenKey({ balanceNano: 400_000n })).secret, cjk(1_000));
  await ask(neighbour, 'Hi');
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
  await own.close();
});

/** Prices of a thousand and two thousand nano-dollars a token. */
const catalogOf = (simulatedUrl: string, ownUrl: string): string => `
upstreams:
  - { id: sim, base_url: "${simulatedUrl}", api_key_env: ${UPSTREAM_SECRET_VARIABLE}, ${PATIENT_UPSTREAM} }
  - { id: own, base_url: "${ownUrl}", ${PATIENT_UPSTREAM} }
models:
${[
  ['echo', 'sim, model: sim-echo', 'prompt_overhead: { prompt: 16, message: 8 }'],
  ['usual-template', 'sim, model: sim-template', ''],
  ['unreported', 'own, model: any', ''],
]
  .map(
    ([id, route, more]) => `
  - id: ${id}
    routes: [{ upstream: ${route} }]
    input_price: 1
    output_price: 2
    context_window: 8192
    max_output_tokens: 4096
    tokenizer: o200k_base
    ${more}`,
  )
  .join('')}`;

/** A stream that begins and never ends; a whole response without usage. */
function answerWithoutUsage(req: IncomingMessage, res: ServerResponse): void {
  let body = '';
  req.setEncoding('utf8').on('data', (text: string) => (body += text));
  req.once('end', () => {
    const message = { role: 'assistant', content: 'Hello there' };
    if (body.includes('"stream":true')) {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: message, finish_reason: null }] })}\n\n`,
      );
    } else {
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    }
  });
}

/** The same texts in every run, because the token count, whole and in slices, depends on the text. */
let state = 1;
function below(count: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * count);
}
const randomText = (length: number, first: number, count: number): string =>
  Array.from({ length }, () => String.fromCharCode(first + below(count))).join('');
const letters = (length: number): string => randomText(length, 97, 26);
const cjk = (length: number): string => randomText(length, 0x4e00, 20_000);

const ask = (secret: string, content: string, model = 'echo', more: object = {}): Promise<Response> =>
  harness.complete(secret, model, { messages: [{ role: 'user', content }], max_tokens: 5, ...more });

const openHolds = async (accountId: string): Promise<number> =>
  (await harness.db.pool.query('SELECT 1 FROM hold WHERE account_id = $1', [accountId])).rowCount ?? 0;

interface UsageRow {
  prompt_tokens: number;
  completion_tokens: number;
  estimated: boolean;
  cost_nano: string;
}

async function usageOf(accountId: string): Promise<UsageRow[]> {
  const { rows } = await harness.db.pool.query<UsageRow>(
    'SELECT prompt_tokens, completion_tokens, estimated, cost_nano FROM usage_record WHERE account_id = $1',
    [accountId],
  );
  return rows;
}

const reviewsOf = async (accountId: string): Promise<number> =>
  (await harness.db.pool.query('SELECT 1 FROM billing_review WHERE account_id = $1', [accountId])).rowCount ??
  0;

/** Repeated three times, in characters that take long: on the event loop each would take seconds. */
const hardToCount = (): string => cjk(250_000);

describe('a neighbour is served at once', () => {
  it('while prompts are counted that the account cannot pay for', async () => {
    // Enough balance for a count of few tokens, but not for the context window.
    const { secret } = await harness.givenKey({ balanceNano: 8_100_000n });
    const order: string[] = [];
    const flood = Array.from({ length: 3 }, async () => {
      const { status } = await ask(secret, hardToCount());
      order.push(`flood ${String(status)}`);
    });
    const served = ask(neighbour, 'Hi').then(({ status }) => order.push(`neighbour ${String(status)}`));
    await Promise.all([...flood, served]);
    expect(order[0]).toBe('neighbour 200');
    // Over the context window by the count, or not counted in time and too expensive.
    for (const answer of order.slice(1)) expect(answer).toMatch(/^flood 40[02]$/);
  });

  it('while the delivered part of an aborted stream is counted', async () => {
    const { secret, accountId } = await harness.givenKey();
    const leaving = new AbortController();
    const body = { stream: true, max_tokens: 1_000, messages: [{ role: 'user', content: hardToCount() }] };
    const response = await fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'unreported', ...body }),
      signal: leaving.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    const models = await fetch(`${harness.url}/v1/models`, {
      headers: { authorization: `Bearer ${neighbour}` },
    });
    expect([models.status, await openHolds(accountId)]).toEqual([200, 1]);

    await waitUntil(async () => (await usageOf(accountId)).length === 1, 'the stream is charged');
    // The whole prompt was counted, and it exceeds the context window.
    expect(await usageOf(accountId)).toEqual([
      expect.objectContaining({ prompt_tokens: 8192, estimated: true }),
    ]);
  });

  it('while a response without reported usage is counted', async () => {
    const { secret, accountId } = await harness.givenKey();
    const asked = own.asked();
    const order: string[] = [];
    const uncounted = ask(secret, hardToCount(), 'unreported').then(({ status }) =>
      order.push(`long ${String(status)}`),
    );
    await waitUntil(() => own.asked() > asked, 'the upstream is asked');
    const served = ask(neighbour, 'Hi').then(({ status }) => order.push(`neighbour ${String(status)}`));
    await Promise.all([uncounted, served]);
    expect(order).toEqual(['neighbour 200', 'long 200']);
    expect(await usageOf(accountId)).toEqual([
      expect.objectContaining({ prompt_tokens: 8192, completion_tokens: 2, estimated: true }),
    ]);
  });
});

it('31 messages of 130,000 random letters are refused without being counted', async () => {
  const content = letters(130_000);
  const messages = Array.from({ length: 31 }, () => ({ role: 'user', content }));
  const response = await harness.complete(neighbour, 'echo', { messages });
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ error: expect.objectContaining({ param: 'messages' }) as unknown }),
  ]);
});

it('a prompt that fits the balance only by its count is admitted, and held by its count', async () => {
  // 1,200 bytes, 200 tokens: at a thousand nano-dollars each, the bytes cost more than the balance.
  const { secret, accountId } = await harness.givenKey({ balanceNano: 300_000n });
  const response = await ask(secret, 'Hello '.repeat(200));
  expect(response.status).toBe(200);
  expect(await usageOf(accountId)).toEqual([expect.objectContaining({ estimated: false })]);
  expect(await reviewsOf(accountId)).toBe(0);
});

describe('the tokens that a chat template adds', () => {
  it.each([
    ['a prompt', {}],
    [
      'a prompt with a tool',
      { tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }] },
    ],
  ])(
    'is covered by the hold of %s that uses its output limit up: charged in full, no review',
    async (_name, more) => {
      const { secret, accountId } = await harness.givenKey();
      const response = await ask(secret, 'hi', 'usual-template', more);
      const { usage } = (await response.json()) as {
        usage: { prompt_tokens: number; completion_tokens: number };
      };
      expect(usage.prompt_tokens).toBeGreaterThan(180);
      const [row] = await usageOf(accountId);
      expect(BigInt(row?.cost_nano ?? 0)).toBe(
        BigInt(usage.prompt_tokens * 1_000 + usage.completion_tokens * 2_000),
      );
      expect(await reviewsOf(accountId)).toBe(0);
    },
  );
});
