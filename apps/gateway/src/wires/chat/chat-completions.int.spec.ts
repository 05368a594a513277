import { chatCompletion, type ChatCompletion } from '@farebox/api';
import { readBalance } from '@farebox/ledger';
import { fromDecimalUsd } from '@farebox/money';
import { UPSTREAM_CANARIES } from '@farebox/simulated-upstream';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, TEN_DOLLARS_NANO, type GatewayHarness } from '../../../test/gateway-harness';
import { errorOf, readStream } from '../../../test/read-stream';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.close();
});
afterEach(async () => {
  await harness.expectSettled();
});

async function spentBy(accountId: string): Promise<bigint> {
  return TEN_DOLLARS_NANO - (await readBalance(harness.db.pool, accountId)).balanceNano;
}

describe('a non-streamed completion', () => {
  it.each(['echo', 'plain', 'failover'])('by model %s costs exactly what its usage says', async (model) => {
    const { secret, accountId } = await harness.givenKey();
    const response = await harness.complete(secret, model);
    expect(response.status).toBe(200);
    const answer: ChatCompletion = chatCompletion.parse(await response.json());
    expect(answer.model).toBe(model);
    const { prompt_tokens, completion_tokens, cost } = answer.usage;
    expect(fromDecimalUsd(cost)).toBe(BigInt(prompt_tokens * 1_000 + completion_tokens * 2_000));
    expect(await spentBy(accountId)).toBe(fromDecimalUsd(cost));
  });

  it('returns tool calls under ids of the service', async () => {
    const { secret } = await harness.givenKey();
    const tools = [
      {
        type: 'function',
        function: {
          name: 'weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      },
    ];
    const tool_choice = { type: 'function', function: { name: 'weather' } };
    const answer = chatCompletion.parse(
      await (await harness.complete(secret, 'echo', { tools, tool_choice })).json(),
    );
    expect(answer.choices[0]?.message.tool_calls).toEqual([
      {
        id: expect.stringMatching(/^call_[0-9a-f]{32}$/) as string,
        type: 'function',
        function: { name: 'weather', arguments: expect.any(String) as string },
      },
    ]);
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it("is counted by the service if the upstream's report cannot be true", async () => {
    const { secret, accountId } = await harness.givenKey();
    const answer = chatCompletion.parse(
      await (await harness.complete(secret, 'wrong-usage', { max_tokens: 5 })).json(),
    );
    expect(answer.usage.completion_tokens).toBe(5);
    expect(await spentBy(accountId)).toBe(fromDecimalUsd(answer.usage.cost));
    const { rows } = await harness.db.pool.query('SELECT estimated FROM usage_record WHERE account_id = $1', [
      accountId,
    ]);
    expect(rows).toEqual([{ estimated: true }]);
  });

  it('is counted by the service if the upstream reports nothing', async () => {
    const { secret, accountId } = await harness.givenKey();
    const answer = chatCompletion.parse(await (await harness.complete(secret, 'no-usage')).json());
    expect(answer.usage.completion_tokens).toBeGreaterThan(0);
    expect(await spentBy(accountId)).toBe(fromDecimalUsd(answer.usage.cost));
    const { rows } = await harness.db.pool.query('SELECT estimated FROM usage_record WHERE account_id = $1', [
      accountId,
    ]);
    expect(rows).toEqual([{ estimated: true }]);
  });

  it.each([
    ['closes', 503, 'service_unavailable'],
    ['garbage', 503, 'service_unavailable'],
    ['html', 503, 'service_unavailable'],
    ['ends-early', 503, 'service_unavailable'],
    ['dead', 503, 'service_unavailable'],
    ['refuses-401', 503, 'service_unavailable'],
    ['refuses-404', 503, 'service_unavailable'],
    ['refuses-429', 503, 'service_unavailable'],
    ['refuses-500', 503, 'service_unavailable'],
    ['slow-5000', 504, 'upstream_timeout'],
    ['stalls', 504, 'upstream_timeout'],
    ['refuses-400', 400, 'invalid_request_error'],
    ['refuses-422', 400, 'invalid_request_error'],
  ])('from an upstream that %s is free, with status %d', async (model, status, code) => {
    const { secret, accountId } = await harness.givenKey();
    const response = await harness.complete(secret, model);
    const text = await response.text();
    expect([response.status, (JSON.parse(text) as { error: { code: string } }).error.code]).toEqual([
      status,
      code,
    ]);
    for (const canary of UPSTREAM_CANARIES)
      expect(text + JSON.stringify([...response.headers])).not.toContain(canary);
    await harness.expectSettled();
    expect(await spentBy(accountId)).toBe(0n);
  });

  it('names the field only if the upstream named one of the request', async () => {
    const { secret } = await harness.givenKey();
    const named = (await (await harness.complete(secret, 'refuses-400')).json()) as {
      error: { param: unknown };
    };
    const other = (await (await harness.complete(secret, 'refuses-422')).json()) as {
      error: { param: unknown };
    };
    expect([named.error.param, other.error.param]).toEqual(['messages', null]);
  });

  it('is free if the client leaves before it arrives, and the upstream call is aborted', async () => {
    const { secret, accountId } = await harness.givenKey();
    const going = new AbortController();
    const asked = harness.complete(secret, 'slow-3000', {}, { signal: going.signal });
    await waitUntil(
      () => JSON.stringify(harness.upstream.requests().at(-1)?.body).includes('sim-slow-3000'),
      'the upstream is asked',
    );
    going.abort();
    await expect(asked).rejects.toThrow();
    await waitUntil(
      () => harness.upstream.requests().at(-1)?.aborted === true,
      'the upstream call is aborted',
    );
    await harness.expectSettled();
    expect(await spentBy(accountId)).toBe(0n);
  });
});

describe('a streamed completion', () => {
  it.each(['echo', 'split', 'paced'])(
    'by model %s is complete, charged before its end, and shows its cost',
    async (model) => {
      const { secret, accountId } = await harness.givenKey();
      const more = { stream: true, stream_options: { include_usage: true }, max_tokens: 8 };
      const response = await harness.complete(secret, model, more);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      const { events, chunks, cut } = await readStream(response);
      expect(cut).toBe(false);
      expect(events.at(-1)).toBe('[DONE]');
      expect(new Set(chunks.map((chunk) => `${chunk.id} ${String(chunk.created)} ${chunk.model}`)).size).toBe(
        1,
      );
      const last = chunks.at(-1);
      expect(last?.choices).toEqual([]);
      expect(last?.usage?.completion_tokens).toBe(8);
      expect(await spentBy(accountId)).toBe(fromDecimalUsd(last?.usage?.cost ?? ''));
      expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    },
  );

  it('counts its usage even if the client did not ask for it', async () => {
    const { secret, accountId } = await harness.givenKey();
    const { events, chunks } = await readStream(
      await harness.complete(secret, 'echo', { stream: true, max_tokens: 8 }),
    );
    expect(events.at(-1)).toBe('[DONE]');
    expect(chunks.some((chunk) => 'usage' in chunk || chunk.choices.length === 0)).toBe(false);
    const { rows } = await harness.db.pool.query<{ completion_tokens: number }>(
      'SELECT completion_tokens, streamed, estimated FROM usage_record WHERE account_id = $1',
      [accountId],
    );
    expect(rows).toEqual([{ completion_tokens: 8, streamed: true, estimated: false }]);
  });

  it.each([
    ['breaks', 'service_unavailable'],
    ['ends-early', 'service_unavailable'],
    ['garbage', 'service_unavailable'],
    ['error-midstream', 'service_unavailable'],
    ['stalls', 'upstream_timeout'],
  ])(
    'from an upstream that %s ends with one error event, cut off, and costs what was delivered',
    async (model, code) => {
      const { secret, accountId } = await harness.givenKey();
      const { events, text, cut } = await readStream(await harness.complete(secret, model, { stream: true }));
      expect(cut).toBe(true);
      expect(events).not.toContain('[DONE]');
      expect(events.filter((event) => event.includes('"object":"error"'))).toHaveLength(1);
      expect(errorOf(events)).toMatchObject({ object: 'error', error: { code, param: null } });
      for (const canary of UPSTREAM_CANARIES) expect(events.join('')).not.toContain(canary);
      await harness.expectSettled();
      const { rows } = await harness.db.pool.query<{ prompt_tokens: number; completion_tokens: number }>(
        'SELECT prompt_tokens, completion_tokens FROM usage_record WHERE account_id = $1 AND estimated',
        [accountId],
      );
      expect(text).not.toBe('');
      expect(rows).toHaveLength(1);
      expect(rows[0]?.completion_tokens).toBe(5);
      expect(await spentBy(accountId)).toBe(BigInt((rows[0]?.prompt_tokens ?? 0) * 1_000 + 5 * 2_000));
    },
  );

  it.each([
    ['closes', 503],
    ['refuses-503', 503],
    ['slow-5000', 504],
    ['refuses-400', 400],
    ['html', 503],
  ])('from an upstream that %s is an ordinary error, and free', async (model, status) => {
    const { secret, accountId } = await harness.givenKey();
    const response = await harness.complete(secret, model, { stream: true });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('error.code');
    await harness.expectSettled();
    expect(await spentBy(accountId)).toBe(0n);
  });

  it('fails over as long as nothing was sent', async () => {
    const { secret } = await harness.givenKey();
    const { events } = await readStream(
      await harness.complete(secret, 'failover', { stream: true, max_tokens: 3 }),
    );
    // The third route sends five tokens and then garbage. After the first of them no other route may be
    // asked.
    expect(errorOf(events)).toMatchObject({ error: { code: 'service_unavailable' } });
  });

  it('costs a client who leaves the share that was delivered to them', async () => {
    const { secret, accountId } = await harness.givenKey();
    const going = new AbortController();
    const response = await harness.complete(
      secret,
      'paced',
      { stream: true, max_tokens: 1_000 },
      { signal: going.signal },
    );
    const reader = response.body?.getReader();
    for (let i = 0; i < 6; i++) await reader?.read();
    going.abort();
    await harness.expectSettled();
    const { rows } = await harness.db.pool.query<{ outcome: string; completion_tokens: number }>(
      'SELECT outcome, completion_tokens FROM usage_record WHERE account_id = $1',
      [accountId],
    );
    expect(rows[0]?.outcome).toBe('client_gone');
    expect(rows[0]?.completion_tokens).toBeGreaterThan(0);
    expect(rows[0]?.completion_tokens).toBeLessThan(100);
  });
});

describe('a completion that exceeds the balance or a cap', () => {
  it('is refused with the required and the available amount, and does not reach a model', async () => {
    const { secret } = await harness.givenKey({ balanceNano: 100n });
    const before = harness.upstream.requests().length;
    const response = await harness.complete(secret, 'echo', { max_tokens: 10 });
    expect(response.status).toBe(402);
    expect(response.headers.get('x-should-retry')).toBe('false');
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('insufficient_funds');
    expect(error.message).toMatch(/0\.\d{9} USD, and 0\.000000100 USD are available.* max_tokens/);
    expect(harness.upstream.requests()).toHaveLength(before);
  });

  it.each([
    ['monthly limit of the key', {}, { monthlySpendLimitNano: 1n }, 'spending_limit_exceeded'],
    ['daily spend cap', { dailySpendCapNano: 1n }, {}, 'rate_limit_error'],
    ['allowance for abandoned requests', { dailyAbandonmentNano: 1n }, {}, 'rate_limit_error'],
    ['daily request cap', { dailyRequestCap: 0 }, {}, 'rate_limit_error'],
  ])('gets a 429 because of the %s', async (_name, account, key, code) => {
    const { secret } = await harness.givenKey(account, key);
    const response = await harness.complete(secret, 'echo');
    const { error } = (await response.json()) as { error: { code: string } };
    // In the last minute of a UTC day the next day is worth a wait.
    const isSoon = response.headers.has('retry-after');
    expect([response.status, error.code, response.headers.get('x-should-retry')]).toEqual([
      429,
      code,
      String(isSoon),
    ]);
  });
});

describe('the log', () => {
  it('contains no prompt, answer or key', async () => {
    const { secret } = await harness.givenKey();
    const content = 'A very private question about zebras';
    const answer = chatCompletion.parse(
      await (await harness.complete(secret, 'echo', { messages: [{ role: 'user', content }] })).json(),
    );
    await harness.complete(secret, 'refuses-500', { messages: [{ role: 'user', content }] });
    await harness.complete(secret, 'garbage', { messages: [{ role: 'user', content }] });
    expect(harness.logText()).toContain('"route":"/v1/chat/completions"');
    for (const private_ of [content, 'zebras', secret, answer.choices[0]?.message.content ?? '']) {
      expect(harness.logText()).not.toContain(private_);
    }
  });
});
