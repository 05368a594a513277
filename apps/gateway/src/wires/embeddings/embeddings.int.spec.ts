import { UPSTREAM_CANARIES, vectorOf } from '@farebox/simulated-upstream';
import { waitUntil } from '@farebox/testing';
import { documentedFetch } from '../../../test/documented-fetch';
import { startGatewayHarness, UPSTREAM_SECRET, type GatewayHarness } from '../../../test/gateway-harness';
import { loseCharge } from '../../../test/lost-charge';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

interface AskOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

function ask(secret: string, asked: object, { headers = {}, signal }: AskOptions = {}): Promise<Response> {
  return documentedFetch(
    new Request(`${harness.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'embed', input: 'Hello there', ...asked }),
      ...(signal && { signal }),
    }),
  );
}

interface Told {
  data: { index: number; embedding: number[] | string }[];
  model: string;
  usage: { prompt_tokens: number; total_tokens: number; cost: string };
  error: { code: string; param: string | null; message: string };
}

const outcomeShown = async (response: Response): Promise<Told> => (await response.json()) as Told;
const outcomeOf = async (response: Response): Promise<string> =>
  `${String(response.status)} ${(await outcomeShown(response)).error.code}`;

/** The charges of an account once it has no holds. */
async function chargesOf(accountId: string): Promise<object[]> {
  await waitUntil(
    async () =>
      (await harness.db.pool.query('SELECT 1 FROM hold WHERE account_id = $1', [accountId])).rowCount === 0,
    'nothing is held',
  );
  const { rows } = await harness.db.pool.query<object>(
    `SELECT model_id, prompt_tokens, completion_tokens, cost_nano::int AS cost, outcome, estimated, streamed
     FROM usage_record WHERE account_id = $1`,
    [accountId],
  );
  return rows;
}

const floatsOf = (base64: string): number[] =>
  Array.from(new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer));
const numbersOf = (input: unknown, dimensions = 64): number[] =>
  Array.from(vectorOf(JSON.stringify(input), dimensions));

describe('embeddings', () => {
  it('are returned for a text, and charged by the prompt tokens alone', async () => {
    const { secret, accountId } = await harness.givenKey();
    const response = await ask(secret, {});
    expect(response.status).toBe(200);
    const { data, model, usage } = await outcomeShown(response);
    expect(data).toEqual([{ object: 'embedding', index: 0, embedding: numbersOf('Hello there') }]);
    expect(model).toBe('embed');
    expect(usage).toEqual({ prompt_tokens: 2, total_tokens: 2, cost: '0.000002000' });
    expect(await chargesOf(accountId)).toEqual([
      {
        model_id: 'embed',
        prompt_tokens: 2,
        completion_tokens: 0,
        cost: 2_000,
        outcome: 'completed',
        estimated: false,
        streamed: false,
      },
    ]);
  });

  it.each<[string, unknown, unknown[]]>([
    ['texts', ['one', 'two', 'three'], ['one', 'two', 'three']],
    ['tokens', [9906, 1070], [[9906, 1070]]],
    ['lists of tokens', [[1], [2, 3]], [[1], [2, 3]]],
  ])('are returned for %s, in both formats', async (_what, input, inputs) => {
    const { secret } = await harness.givenKey();
    for (const model of ['embed', 'embed-contrary']) {
      const floats = await outcomeShown(await ask(secret, { model, input, encoding_format: 'float' }));
      expect(floats.data.map(({ embedding }) => embedding)).toEqual(inputs.map((one) => numbersOf(one)));
      const base64 = await outcomeShown(await ask(secret, { model, input, encoding_format: 'base64' }));
      expect(base64.data.map(({ embedding }) => floatsOf(String(embedding)))).toEqual(
        inputs.map((one) => numbersOf(one)),
      );
    }
  });

  it('have the requested number of dimensions, or are neither returned nor charged', async () => {
    const { secret, accountId } = await harness.givenKey();
    const { data } = await outcomeShown(await ask(secret, { dimensions: 16 }));
    expect(data[0]?.embedding).toEqual(numbersOf('Hello there', 16));
    const fixed = await ask(secret, { model: 'embed-fixed', dimensions: 16 });
    expect(fixed.status).toBe(400);
    expect((await outcomeShown(fixed)).error).toMatchObject({
      param: 'dimensions',
      message: 'This model makes embeddings of 64 dimensions only.',
    });
    expect(await chargesOf(accountId)).toHaveLength(1);
  });

  it('name the fields of the request that were left out', async () => {
    const { secret } = await harness.givenKey();
    const response = await ask(secret, { input_type: 'query', user: 'someone' });
    expect([response.status, response.headers.get('x-ignored-fields')]).toEqual([200, 'input_type']);
    const [sent] = harness.upstream.requests().slice(-1);
    expect(sent?.body).toEqual({ model: 'sim-embed', input: 'Hello there', encoding_format: 'float' });
  });

  it("hold the maximum cost of the inputs' bytes while they are made, and the rest is released", async () => {
    const { secret, accountId } = await harness.givenKey();
    const running = ask(secret, { model: 'embed-slow-200', input: ['Hello', 'there'] });
    let held: unknown;
    await waitUntil(async () => {
      const { rows } = await harness.db.pool.query<{ amount: number }>(
        'SELECT amount_nano::int AS amount FROM hold WHERE account_id = $1',
        [accountId],
      );
      held = rows[0]?.amount;
      return held !== undefined;
    }, 'it is held');
    // Ten bytes, and eight tokens around each input.
    expect(held).toBe((10 + 2 * 8) * 1_000);
    expect((await running).status).toBe(200);
    expect(await chargesOf(accountId)).toMatchObject([{ cost: 2_000 }]);
  });

  it('are made if the counted inputs fit the balance and their bytes do not', async () => {
    const input = 'word '.repeat(1_000).trim();
    const { secret } = await harness.givenKey({ balanceNano: 1_100_000n });
    expect((await ask(secret, { input })).status).toBe(200);
    const poor = await harness.givenKey({ balanceNano: 900_000n });
    expect(await outcomeOf(await ask(poor.secret, { input }))).toBe('402 insufficient_funds');
  });

  it('are counted if the upstream reports no tokens, or an impossible number', async () => {
    const { secret, accountId } = await harness.givenKey();
    const input = ['word '.repeat(100).trim(), 'a word'];
    await ask(secret, { model: 'embed-no-usage', input });
    await ask(secret, { model: 'embed-wrong-usage', input });
    await ask(secret, { model: 'embed-no-usage', input: [1, 2, 3] });
    const expected = { completion_tokens: 0, estimated: true, outcome: 'completed' };
    expect(await chargesOf(accountId)).toMatchObject([
      { prompt_tokens: 102, ...expected },
      { prompt_tokens: 102, ...expected },
      { prompt_tokens: 3, ...expected },
    ]);
  });

  it('are replayed byte for byte if a charged request is repeated', async () => {
    const { secret, accountId } = await harness.givenKey();
    const headers = { 'idempotency-key': 'once' };
    const first = await ask(secret, {}, { headers });
    const again = await ask(secret, {}, { headers });
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(await again.text()).toBe(await first.text());
    expect(await outcomeOf(await ask(secret, { input: 'Other' }, { headers }))).toBe(
      '409 idempotency_conflict',
    );
    expect(await chargesOf(accountId)).toHaveLength(1);
  });

  it('cost nothing if the customer leaves before they arrive', async () => {
    const { secret, accountId } = await harness.givenKey();
    const going = new AbortController();
    const running = ask(secret, { model: 'embed-slow-200' }, { signal: going.signal });
    await waitUntil(
      () =>
        harness.upstream
          .requests()
          .some(({ finished, body }) => !finished && JSON.stringify(body).includes('sim-embed-slow-200')),
      'the upstream is asked',
    );
    going.abort();
    await expect(running).rejects.toThrow();
    expect(await chargesOf(accountId)).toEqual([]);
    await waitUntil(async () => (await unchargedOf(accountId)).length === 1, 'it is listed');
    expect(await unchargedOf(accountId)).toEqual([
      { outcome: 'failed', error_code: null, model_id: 'embed-slow-200' },
    ]);
  });

  it('go to a review if the charge cannot be recorded', async () => {
    const { secret, accountId } = await harness.givenKey();
    const running = ask(secret, { model: 'embed-slow-200' });
    await loseCharge(harness, accountId);
    expect(await outcomeOf(await running)).toMatch(/ billing_error$/);
  });
});

const unchargedOf = async (accountId: string): Promise<object[]> =>
  (
    await harness.db.pool.query<object>(
      'SELECT outcome::text, error_code, model_id FROM uncharged_request WHERE account_id = $1',
      [accountId],
    )
  ).rows;

describe('a request for embeddings', () => {
  it.each<[string, object, string, string | null]>([
    ['of a chat model', { model: 'echo' }, '400 invalid_request_error', 'model'],
    ['of a model that does not exist', { model: 'missing' }, '404 model_not_found', 'model'],
    ['without an input', { input: undefined }, '400 invalid_request_error', 'input'],
    ['of too many tokens', { input: Array<number>(8_193).fill(1) }, '400 invalid_request_error', 'input'],
    [
      'of a text that is certainly too long',
      { input: 'x'.repeat(1_100_000) },
      '400 invalid_request_error',
      'input',
    ],
  ])('is refused: %s', async (_what, asked, outcome, param) => {
    const { secret, accountId } = await harness.givenKey();
    const response = await ask(secret, asked);
    const { error } = await outcomeShown(response);
    expect([`${String(response.status)} ${error.code}`, error.param]).toEqual([outcome, param]);
    expect(await chargesOf(accountId)).toEqual([]);
  });

  it('is refused as a chat completion, with a pointer to the right endpoint', async () => {
    const { secret } = await harness.givenKey();
    const response = await harness.complete(secret, 'embed');
    expect(response.status).toBe(400);
    expect((await outcomeShown(response)).error).toMatchObject({
      param: 'model',
      message:
        'This model makes embeddings. Send this request to a chat model, or its text to /v1/embeddings.',
    });
  });

  it('may have as many tokens as OpenAI accepts in one request', async () => {
    const { secret } = await harness.givenKey();
    const input = Array.from({ length: 50 }, (_, i) => Array<number>(6_000).fill(i));
    const { usage, data } = await outcomeShown(await ask(secret, { input }));
    expect([usage.prompt_tokens, data.length]).toEqual([300_000, 50]);
  });

  it.each([
    ['refuses-400', '400 invalid_request_error'],
    ['refuses-401', '503 service_unavailable'],
    ['refuses-500', '503 service_unavailable'],
    ['refuses-503', '503 service_unavailable'],
    ['garbage', '503 service_unavailable'],
    ['error-midstream', '503 service_unavailable'],
    ['breaks', '503 service_unavailable'],
    ['ends-early', '503 service_unavailable'],
    ['closes', '503 service_unavailable'],
    ['html', '503 service_unavailable'],
    ['stalls', '504 upstream_timeout'],
  ])('costs nothing if the upstream %s', async (behaviour, outcome) => {
    const { secret, accountId } = await harness.givenKey();
    const response = await ask(secret, { model: `embed-${behaviour}` });
    expect(await outcomeOf(response)).toBe(outcome);
    expect(await chargesOf(accountId)).toEqual([]);
    await waitUntil(async () => (await unchargedOf(accountId)).length === 1, 'it is listed');
    expect(await unchargedOf(accountId)).toMatchObject([{ outcome: 'failed' }]);
  });

  it.each([
    'embed',
    'embed-contrary',
    'embed-garbage',
    'embed-refuses-400',
    'embed-html',
    'embed-ends-early',
  ])('reveals nothing of the upstream: %s', async (model) => {
    const { secret } = await harness.givenKey();
    const response = await ask(secret, { model });
    const seen = (JSON.stringify([...response.headers]) + (await response.text())).toLowerCase();
    const planted = [...UPSTREAM_CANARIES, UPSTREAM_SECRET, '127.0.0.1', 'sim-'];
    expect(planted.filter((mark) => seen.includes(mark.toLowerCase()))).toEqual([]);
  });
});
