import type { RedisServer } from '@farebox/local-services';
import { listLimitPolicies, removeLimitPolicy, setLimitPolicy } from '@farebox/ledger';
import { numberFromEnvironment, randomSeed, startTestRedis } from '@farebox/testing';
import fc from 'fast-check';
import { startGatewayHarness, type GatewayHarness } from '../../test/gateway-harness';
import { toLimiterSettings } from './request-limits';

// Limits that an operator has set, at two gateways with one database, while Redis goes and comes.

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
const RUNS = numberFromEnvironment('FAREBOX_TEST_LIMIT_RUNS') ?? 12;
const REQUESTS_OF_KEY = 1_000;
/** Short: its state is not told until it has passed after Redis has come back. */
const WINDOW_MS = 1_000;

let redis: RedisServer;
let first: GatewayHarness;
let second: GatewayHarness;

beforeAll(async () => {
  redis = await startTestRedis();
  const shared = {
    redisUrl: redis.url,
    requestLimits: toLimiterSettings({ requests: REQUESTS_OF_KEY, windowMs: WINDOW_MS, concurrent: 100 }),
  };
  first = await startGatewayHarness(shared);
  second = await startGatewayHarness({ ...shared, databaseUrl: first.db.serviceUrl });
});
afterAll(async () => {
  await first.expectSettled();
  await Promise.all([first.close(), second.close()]);
  await redis.remove();
});

interface Told {
  status: number;
  headers: Headers;
  message: string;
}

async function ask(gateway: GatewayHarness, secret: string): Promise<Told> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'plain', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const body = (await response.json()) as { error?: { message: string } };
  return { status: response.status, headers: response.headers, message: body.error?.message ?? '' };
}

const numberOf = ({ headers }: Told, name: string): number | undefined => {
  const text = headers.get(`x-ratelimit-${name}`);
  return text === null ? undefined : Number(text);
};

const run = fc.record({
  measure: fc.constantFrom('requests' as const, 'tokens' as const),
  /** The limit, in requests: one of tokens is that many times the tokens of a request. */
  most: fc.integer({ min: 1, max: 5 }),
  attachedTo: fc.constantFrom('account' as const, 'key' as const, 'model' as const),
  steps: fc.array(
    fc.record({
      redis: fc.constantFrom('stays' as const, 'stays' as const, 'is killed' as const, 'is back' as const),
      /** At once. */
      gateways: fc.array(fc.nat(1), { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 2, maxLength: 6 },
  ),
});
type Run = typeof run extends fc.Arbitrary<infer Value> ? Value : never;

/** Long enough not to end within the test. */
const PER = 'month' as const;

/** The most tokens of the request of `ask`, as a limit reserves them. */
async function reservedTokens(): Promise<bigint> {
  const { secret, accountId } = await first.givenKey();
  await setLimitPolicy(first.db.pool, { accountId, measure: 'tokens', per: PER, most: 1_000_000n });
  return 1_000_000n - BigInt(numberOf(await ask(first, secret), 'remaining-tokens') ?? -1);
}

async function play({ measure, most: times, attachedTo, steps }: Run, reserved: bigint): Promise<void> {
  const { db } = first;
  for (const { id } of await listLimitPolicies(db.pool, {})) await removeLimitPolicy(db.pool, id);
  const { secret, accountId, apiKeyId } = await first.givenKey();
  const target = { account: { accountId }, key: { apiKeyId }, model: { modelId: 'plain' } }[attachedTo];
  const most = BigInt(times) * (measure === 'tokens' ? reserved : 1n);
  await setLimitPolicy(db.pool, { ...target, measure, per: PER, most });
  let admitted = 0;
  for (const { redis: fate, gateways } of steps) {
    if (fate === 'is killed' && redis.isRunning) await redis.kill();
    if (fate === 'is back' && !redis.isRunning) await redis.restart();
    const told = await Promise.all(gateways.map((at) => ask(at === 0 ? first : second, secret)));
    admitted += told.filter(({ status }) => status === 200).length;
    const used = await usedOf(accountId, measure);
    expect(used).toBeLessThanOrEqual(Number(most));
    if (measure === 'requests') expect(used).toBe(admitted);
    for (const one of told) expectTrue(one, measure, { most: Number(most), used });
  }
}

/** What was left when it was decided is no less than what is left in the end. */
function expectTrue(
  told: Told,
  measure: Run['measure'],
  { most, used }: { most: number; used: number },
): void {
  expect([200, 429]).toContain(told.status);
  if (told.status === 429) expect(told.message).toContain('a month');
  // Without Redis the window of the key is not known, and so not which of the two is tighter.
  const remaining = numberOf(told, `remaining-${measure}`);
  if (measure === 'requests' && remaining === undefined) return;
  expect(numberOf(told, `limit-${measure}`)).toBe(most);
  expect(remaining).toBeLessThanOrEqual(told.status === 200 ? most - 1 : most);
  if (measure === 'requests') expect(remaining).toBeGreaterThanOrEqual(most - used);
  expect(numberOf(told, `reset-${measure}`)).toBeGreaterThan(0);
}

async function usedOf(accountId: string, measure: Run['measure']): Promise<number> {
  const { rows } = await first.db.pool.query<{ requests: number; tokens: number }>(
    `SELECT coalesce(sum(requests), 0)::int AS requests, coalesce(sum(prompt_tokens + completion_tokens), 0)::int AS tokens
     FROM usage_hour WHERE account_id = $1`,
    [accountId],
  );
  const [row] = rows;
  return (measure === 'requests' ? row?.requests : row?.tokens) ?? 0;
}

it('are never exceeded, and told truthfully, whatever happens to Redis', async () => {
  process.stdout.write(`limits: ${String(RUNS)} runs, FAREBOX_TEST_SEED=${String(SEED)}\n`);
  const reserved = await reservedTokens();
  await fc.assert(
    fc.asyncProperty(run, (given) => play(given, reserved)),
    { numRuns: RUNS, seed: SEED },
  );
});
