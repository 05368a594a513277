import { toPublicId } from '@farebox/auth';
import { quietTelemetry } from '@farebox/observability';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../../test/gateway-harness';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

type Customer = Awaited<ReturnType<GatewayHarness['givenKey']>>;

interface Noted {
  id: string;
  api_key_id: string;
  model_id: string | null;
  request_id: string;
  outcome: string;
  error_code: string | null;
  error_message: string | null;
  error_param: string | null;
  http_status: number | null;
  streamed: boolean;
  latency_ms: number;
}

async function notesOf({ accountId }: Customer): Promise<Noted[]> {
  const { rows } = await harness.db.pool.query<Noted>(
    'SELECT * FROM uncharged_request WHERE account_id = $1 ORDER BY created_at, id',
    [accountId],
  );
  return rows;
}

/** The one record of the account's requests. */
async function noteOf(customer: Customer): Promise<Noted> {
  await waitUntil(async () => (await notesOf(customer)).length > 0, 'the request is noted');
  const notes = await notesOf(customer);
  expect(notes).toHaveLength(1);
  const [note] = notes;
  if (!note) throw new Error('there is none');
  expect(note.api_key_id).toBe(customer.apiKeyId);
  expect(await chargesOf(customer)).toEqual([]);
  return note;
}

async function chargesOf({ accountId }: Customer): Promise<string[]> {
  const { rows } = await harness.db.pool.query<{ id: string }>(
    'SELECT id FROM usage_record WHERE account_id = $1',
    [accountId],
  );
  return rows.map(({ id }) => id);
}

const headersOf = ({ secret }: Customer, more: Record<string, string> = {}): Record<string, string> => ({
  authorization: `Bearer ${secret}`,
  'content-type': 'application/json',
  ...more,
});

describe('a refused request', () => {
  it.each<
    [string, () => Promise<Customer>, { model?: string; more?: object; body?: string }, Partial<Noted>]
  >([
    [
      'for want of money',
      () => harness.givenKey({ balanceNano: 1n }),
      { more: { stream: true } },
      { error_code: 'insufficient_funds', http_status: 402, model_id: 'echo', streamed: true },
    ],
    [
      'by a cap',
      () => harness.givenKey({ dailyRequestCap: 0 }),
      {},
      { error_code: 'rate_limit_error', http_status: 429, model_id: 'echo' },
    ],
    [
      "by the key's month",
      () => harness.givenKey({}, { monthlySpendLimitNano: 1n }),
      {},
      { error_code: 'spending_limit_exceeded', http_status: 429, model_id: 'echo' },
    ],
    [
      'of an account without access',
      () => harness.givenKey({ inviteStatus: 'suspended' }),
      {},
      { error_code: 'beta_access_required', http_status: 403, model_id: null },
    ],
    [
      'with an expired key',
      () => harness.givenKey({}, { expiresAt: new Date(Date.now() - 1_000) }),
      {},
      { error_code: 'expired_api_key', http_status: 401, model_id: null },
    ],
    [
      'with a revoked key',
      () => harness.givenKey({}, { revokedAt: new Date(Date.now() - 1_000) }),
      {},
      { error_code: 'invalid_api_key', http_status: 401, model_id: null },
    ],
    [
      'for a model that there is not',
      () => harness.givenKey(),
      { model: 'nowhere' },
      { error_code: 'model_not_found', http_status: 404, model_id: null },
    ],
    [
      'for a model that is not offered to the account',
      () => harness.givenKey(),
      { model: 'off' },
      { error_code: 'model_not_found', http_status: 404, model_id: null },
    ],
    [
      'with a field of another type',
      () => harness.givenKey(),
      { more: { temperature: 'hot' } },
      { error_code: 'invalid_request_error', http_status: 400, model_id: 'echo' },
    ],
    [
      'with a field whose name no database takes',
      () => harness.givenKey(),
      { more: { metadata: { 'a\0b': 5 } } },
      { error_code: 'invalid_request_error', http_status: 400, model_id: 'echo' },
    ],
    [
      'that is no JSON',
      () => harness.givenKey(),
      { body: '{' },
      { error_code: 'invalid_request_error', http_status: 400, model_id: null },
    ],
    [
      'that is too large',
      () => harness.givenKey(),
      { body: ' '.repeat(5 * 1024 * 1024) },
      { error_code: 'request_too_large', http_status: 413, model_id: null },
    ],
  ])('%s is noted', async (_why, given, { model = 'echo', more, body }, expected) => {
    const customer = await given();
    const headers = headersOf(customer, { 'x-request-id': 'mine' });
    const init = body === undefined ? { headers } : { headers, body };
    const response = await harness.complete(customer.secret, model, more, init);
    expect(response.status).toBe(expected.http_status);
    const { error } = (await response.json()) as { error: { message: string; param: string | null } };
    expect(await noteOf(customer)).toMatchObject({
      ...{ outcome: 'refused', request_id: 'mine', ...expected },
      error_message: error.message.replaceAll('\0', '\uFFFD'),
      error_param: error.param?.replaceAll('\0', '\uFFFD') ?? null,
    });
  });

  it("whose model its key's policy forbids is recorded with its model", async () => {
    const customer = await harness.givenKey();
    await harness.db.pool.query(
      `UPDATE api_key SET model_policy_mode = 'allow', model_policy_models = '{plain}' WHERE id = $1`,
      [customer.apiKeyId],
    );
    expect((await harness.complete(customer.secret, 'echo')).status).toBe(403);
    expect(await noteOf(customer)).toMatchObject({ error_code: 'model_not_allowed', model_id: 'echo' });
  });
});

describe('a request that failed with nothing delivered', () => {
  it.each([
    ['refuses-500', false, 'service_unavailable', 503],
    ['refuses-500', true, 'service_unavailable', 503],
    ['slow', false, 'upstream_timeout', 504],
    ['slow', true, 'upstream_timeout', 504],
    ['refuses-400', false, 'invalid_request_error', 400],
  ])('by the model %s (streamed: %s) is noted', async (model, stream, code, status) => {
    const customer = await harness.givenKey();
    const response = await harness.complete(customer.secret, model, { stream });
    await response.text();
    expect(await noteOf(customer)).toMatchObject({
      ...{ outcome: 'failed', model_id: model, streamed: stream, error_code: code, http_status: status },
    });
  });

  it.each([false, true])('because its client had left is recorded so (streamed: %s)', async (stream) => {
    const customer = await harness.givenKey();
    const going = new AbortController();
    const before = harness.upstream.requests().length;
    const asked = harness.complete(customer.secret, 'slow-3000', { stream }, { signal: going.signal });
    asked.catch(() => undefined);
    await waitUntil(() => harness.upstream.requests().length > before, 'the upstream is asked');
    going.abort();
    expect(await noteOf(customer)).toMatchObject({
      ...{ outcome: 'failed', model_id: 'slow-3000', streamed: stream, error_code: null, http_status: null },
    });
  });
});

describe('a request that was charged', () => {
  it('is recorded nowhere else, nor is the replay of its response', async () => {
    const customer = await harness.givenKey();
    const init = { headers: headersOf(customer, { 'idempotency-key': 'once' }) };
    const first = (await (await harness.complete(customer.secret, 'echo', {}, init)).json()) as {
      id: string;
    };
    const again = await harness.complete(customer.secret, 'echo', {}, init);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    // A later request of the same path is recorded after it.
    expect((await harness.complete(customer.secret, 'nowhere')).status).toBe(404);
    await waitUntil(async () => (await notesOf(customer)).length > 0, 'the last request is noted');
    expect((await notesOf(customer)).map(({ error_code }) => error_code)).toEqual(['model_not_found']);
    expect((await chargesOf(customer)).map((id) => toPublicId('chatcmpl', id))).toEqual([first.id]);
  });

  it('is recorded nowhere else if its stream breaks off after something was delivered', async () => {
    const customer = await harness.givenKey();
    const response = await harness.complete(customer.secret, 'breaks', { stream: true, max_tokens: 50 });
    await response.text().catch(() => undefined);
    await waitUntil(async () => (await chargesOf(customer)).length > 0, 'what was delivered is charged');
    expect((await harness.complete(customer.secret, 'nowhere')).status).toBe(404);
    await waitUntil(async () => (await notesOf(customer)).length > 0, 'the last request is noted');
    expect(await notesOf(customer)).toHaveLength(1);
  });
});

it('an account in a storm keeps as many records as its rate allows, and others lose none', async () => {
  const storm = await harness.givenKey({ dailyRequestCap: 0 });
  const calm = await harness.givenKey();
  const STORM = 400;
  const all = Array.from({ length: STORM }, () => harness.complete(storm.secret, 'echo'));
  const other = await harness.complete(calm.secret, 'nowhere');
  expect(other.status).toBe(404);
  const statuses = await Promise.all(all.map(async (response) => (await response).status));
  expect(new Set(statuses)).toEqual(new Set([429]));
  expect((await noteOf(calm)).error_code).toBe('model_not_found');
  await waitUntil(async () => (await notesOf(storm)).length >= 60, 'the burst is noted');
  expect((await notesOf(storm)).length).toBeLessThan(STORM / 2);
});

it('a request without a known account is not recorded', async () => {
  const before = await harness.db.pool.query('SELECT FROM uncharged_request');
  const unknown = await harness.complete(`ak-${'0'.repeat(41)}`, 'echo');
  expect(unknown.status).toBe(401);
  const known = await harness.givenKey();
  await harness.complete(known.secret, 'nowhere');
  await noteOf(known);
  const after = await harness.db.pool.query('SELECT FROM uncharged_request');
  expect(Number(after.rowCount) - Number(before.rowCount)).toBe(1);
});

it('a gateway that cannot record responds as before, counts the loss, and records again when it can', async () => {
  const telemetry = quietTelemetry();
  const own = await startGatewayHarness({}, { telemetry });
  try {
    const { secret, accountId } = await own.givenKey({ balanceNano: 0n });
    const noted = async (): Promise<number | null> =>
      (await own.db.pool.query('SELECT FROM uncharged_request WHERE account_id = $1', [accountId])).rowCount;
    await own.db.pool.query('ALTER TABLE uncharged_request RENAME TO away');
    expect((await own.complete(secret, 'echo')).status).toBe(402);
    const lost = 'farebox_uncharged_requests_total{note_result="failed"} 1';
    await waitUntil(async () => (await telemetry.metrics.text()).includes(lost), 'it is counted');
    await own.db.pool.query('ALTER TABLE away RENAME TO uncharged_request');
    expect((await own.complete(secret, 'echo')).status).toBe(402);
    await waitUntil(async () => (await noted()) === 1, 'the next one is noted');
    expect(own.logText()).toContain('"event":"uncharged_requests_lost"');
    await own.expectSettled();
  } finally {
    await own.close();
  }
});

it('a gateway that stops has written its records', async () => {
  const own = await startGatewayHarness();
  const { secret, accountId } = await own.givenKey({ balanceNano: 0n });
  expect((await own.complete(secret, 'echo')).status).toBe(402);
  await own.gateway.close();
  const { rowCount } = await own.db.pool.query('SELECT FROM uncharged_request WHERE account_id = $1', [
    accountId,
  ]);
  expect(rowCount).toBe(1);
  await own.close();
});
