import { quietTelemetry, type Telemetry } from '@farebox/observability';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, UPSTREAM_SECRET, type GatewayHarness } from '../test/gateway-harness';

let telemetry: Telemetry;
let harness: GatewayHarness;
beforeAll(async () => {
  telemetry = quietTelemetry();
  harness = await startGatewayHarness({}, { telemetry });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

/** The value of a time series, if it is present. */
async function valueOf(series: string): Promise<number | undefined> {
  const line = (await telemetry.metrics.text()).split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const requests = (method: string, route: string, code: string): string =>
  `farebox_http_request_duration_seconds_count{method="${method}",route="${route}",code="${code}"}`;
const CHAT = '/v1/chat/completions';

it('a request is counted by the status that the client got', async () => {
  const { secret } = await harness.givenKey();
  const { secret: poor } = await harness.givenKey({ balanceNano: 1n });
  await (await harness.complete(secret, 'echo')).text();
  await (await harness.complete(poor, 'echo')).text();
  await (await harness.complete(secret, 'refuses-500')).text();
  await (await harness.complete(secret, 'error-midstream', { stream: true })).text().catch(() => undefined);
  await fetch(`${harness.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  await fetch(`${harness.url}/v1/models/${secret}`);
  await fetch(`${harness.url}/v1/${secret}`);
  await fetch(`${harness.url}/healthz`);

  await waitUntil(
    async () => (await valueOf('farebox_http_requests_running')) === 0,
    'every request is over',
  );
  expect(await valueOf(requests('POST', CHAT, 'ok'))).toBe(1);
  expect(await valueOf(requests('POST', CHAT, 'insufficient_funds'))).toBe(1);
  // The upstream refused one before anything was sent, and failed in the middle of the other's stream.
  expect(await valueOf(requests('POST', CHAT, 'service_unavailable'))).toBe(2);
  expect(await valueOf(requests('GET', '/v1/models', 'ok'))).toBe(1);
  expect(await valueOf(requests('GET', '/v1/models/*model', 'authentication_error'))).toBe(1);
  expect(await valueOf(requests('GET', 'other', 'invalid_request_error'))).toBe(1);
  expect(await telemetry.metrics.text()).not.toContain(secret);
  expect(await telemetry.metrics.text()).not.toContain('healthz');
});

it('counted usage equals charged usage', async () => {
  const before = {
    dollars: (await valueOf('farebox_charged_dollars_total{model="small"}')) ?? 0,
    prompt: (await valueOf('farebox_tokens_total{model="small",direction="prompt"}')) ?? 0,
    completion: (await valueOf('farebox_tokens_total{model="small",direction="completion"}')) ?? 0,
  };
  const { secret, accountId } = await harness.givenKey();
  await (await harness.complete(secret, 'small', { stream: true })).text();
  await (await harness.complete(secret, 'small')).text();
  await harness.expectSettled();
  const { rows } = await harness.db.pool.query<{ cost: bigint; prompt: number; completion: number }>(
    `SELECT sum(cost_nano)::bigint AS cost, sum(prompt_tokens)::int AS prompt, sum(completion_tokens)::int AS completion
     FROM usage_record WHERE account_id = $1`,
    [accountId],
  );
  const [charged] = rows;
  const dollars = ((await valueOf('farebox_charged_dollars_total{model="small"}')) ?? 0) - before.dollars;
  expect(dollars).toBeCloseTo(Number(String(charged?.cost)) / 1e9, 9);
  expect(await valueOf('farebox_tokens_total{model="small",direction="prompt"}')).toBe(
    before.prompt + (charged?.prompt ?? 0),
  );
  expect(await valueOf('farebox_tokens_total{model="small",direction="completion"}')).toBe(
    before.completion + (charged?.completion ?? 0),
  );
  expect(await valueOf('farebox_charges_total{model="small",outcome="completed"}')).toBe(2);
  // For the stream alone.
  expect(await valueOf('farebox_first_token_seconds_count{model="small"}')).toBe(1);
});

it('a customer who leaves before anything was delivered is counted as gone, and the upstream call as left', async () => {
  const { secret } = await harness.givenKey();
  const going = new AbortController();
  const before = harness.upstream.requests().length;
  const asked = harness.complete(secret, 'slow-3000', { stream: true }, { signal: going.signal });
  await waitUntil(() => harness.upstream.requests().length > before, 'the upstream is asked');
  going.abort();
  await expect(asked).rejects.toThrow();
  await harness.expectSettled();
  await waitUntil(async () => (await valueOf(requests('POST', CHAT, 'client_gone'))) === 1, 'it is counted');
  const left = 'farebox_upstream_calls_total{upstream="sim",upstream_model="sim-slow-3000",result="left"}';
  expect(await valueOf(left)).toBe(1);
  expect(await valueOf('farebox_abandoned_requests_total{model="slow-3000"}')).toBe(1);
  // Its prompt, and an estimate of the output that it may have generated.
  const dollars = await valueOf('farebox_abandoned_cost_dollars_total{model="slow-3000"}');
  expect(dollars).toBeGreaterThan(0);
});

it('calls to upstreams are counted by route, and an unavailable route is shown', async () => {
  const { secret } = await harness.givenKey();
  await (await harness.complete(secret, 'failover')).text();
  const calls = (upstream: string, model: string, result: string): string =>
    `farebox_upstream_calls_total{upstream="${upstream}",upstream_model="${model}",result="${result}"}`;
  expect(await valueOf(calls('dead', 'x', 'unavailable'))).toBe(1);
  expect(await valueOf(calls('sim', 'sim-garbage', 'garbage'))).toBe(1);
  expect(await valueOf(calls('sim', 'sim-echo', 'answered'))).toBeGreaterThanOrEqual(1);

  const circuit = 'farebox_upstream_circuit_open{upstream="dead",upstream_model="x"}';
  expect(await valueOf(circuit)).toBeUndefined();
  // Five that fail within ten seconds.
  await waitUntil(async () => {
    await (await harness.complete(secret, 'dead')).text();
    return (await valueOf(circuit)) === 1;
  }, 'its circuit is open');
  await (await harness.complete(secret, 'dead')).text();
  expect(await valueOf(calls('dead', 'x', 'circuit_open'))).toBeGreaterThanOrEqual(1);
});

it('the state of the process is shown', async () => {
  expect(await valueOf('farebox_draining')).toBe(0);
  expect(await valueOf('farebox_ledger_connected')).toBe(1);
  expect(await valueOf('farebox_limiter_stand_in')).toBe(1);
  expect(await valueOf('farebox_catalog_version')).toBeGreaterThanOrEqual(1);
  expect(await valueOf('farebox_ledger_batch_items_count')).toBeGreaterThan(0);
  expect(await valueOf('farebox_ledger_batch_duration_seconds_count')).toBeGreaterThan(0);
});

it('requests of an account that something else has locked are counted', async () => {
  const contended = 'farebox_ledger_contended_total';
  const { secret, accountId } = await harness.givenKey();
  await (await harness.complete(secret, 'echo')).text();
  await harness.expectSettled();
  expect(await valueOf(contended)).toBe(0);
  const locker = await harness.db.pool.connect();
  await locker.query('BEGIN');
  await locker.query('SELECT 1 FROM account_funds WHERE account_id = $1 FOR UPDATE', [accountId]);
  const response = harness.complete(secret, 'echo');
  await waitUntil(async () => ((await valueOf(contended)) ?? 0) > 0, 'it is counted');
  await locker.query('ROLLBACK');
  locker.release();
  await (await response).text();
});

it("no label has anybody's key, id or address", async () => {
  const { secret, accountId, apiKeyId } = await harness.givenKey();
  await (await harness.complete(secret, 'echo')).text();
  const text = await telemetry.metrics.text();
  const { host } = new URL(harness.upstream.url);
  for (const canary of ['ak-', secret, accountId, apiKeyId, UPSTREAM_SECRET, host, 'req_'])
    expect(text).not.toContain(canary);
});
