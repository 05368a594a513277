import { givenCustomer, startWholeService, type WholeService } from '../test/whole-service';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({
    gateways: 2,
    gatewayEnv: () => ({ FAREBOX_RATE_LIMIT_REQUESTS: '10000', FAREBOX_RATE_LIMIT_CONCURRENT: '1000' }),
  });
});
afterAll(async () => {
  await service.close();
});

/** All requests of a test have arrived before the first is answered, even on a busy machine. */
const SLOWER = 'slower';

const PROMPT = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50 };

function complete(
  gatewayUrl: string,
  apiKey: string,
  model: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, ...PROMPT }),
  });
}

const gatewayOf = (i: number): string => service.gatewayUrls[i % service.gatewayUrls.length] ?? '';

/** In nano-dollars, taken from the refusal of a request that exceeds the balance. */
async function maximumCostOf(model: string): Promise<bigint> {
  const { apiKey } = await givenCustomer(service, 'poor@example.com', '0.000000001');
  const { error } = (await (await complete(gatewayOf(0), apiKey, model)).json()) as {
    error: { message: string };
  };
  const [, whole = '', fraction = ''] = /up to (\d+)\.(\d{9}) USD/.exec(error.message) ?? [];
  return BigInt(whole + fraction);
}

it('admit exactly the 37 of 200 simultaneous requests that the balance covers, and never go below zero', async () => {
  const maximumCostNano = await maximumCostOf(SLOWER);
  const balanceNano = maximumCostNano * 37n + maximumCostNano / 2n;
  const balanceUsd = `0.${balanceNano.toString().padStart(9, '0')}`;
  const { apiKey, accountId } = await givenCustomer(service, 'rush@example.com', balanceUsd);

  let lowestNano = balanceNano;
  const watch = setInterval(() => {
    void service.db.pool
      .query<{ available: string }>('SELECT (balance_nano - held_nano)::text AS available FROM account_funds')
      .then(({ rows }) => {
        for (const row of rows) if (BigInt(row.available) < lowestNano) lowestNano = BigInt(row.available);
      });
  }, 20);
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, i) => complete(gatewayOf(i), apiKey, SLOWER)),
  );
  clearInterval(watch);

  const statuses = responses.map((response) => response.status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(37);
  expect(statuses.filter((status) => status === 402)).toHaveLength(163);
  expect(lowestNano).toBeGreaterThanOrEqual(0n);
  const { rows } = await service.db.pool.query(
    'SELECT count(*)::int AS charges FROM ledger_entry WHERE account_id = (SELECT account_id FROM funding WHERE reference = $1) AND kind = $2',
    ['wire-rush@example.com', 'charge'],
  );
  expect(rows).toEqual([{ charges: 37 }]);
  expect(await service.admin('ledger', 'verify')).toMatchObject({ ok: true });
  expect(accountId).toMatch(/^acct_/);
});

it('run a request once that both get under one Idempotency-Key, and return its answer from both', async () => {
  const { apiKey } = await givenCustomer(service, 'repeat@example.com', '1.00');
  const asked = service.upstream.requests().length;
  const ask = (url: string) => complete(url, apiKey, SLOWER, { 'idempotency-key': 'once' });
  const atOnce = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(gatewayOf(i))));
  expect(atOnce.map((response) => response.status).sort()).toEqual([200, ...Array<number>(19).fill(409)]);
  const answer = await atOnce.find((response) => response.status === 200)?.text();

  const replays = await Promise.all(service.gatewayUrls.map(ask));
  expect(replays.map((response) => response.headers.get('idempotent-replayed'))).toEqual(['true', 'true']);
  expect(await Promise.all(replays.map((response) => response.text()))).toEqual([answer, answer]);
  expect(service.upstream.requests()).toHaveLength(asked + 1);
});

it('both refuse a revoked or rotated key on the very next request', async () => {
  const { apiKey, keyPublicId, sessionToken } = await givenCustomer(service, 'revoke@example.com', '1.00');
  const authorization = `Bearer ${sessionToken}`;
  const statusesOf = (key: string): Promise<number[]> =>
    Promise.all(service.gatewayUrls.map(async (url) => (await complete(url, key, 'small')).status));
  expect(await statusesOf(apiKey)).toEqual([200, 200]);

  const rotated = await fetch(`${service.baseUrl}/v1/api-keys/${keyPublicId}/rotate`, {
    method: 'POST',
    headers: { authorization },
  });
  const { key } = (await rotated.json()) as { key: string };
  expect(await statusesOf(apiKey)).toEqual([401, 401]);
  expect(await statusesOf(key)).toEqual([200, 200]);

  await fetch(`${service.baseUrl}/v1/api-keys/${keyPublicId}`, {
    method: 'DELETE',
    headers: { authorization },
  });
  expect(await statusesOf(key)).toEqual([401, 401]);
});

it('both refuse a suspended account on the very next request', async () => {
  const { apiKey, accountId } = await givenCustomer(service, 'suspend@example.com', '1.00');
  expect((await complete(gatewayOf(0), apiKey, 'small')).status).toBe(200);
  expect((await complete(gatewayOf(1), apiKey, 'small')).status).toBe(200);
  await service.admin('account', 'suspend', accountId);
  expect((await complete(gatewayOf(0), apiKey, 'small')).status).toBe(403);
  expect((await complete(gatewayOf(1), apiKey, 'small')).status).toBe(403);
});

it('leave no hold behind if one is killed: the worker releases it, with a review', async () => {
  const { apiKey } = await givenCustomer(service, 'killed@example.com', '1.00');
  const killed = service.gateways[1];
  const asked = complete(gatewayOf(1), apiKey, SLOWER).catch(() => 'reset');
  const holds = async (): Promise<number> =>
    (await service.db.pool.query('SELECT 1 FROM hold')).rowCount ?? 0;
  while ((await holds()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  killed?.kill();
  expect(await asked).toBe('reset');
  // Its lease still has some time to run; the test does not wait for it.
  await service.db.pool.query(
    `UPDATE gateway_instance SET lease_expires_at = now() WHERE id = (SELECT gateway_instance_id FROM hold)`,
  );
  await service.startWorker();
  while ((await holds()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const { rows } = await service.db.pool.query('SELECT reason, state FROM billing_review');
  expect(rows).toEqual([{ reason: 'gateway_lost', state: 'open' }]);
  expect(await service.admin('ledger', 'verify')).toMatchObject({ ok: true });
});
