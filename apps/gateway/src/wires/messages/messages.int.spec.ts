import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { startGatewayHarness, type GatewayHarness } from '../../../test/gateway-harness';
import { toLimiterSettings } from '../../limiter/request-limits';

const LIMITS = { requests: 4, windowMs: 60_000, concurrent: 4 };
let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness({ requestLimits: toLimiterSettings(LIMITS) });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const version = { 'anthropic-version': '2023-06-01' };
const prompt = 'Tell me something about trams.';
const asked = { model: 'echo', max_tokens: 20, messages: [{ role: 'user', content: prompt }] };

const post = (path: string, headers: Record<string, string>, body: object = asked): Promise<Response> =>
  fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const get = (path: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`${harness.url}${path}`, { headers });

it('takes the key in either header, and refuses two different ones', async () => {
  const [{ secret }, { secret: other }] = [await harness.givenKey(), await harness.givenKey()];
  const statusOf = async (headers: Record<string, string>) =>
    (await post('/v1/messages?beta=true', headers)).status;
  expect(await statusOf({ 'x-api-key': secret })).toBe(200);
  expect(await statusOf({ authorization: `Bearer ${secret}` })).toBe(200);
  expect(await statusOf({ authorization: `Bearer ${secret}`, 'x-api-key': secret })).toBe(200);
  expect(await statusOf({ authorization: `Bearer ${secret}`, 'x-api-key': other })).toBe(401);
  expect(await statusOf({ authorization: 'Basic YTpi', 'x-api-key': secret })).toBe(401);
  expect(await statusOf({ 'x-api-key': 'st-session' })).toBe(401);
});

it('accepts the other header on no other path', async () => {
  const { secret } = await harness.givenKey();
  expect((await post('/v1/chat/completions', { 'x-api-key': secret })).status).toBe(401);
  expect((await get('/v1/models', { 'x-api-key': secret })).status).toBe(401);
});

it('names the request in the header that its clients read', async () => {
  const { secret } = await harness.givenKey();
  const response = await post('/v1/messages', { 'x-api-key': secret });
  expect(response.headers.get('request-id')).toBe(response.headers.get('x-service-request-id'));
  const refused = await post('/v1/messages', { 'x-api-key': 'ak-x' });
  expect(await refused.json()).toEqual({
    type: 'error',
    error: {
      type: 'authentication_error',
      code: 'invalid_api_key',
      param: null,
      message: expect.any(String) as string,
    },
    request_id: refused.headers.get('request-id'),
  });
});

it('leaves out and names unknown fields, and holds only what the model may write', async () => {
  const { secret } = await harness.givenKey();
  const more = { max_tokens: 32_000, top_k: 5, context_management: {}, thinking: { type: 'adaptive' } };
  const response = await post('/v1/messages', { 'x-api-key': secret }, { ...asked, ...more });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-ignored-fields')).toBe('top_k, context_management');
  expect(harness.upstream.requests().at(-1)?.body).toMatchObject({ max_tokens: 4_096 });
});

it('passes top_k on to a model that allows it', async () => {
  const { secret } = await harness.givenKey();
  await post('/v1/messages', { 'x-api-key': secret }, { ...asked, model: 'vendors', top_k: 5 });
  expect(harness.upstream.requests().at(-1)?.body).toMatchObject({ top_k: 5 });
});

describe('count_tokens', () => {
  it('counts with the tokenizer of the model, for free', async () => {
    const { secret, accountId } = await harness.givenKey({ balanceNano: 0n });
    const response = await post('/v1/messages/count_tokens', { 'x-api-key': secret });
    const { input_tokens } = (await response.json()) as { input_tokens: number };
    expect(input_tokens).toBeGreaterThanOrEqual(countTokens(prompt));
    expect(input_tokens).toBeLessThan(countTokens(prompt) + 10);
    const { rowCount } = await harness.db.pool.query('SELECT 1 FROM usage_record WHERE account_id = $1', [
      accountId,
    ]);
    expect(rowCount).toBe(0);
  });

  it('counts with a common tokenizer if the model has none, even beyond its context', async () => {
    const { secret } = await harness.givenKey();
    const count = async (model: string, content: string): Promise<number> => {
      const body = { model, messages: [{ role: 'user', content }] };
      const response = await post('/v1/messages/count_tokens', { 'x-api-key': secret }, body);
      return ((await response.json()) as { input_tokens: number }).input_tokens;
    };
    expect(await count('plain', prompt)).toBe(await count('echo', prompt));
    expect(await count('echo', 'word '.repeat(20_000))).toBeGreaterThan(20_000);
  });

  it('counts a long request as it counts what the model gets of it', async () => {
    const { secret } = await harness.givenKey();
    const count = async (more: object): Promise<unknown> => {
      const input = { city: 'Rome', unit: '°C' };
      const calls = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input }] };
      const body = { ...asked, messages: [...asked.messages, calls], ...more };
      return (await post('/v1/messages/count_tokens', { 'x-api-key': secret }, body)).json();
    };
    const short = await count({});
    expect(short).toEqual({ input_tokens: expect.any(Number) as number });
    expect(await count({ dropped: 'x'.repeat(600_000) })).toEqual(short);
  });

  it('takes no permit of the model requests, and has limits of its own', async () => {
    const { secret } = await harness.givenKey();
    const count = () => post('/v1/messages/count_tokens', { 'x-api-key': secret });
    const burst = await Promise.all(Array.from({ length: LIMITS.requests }, count));
    expect(burst.map(({ status }) => status)).toEqual(burst.map(() => 200));
    const refused = await count();
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { type: 'error', error: { type: 'rate_limit_error' } },
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post('/v1/messages', { 'x-api-key': secret })).status).toBe(200);
  });

  it('refuses a model and a body in the shape of messages', async () => {
    const { secret } = await harness.givenKey();
    const missing = await post(
      '/v1/messages/count_tokens',
      { 'x-api-key': secret },
      { ...asked, model: 'off' },
    );
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { error: { type: 'not_found_error' } },
    ]);
    const wrong = await post('/v1/messages/count_tokens', { 'x-api-key': secret }, { model: 'echo' });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { param: 'messages' } }]);
  });
});

describe('models', () => {
  it('are listed in the shape of messages for its clients, and in that of chat for others', async () => {
    const { secret, apiKeyId } = await harness.givenKey();
    const sql = `UPDATE api_key SET model_policy_mode = 'allow', model_policy_models = '{echo,small}' WHERE id = $1`;
    await harness.db.pool.query(sql, [apiKeyId]);
    const list = await get('/v1/models', { ...version, 'x-api-key': secret });
    expect(list.headers.get('request-id')).not.toBeNull();
    expect(await list.json()).toMatchObject({
      data: [
        { type: 'model', id: 'echo', display_name: 'echo', max_input_tokens: 8_192, max_tokens: 4_096 },
        { type: 'model', id: 'small' },
      ],
      has_more: false,
      first_id: 'echo',
      last_id: 'small',
    });
    const chat = await get('/v1/models', { authorization: `Bearer ${secret}` });
    expect(await chat.json()).toMatchObject({
      object: 'list',
      data: [{ object: 'model' }, { object: 'model' }],
    });
  });

  it('are returned by id, and an unknown id is refused in the envelope of messages', async () => {
    const { secret } = await harness.givenKey();
    const headers = { ...version, authorization: `Bearer ${secret}` };
    const one = (await (await get('/v1/models/echo', headers)).json()) as { created_at: string };
    expect(one).toMatchObject({ type: 'model', id: 'echo' });
    expect(new Date(one.created_at).toISOString()).toBe(one.created_at);
    const missing = await get('/v1/models/off', headers);
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { type: 'error', error: { type: 'not_found_error', code: 'model_not_found' } },
    ]);
  });
});

it.each(['/v1/messages/batches', '/v1/messages/of_tomorrow', '/v1/messages/count_tokens/x'])(
  'refuses %s, which does not exist, in its own envelope',
  async (path) => {
    const { secret } = await harness.givenKey();
    const response = await post(path, { 'x-api-key': secret }, { requests: [] });
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { type: 'error', error: { type: 'invalid_request_error' } },
    ]);
  },
);
