import { createApiKeySecret } from '@farebox/auth';
import { modelList } from '@farebox/api';
import { startGatewayHarness, type GatewayHarness } from '../test/gateway-harness';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

interface ErrorBody {
  error: { code: string; type: string; param: string | null; message: string };
}

async function outcomeOf(response: Response): Promise<string> {
  const text = await response.text();
  const body = text.startsWith('{"error"') ? (JSON.parse(text) as ErrorBody) : undefined;
  if (body) expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'param', 'type']);
  return `${String(response.status)} ${body?.error.code ?? 'ok'}`;
}

const yesterday = new Date(Date.now() - 86_400_000);
const post = (
  headers: Record<string, string>,
  body: string | Uint8Array<ArrayBuffer> = '{}',
  path = '/v1/chat/completions',
): Promise<Response> => fetch(harness.url + path, { method: 'POST', headers, body });

describe('a credential', () => {
  it.each([
    ['none', undefined, '401 authentication_error'],
    ['Basic', 'Basic YTpi', '401 authentication_error'],
    ['an empty Bearer', 'Bearer ', '401 authentication_error'],
    ['a session token', `Bearer st-${'a'.repeat(43)}`, '401 authentication_error'],
    ['a key with a bad checksum', `Bearer ak-${'a'.repeat(38)}`, '401 invalid_api_key'],
    ['an unknown key', `Bearer ${createApiKeySecret()}`, '401 invalid_api_key'],
    ['a key of ten kilobytes', `Bearer ak-${'a'.repeat(10_000)}`, '401 invalid_api_key'],
    ['a key with a quote', "Bearer ak-' OR 1=1 --", '401 invalid_api_key'],
    ['a key with a space inside', `Bearer ak-${'a'.repeat(10)} ${'a'.repeat(27)}`, '401 invalid_api_key'],
  ])('that is %s is refused before the body is looked at', async (_name, authorization, expected) => {
    const headers = authorization === undefined ? {} : { authorization };
    expect(await outcomeOf(await post(headers, 'not json'))).toBe(expected);
    expect(await outcomeOf(await fetch(`${harness.url}/v1/models`, { headers }))).toBe(expected);
  });

  it('in the query is not accepted', async () => {
    const { secret } = await harness.givenKey();
    const response = await fetch(`${harness.url}/v1/models?api_key=${secret}&key=${secret}`);
    expect(await outcomeOf(response)).toBe('401 authentication_error');
  });

  it.each([
    ['revoked', {}, { revokedAt: yesterday }, '401 invalid_api_key'],
    ['expired', {}, { expiresAt: yesterday }, '401 expired_api_key'],
    [
      'of an account that is only invited',
      { inviteStatus: 'invited' as const },
      {},
      '403 beta_access_required',
    ],
    ['of a suspended account', { inviteStatus: 'suspended' as const }, {}, '403 beta_access_required'],
  ])('that is %s is refused everywhere', async (_name, account, key, expected) => {
    const { secret } = await harness.givenKey(account, key);
    const headers = { authorization: `Bearer ${secret}` };
    expect(await outcomeOf(await post(headers, 'not json'))).toBe(expected);
    expect(await outcomeOf(await fetch(`${harness.url}/v1/models`, { headers }))).toBe(expected);
  });

  it.each([
    ['revoked', 'UPDATE api_key SET revoked_at = now() WHERE id = $1', '401 invalid_api_key'],
    [
      'rotated',
      `UPDATE api_key SET secret_hmac = 'x' || id::text::bytea, version = version + 1 WHERE id = $1`,
      '401 invalid_api_key',
    ],
    [
      'expired',
      'UPDATE api_key SET expires_at = now(), version = version + 1 WHERE id = $1',
      '401 expired_api_key',
    ],
    [
      'barred from the model',
      `UPDATE api_key SET model_policy_mode = 'block', model_policy_models = '{echo}', version = version + 1 WHERE id = $1`,
      '403 model_not_allowed',
    ],
  ])(
    'that was used a moment ago and is now %s is refused on the very next request',
    async (_name, sql, expected) => {
      const { secret, apiKeyId } = await harness.givenKey();
      expect(await outcomeOf(await harness.complete(secret, 'echo'))).toBe('200 ok');
      await harness.db.pool.query(sql, [apiKeyId]);
      expect(await outcomeOf(await harness.complete(secret, 'echo'))).toBe(expected);
    },
  );

  it('that is remembered and was revoked is refused even if the request itself is invalid', async () => {
    const { secret, apiKeyId } = await harness.givenKey();
    expect(await outcomeOf(await harness.complete(secret, 'echo'))).toBe('200 ok');
    await harness.db.pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [apiKeyId]);
    expect(await outcomeOf(await harness.complete(secret, 'missing'))).toBe('401 invalid_api_key');
    expect(await outcomeOf(await harness.complete(secret, 'echo', { n: 0 }))).toBe('401 invalid_api_key');
  });

  it('of an account that is suspended now is refused on the very next request', async () => {
    const { secret, accountId } = await harness.givenKey();
    expect(await outcomeOf(await harness.complete(secret, 'echo'))).toBe('200 ok');
    await harness.db.pool.query(`UPDATE account SET invite_status = 'suspended' WHERE id = $1`, [accountId]);
    expect(await outcomeOf(await harness.complete(secret, 'echo'))).toBe('403 beta_access_required');
  });

  it('of an account that was moved to another cohort is refused the models of its former cohort on the very next request', async () => {
    const { secret, accountId } = await harness.givenKey();
    await harness.db.pool.query(
      `INSERT INTO cohort VALUES ('others', 1000, 1000000000) ON CONFLICT DO NOTHING`,
    );
    expect(await outcomeOf(await harness.complete(secret, 'of-beta'))).toBe('200 ok');
    const move = 'UPDATE account SET cohort_name = $2 WHERE id = $1';
    await harness.db.pool.query(move, [accountId, 'others']);
    expect(await outcomeOf(await harness.complete(secret, 'of-beta'))).toBe('404 model_not_found');
    await harness.db.pool.query(move, [accountId, 'beta']);
    expect(await outcomeOf(await harness.complete(secret, 'of-beta'))).toBe('200 ok');
  });

  it('that is remembered and has an irrelevant change is identified again, and served', async () => {
    const { secret, apiKeyId } = await harness.givenKey();
    expect(await outcomeOf(await harness.complete(secret, 'echo'))).toBe('200 ok');
    await harness.db.pool.query(`UPDATE api_key SET name = 'new', version = version + 1 WHERE id = $1`, [
      apiKeyId,
    ]);
    expect(await outcomeOf(await harness.complete(secret, 'echo'))).toBe('200 ok');
  });
});

describe('the models', () => {
  it('that are listed are those that a request may use', async () => {
    const { secret, apiKeyId } = await harness.givenKey();
    const sql = `UPDATE api_key SET model_policy_mode = 'allow', model_policy_models = '{echo,off,missing}' WHERE id = $1`;
    await harness.db.pool.query(sql, [apiKeyId]);
    const response = await fetch(`${harness.url}/v1/models`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    const { data } = modelList.parse(await response.json());
    expect(data.map((model) => model.id)).toEqual(['echo']);
    expect(data[0]).toMatchObject({
      pricing: { input: '1.000000000', output: '2.000000000', currency: 'usd', unit: '1M tokens' },
      context_window: 8_192,
      max_output_tokens: 4_096,
      input_modalities: ['text'],
      kind: 'chat',
    });
    const outcomes = ['echo', 'plain', 'off', 'missing', '../echo', 'еcho'].map(
      async (model) => await outcomeOf(await harness.complete(secret, model)),
    );
    expect(await Promise.all(outcomes)).toEqual([
      '200 ok',
      '403 model_not_allowed',
      '404 model_not_found',
      '404 model_not_found',
      '404 model_not_found',
      '404 model_not_found',
    ]);
  });
});

describe('a request', () => {
  it('to a wrong path or with a wrong method is answered in the envelope', async () => {
    expect(await outcomeOf(await fetch(`${harness.url}/v1/nothing`))).toBe('404 invalid_request_error');
    const wrongMethod = await fetch(`${harness.url}/v1/chat/completions`, { method: 'DELETE' });
    expect(wrongMethod.headers.get('allow')).toBe('POST');
    expect(await outcomeOf(wrongMethod)).toBe('405 invalid_request_error');
    expect(await outcomeOf(await fetch(`${harness.url}/v1/%zz`))).toBe('404 invalid_request_error');
  });
});
