import { toPublicId } from '@farebox/auth';
import { usageList, type UsageRecord } from '@farebox/api';
import { givenApiKey } from '@farebox/testing';
import type { Customer } from '../test/account-harness';
import { AS_CSV, csvLines, openUsageHarness, type UsageHarness } from '../test/usage-fixtures';

let harness: UsageHarness;
let ada: Customer;
let apiKeyId: string;
beforeAll(async () => {
  harness = await openUsageHarness();
});
beforeEach(async () => {
  ada = await harness.givenCustomer({ balanceNano: 1_000_000n });
  apiKeyId = await givenApiKey(harness.pool, ada.accountId);
});
afterAll(async () => {
  await harness.close();
});

async function list(query = '') {
  const answer = await ada.send('GET', `/v1/usage${query}`);
  expect(answer.status).toBe(200);
  expect(answer.headers['vary']).toBe('Accept');
  return usageList.parse(answer.json);
}

const charge = (more: object = {}): Promise<string> =>
  harness.charge({ accountId: ada.accountId, apiKeyId, ...more });

const ids = (page: { data: UsageRecord[] }): string[] => page.data.map(({ id }) => id);
const publicIds = (...holdIds: string[]): string[] => holdIds.map((id) => toPublicId('chatcmpl', id));

describe('GET /v1/usage', () => {
  it('is empty for a new account', async () => {
    expect(await list()).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  it('shows everything known of a request', async () => {
    const holdId = await charge({
      ...{ requestId: 'req_mine', costNano: 10_500n, promptTokens: 7, completionTokens: 11 },
      ...{ outcome: 'client_gone', streamed: true, estimated: true, latencyMs: 1_234, firstTokenMs: 56 },
    });
    const { data } = await list();
    expect(data).toEqual([
      {
        object: 'usage',
        id: toPublicId('chatcmpl', holdId),
        request_id: 'req_mine',
        model: 'small',
        key_public_id: toPublicId('key', apiKeyId),
        key_name: 'test',
        prompt_tokens: 7,
        completion_tokens: 11,
        total_tokens: 18,
        cost: '0.000010500',
        currency: 'usd',
        outcome: 'client_gone',
        streamed: true,
        estimated: true,
        latency_ms: 1_234,
        first_token_ms: 56,
        created_at: expect.any(Number) as number,
        error_code: null,
        error_message: null,
        error_param: null,
        http_status: 200,
        ...{ cached_tokens: null, cache_write_tokens: null, reasoning_tokens: null },
      },
    ]);
  });

  it("shows only the account's own requests", async () => {
    const eve = await harness.givenCustomer({ balanceNano: 1_000n });
    await harness.charge({
      accountId: eve.accountId,
      apiKeyId: await givenApiKey(harness.pool, eve.accountId),
    });
    expect((await list()).data).toEqual([]);
  });

  it('is read page by page, newest first, without gaps or repetitions', async () => {
    const holdIds = [];
    for (let i = 0; i < 5; i++) holdIds.push(await charge());
    const seen: string[] = [];
    let query: string | undefined = '?limit=2';
    while (query !== undefined) {
      const page = await list(query);
      expect([page.first_id, page.last_id]).toEqual([page.data[0]?.id, page.data.at(-1)?.id]);
      seen.push(...ids(page));
      query = page.has_more ? `?limit=2&after=${String(page.last_id)}` : undefined;
    }
    expect(seen).toEqual(publicIds(...holdIds.reverse()));
  });

  it('continues where it was, whatever has been charged since', async () => {
    const [first, second] = [await charge(), await charge()];
    const { last_id: after } = await list('?limit=1');
    await charge();
    expect(after).toBe(toPublicId('chatcmpl', second));
    expect(ids(await list(`?after=${String(after)}`))).toEqual(publicIds(first));
  });

  it('is filtered by key, model and both', async () => {
    const otherKeyId = await givenApiKey(harness.pool, ada.accountId);
    const [a, b, c] = [
      await charge(),
      await charge({ modelId: 'large' }),
      await charge({ apiKeyId: otherKeyId }),
    ];
    const key = `key_public_id=${toPublicId('key', apiKeyId)}`;
    expect(ids(await list(`?${key}`))).toEqual(publicIds(b, a));
    expect(ids(await list('?model=small'))).toEqual(publicIds(c, a));
    expect(ids(await list(`?model=small&${key}`))).toEqual(publicIds(a));
    const page = await list('?model=small&limit=1');
    expect([ids(page), page.has_more]).toEqual([publicIds(c), true]);
    expect(ids(await list(`?model=small&after=${String(page.last_id)}`))).toEqual(publicIds(a));
  });

  it('keeps the requests of a revoked key', async () => {
    const holdId = await charge();
    const key = toPublicId('key', apiKeyId);
    expect((await ada.send('DELETE', `/v1/api-keys/${key}`)).status).toBe(200);
    expect(ids(await list(`?key_public_id=${key}`))).toEqual(publicIds(holdId));
  });

  it('is filtered by the time of the charge, to the second', async () => {
    const holdId = await charge();
    const { data } = await list();
    const at = data[0]?.created_at ?? 0;
    expect(ids(await list(`?start=${String(at)}&end=${String(at + 1)}`))).toEqual(publicIds(holdId));
    expect(ids(await list(`?start=${new Date(at * 1_000).toISOString()}`))).toEqual(publicIds(holdId));
    expect(ids(await list(`?start=${String(at + 1)}&end=${String(at + 2)}`))).toEqual([]);
    expect(ids(await list(`?end=${String(at)}`))).toEqual([]);
  });
});

describe('GET /v1/usage as CSV', () => {
  it('has a line for each request, with unrounded amounts', async () => {
    const holdId = await charge({ costNano: 10_500n });
    const answer = await ada.send('GET', '/v1/usage', AS_CSV);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(
        /^attachment; filename="farebox-usage-until-\d{4}-\d\d-\d\d\.csv"$/,
      ) as string,
      'cache-control': 'no-store',
      vary: 'Accept',
    });
    expect(answer.headers['link']).toBeUndefined();
    const [names = [], line = [], ...rest] = csvLines(answer.text);
    expect(rest).toEqual([]);
    const record = Object.fromEntries(names.map((name, i) => [name, line[i]]));
    expect(record).toMatchObject({
      id: toPublicId('chatcmpl', holdId),
      cost: '0.000010500',
      first_token_ms: '',
    });
    expect(names).toEqual([
      ...['id', 'created_at', 'created_at_iso', 'request_id', 'model', 'key_public_id', 'key_name'],
      ...['prompt_tokens', 'completion_tokens'],
      ...[
        'total_tokens',
        'cost',
        'currency',
        'outcome',
        'streamed',
        'estimated',
        'latency_ms',
        'first_token_ms',
        ...['cached_tokens', 'cache_write_tokens', 'reasoning_tokens'],
        'error_code',
        'error_message',
        'error_param',
        'http_status',
      ],
    ]);
  });

  it('names the next page in its header, with the same filters', async () => {
    const holdIds = [];
    for (let i = 0; i < 3; i++) holdIds.push(await charge());
    const seen: string[] = [];
    let path: string | undefined = '/v1/usage?limit=2&model=small';
    while (path !== undefined) {
      const { text, headers } = await ada.send('GET', path, AS_CSV);
      seen.push(
        ...csvLines(text)
          .slice(1)
          .map(([id = '']) => id),
      );
      path = /^<(.*)>; rel="next"$/.exec(String(headers['link'] ?? ''))?.[1];
      if (path !== undefined) expect(path).toContain('limit=2&model=small');
    }
    expect(seen).toEqual(publicIds(...holdIds.reverse()));
  });

  it('disarms a request name that a client chose', async () => {
    await charge({ requestId: '-cmd' });
    expect((await ada.send('GET', '/v1/usage', AS_CSV)).text).toContain(",'-cmd,");
  });

  it.each([
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['application/json;q=0.5, text/csv', 'text/csv'],
    ['text/csv;q=0', 'application/json'],
    ['image/png', 'application/json'],
    ['*/*', 'application/json'],
    ['text/*', 'text/csv'],
  ])('Accept: %s returns %s', async (accept, mediaType) => {
    const answer = await ada.send('GET', '/v1/usage', { headers: { accept } });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(`${mediaType}; charset=utf-8`);
  });
});
