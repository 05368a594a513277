import { SIMULATED_MODELS, TOKENS_BEFORE_FAULT, UPSTREAM_CANARIES } from '@farebox/simulated-upstream';
import type { ErrorCode } from '@farebox/errors';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, UPSTREAM_SECRET, type GatewayHarness } from '../test/gateway-harness';
import { loseCharge } from '../test/lost-charge';
import { askBy, readBy, WIRE_CASES, type WireRequestOptions } from '../test/wires';
import type { WireAsk } from '../test/wires/wire-case';
import { DEFAULT_UPSTREAM_LIMITS } from './upstream/upstream-client';

let harness: GatewayHarness;
beforeAll(async () => {
  // A model's failures for the clients of one wire must not close it for those of the next.
  Object.assign(DEFAULT_UPSTREAM_LIMITS.circuit, { failures: Infinity });
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

interface UsageRow {
  prompt_tokens: number;
  completion_tokens: number;
  cost: string;
  outcome: string;
  estimated: boolean;
}

/** An account's charges, once nothing is held. */
async function chargesOf(accountId: string): Promise<UsageRow[]> {
  await waitUntil(
    async () =>
      (await harness.db.pool.query('SELECT 1 FROM hold WHERE account_id = $1', [accountId])).rowCount === 0,
    'nothing is held',
  );
  const { rows } = await harness.db.pool.query<UsageRow>(
    `SELECT prompt_tokens, completion_tokens, (cost_nano::numeric / 1e9)::numeric(20, 9)::text AS cost,
            outcome, estimated
     FROM usage_record WHERE account_id = $1`,
    [accountId],
  );
  return rows;
}

const isReplay = (response: Response): boolean => response.headers.get('idempotent-replayed') === 'true';

describe.each(WIRE_CASES)('$name', (wire) => {
  const ask = (secret: string, asked: WireAsk, options?: WireRequestOptions): Promise<Response> =>
    askBy(wire, harness, secret, asked, options);

  it('sends the same text whole and streamed, and the same charge', async () => {
    const { secret, accountId } = await harness.givenKey();
    const whole = await readBy(wire, await ask(secret, { model: 'echo' }));
    const streamed = await readBy(wire, await ask(secret, { model: 'echo', stream: true }));
    for (const told of [whole, streamed]) {
      expect(told).toMatchObject({ isWhole: true, isCut: false, error: undefined });
      expect(told.id.startsWith(wire.idPrefix)).toBe(true);
    }
    expect(whole.text).not.toBe('');
    expect(streamed.text).toBe(whole.text);
    const charges = await chargesOf(accountId);
    expect(
      charges.map(({ prompt_tokens: inputTokens, completion_tokens: outputTokens, cost }) => ({
        inputTokens,
        outputTokens,
        cost,
      })),
    ).toEqual([whole.usage, streamed.usage]);
  });

  it.each([false, true])('passes calls of functions on (streamed: %s)', async (stream) => {
    const { secret } = await harness.givenKey();
    const told = await readBy(wire, await ask(secret, { model: 'echo', stream, tool: true }));
    expect(told).toMatchObject({ calls: ['weather'], isWhole: true });
  });

  it.each([false, true])('replays a response that was charged once (streamed: %s)', async (stream) => {
    const { secret, accountId } = await harness.givenKey();
    const again = async () => {
      const response = await ask(secret, { model: 'echo', stream }, { idempotencyKey: 'once' });
      return { replay: isReplay(response), told: await readBy(wire, response) };
    };
    const first = await again();
    const second = await again();
    expect([first.replay, second.replay]).toEqual([false, true]);
    expect(second.told).toEqual(first.told);
    expect(await chargesOf(accountId)).toHaveLength(1);
  });

  it('replays a stream that broke off', async () => {
    const { secret, accountId } = await harness.givenKey();
    const asked = { model: 'breaks', stream: true };
    const first = await readBy(wire, await ask(secret, asked, { idempotencyKey: 'once' }));
    await chargesOf(accountId);
    const again = await ask(secret, asked, { idempotencyKey: 'once' });
    expect(isReplay(again)).toBe(true);
    expect(await readBy(wire, again)).toEqual(first);
    expect(await chargesOf(accountId)).toHaveLength(1);
  });

  it('refuses a different request under a used Idempotency-Key', async () => {
    const { secret, accountId } = await harness.givenKey();
    await ask(secret, { model: 'echo' }, { idempotencyKey: 'once' });
    const other = await ask(secret, { model: 'echo', prompt: 'Other words.' }, { idempotencyKey: 'once' });
    expect((await readBy(wire, other)).error).toBe(wire.nameOf('idempotency_conflict'));
    expect(await chargesOf(accountId)).toHaveLength(1);
  });

  it('charges what was delivered if the client leaves', async () => {
    const { secret, accountId } = await harness.givenKey();
    const going = new AbortController();
    const response = await ask(
      secret,
      { model: 'paced', stream: true, maxTokens: 400 },
      { signal: going.signal },
    );
    const reader = response.body?.getReader();
    let seen = '';
    // More than the opening of a stream, so that text was delivered.
    while (seen.length < 6_000) seen += Buffer.from((await reader?.read())?.value ?? []).toString();
    going.abort();
    await expect(reader?.read()).rejects.toThrow();
    await waitUntil(async () => (await chargesOf(accountId)).length === 1, 'it is charged');
    const [charge] = await chargesOf(accountId);
    expect(charge).toMatchObject({ outcome: 'client_gone', estimated: true });
    expect(charge?.completion_tokens).toBeGreaterThan(0);
    expect(charge?.completion_tokens).toBeLessThan(400);
  });

  it.each(['breaks', 'ends-early', 'garbage', 'error-midstream'])(
    'reports a stream that fails midway (%s), and charges what came before',
    async (model) => {
      const { secret, accountId } = await harness.givenKey();
      const told = await readBy(wire, await ask(secret, { model, stream: true }));
      expect(told).toMatchObject({
        error: wire.nameOf('service_unavailable'),
        isWhole: false,
        isCut: true,
      });
      expect(await chargesOf(accountId)).toMatchObject([
        { completion_tokens: TOKENS_BEFORE_FAULT, outcome: 'upstream_failed', estimated: true },
      ]);
    },
  );

  it.each([
    ['refuses-400', 400, 'invalid_request_error'],
    ['refuses-401', 503, 'service_unavailable'],
    ['refuses-503', 503, 'service_unavailable'],
    ['closes', 503, 'service_unavailable'],
    ['html', 503, 'service_unavailable'],
    ['stalls', 504, 'upstream_timeout'],
    ['no-such-model', 404, 'model_not_found'],
  ] as const)('costs nothing if %s answers nothing, which is %d', async (model, status, code) => {
    const { secret, accountId } = await harness.givenKey();
    const response = await ask(secret, { model });
    expect([response.status, (await readBy(wire, response)).error]).toEqual([status, wire.nameOf(code)]);
    expect(await chargesOf(accountId)).toEqual([]);
  });

  it('reports in its own format a lack of money, of a key, and of room', async () => {
    const told = async (secret: string): Promise<[number, string | undefined]> => {
      const response = await ask(secret, { model: 'echo' });
      return [response.status, (await readBy(wire, response)).error];
    };
    const poor = await harness.givenKey({ balanceNano: 0n });
    const expected = (status: number, code: ErrorCode) => [status, wire.nameOf(code)];
    expect(await told(poor.secret)).toEqual(expected(402, 'insufficient_funds'));
    expect(await told(`${poor.secret.slice(0, -4)}AAAA`)).toEqual(expected(401, 'invalid_api_key'));
    expect(await told('nothing')).toEqual(expected(401, 'authentication_error'));
  });

  it('opens a review for a charge that cannot be recorded', async () => {
    const { secret, accountId } = await harness.givenKey();
    const asked = ask(secret, { model: 'slow-3000' });
    const holdId = await loseCharge(harness, accountId);
    expect((await readBy(wire, await asked)).error).toBe(wire.nameOf('billing_error'));
    expect(holdId).not.toBe('');
  });

  it('is cut off at the output limit, whatever the upstream sends', async () => {
    const { secret, accountId } = await harness.givenKey();
    const told = await readBy(wire, await ask(secret, { model: 'huge', stream: true, maxTokens: 20 }));
    expect(told.isWhole).toBe(true);
    expect(await chargesOf(accountId)).toMatchObject([{ completion_tokens: 20, outcome: 'completed' }]);
  });
});

/** Known to the upstream and the operator only. */
const PLANTED = [...UPSTREAM_CANARIES, UPSTREAM_SECRET, '127.0.0.1', 'sim-', 'HARNESS_UPSTREAM_KEY'];
const FINITE = SIMULATED_MODELS.map((name) => name.replace('sim-', '')).filter((name) => name !== 'huge');

describe.each(WIRE_CASES)('$name shows nothing of the upstream', (wire) => {
  it.each([false, true])('whatever it does (streamed: %s)', async (stream) => {
    const found: Record<string, string[]> = {};
    for (const model of FINITE) {
      const { secret } = await harness.givenKey();
      const response = await askBy(wire, harness, secret, { model, stream });
      const seen = JSON.stringify([...response.headers]) + (await response.text().catch(() => ''));
      const planted = PLANTED.filter((mark) => seen.toLowerCase().includes(mark.toLowerCase()));
      if (planted.length > 0) found[model] = planted;
    }
    expect(found).toEqual({});
  });
});
