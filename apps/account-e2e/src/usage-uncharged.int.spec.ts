import { fromPublicId, toPublicId, uuidV7 } from '@farebox/auth';
import { usageList, usageRecord, type UsageRecord } from '@farebox/api';
import { insertUnchargedRequests, type EndedRequest } from '@farebox/ledger';
import { createPool } from '@farebox/database';
import { givenApiKey, PATIENT_POOL } from '@farebox/testing';
import { expectError, type Customer } from '../test/account-harness';
import { AS_CSV, csvLines, openUsageHarness, type UsageHarness } from '../test/usage-fixtures';

let harness: UsageHarness;
let gatewayPool: ReturnType<typeof createPool>;
let ada: Customer;
let apiKeyId: string;
beforeAll(async () => {
  harness = await openUsageHarness();
  gatewayPool = createPool({
    ...PATIENT_POOL,
    ...{ url: harness.serviceUrl, max: 1, applicationName: 'test' },
    onConnectionLost: () => undefined,
  });
});
beforeEach(async () => {
  ada = await harness.givenCustomer({ balanceNano: 1_000_000n });
  apiKeyId = await givenApiKey(harness.pool, ada.accountId);
});
afterAll(async () => {
  await gatewayPool.end();
  await harness.close();
});

/** A request recorded by a gateway now. Returns its public id. */
async function note(more: Partial<EndedRequest> = {}): Promise<string> {
  const id = uuidV7();
  await insertUnchargedRequests(gatewayPool, [
    {
      ...{ id, accountId: ada.accountId, apiKeyId, modelId: 'small', requestId: 'req_2', outcome: 'refused' },
      ...{
        errorCode: 'insufficient_funds',
        errorMessage: 'It does not cover it.',
        errorParam: 'max_tokens',
        httpStatus: 402,
        streamed: true,
        latencyMs: 3,
        ageMs: 0,
        ...more,
      },
    },
  ]);
  return toPublicId('chatcmpl', id);
}

async function charge(more: object = {}): Promise<string> {
  return toPublicId('chatcmpl', await harness.charge({ accountId: ada.accountId, apiKeyId, ...more }));
}

async function list(query: string) {
  const answer = await ada.send('GET', `/v1/usage${query}`);
  expect(answer.status).toBe(200);
  return usageList.parse(answer.json);
}

const ids = (page: { data: UsageRecord[] }): string[] => page.data.map(({ id }) => id);

/** All ids of a list, page by page. */
async function readAll(query: string): Promise<string[]> {
  const found: string[] = [];
  for (let after = ''; ;) {
    const page = await list(`?${query}${after}`);
    found.push(...ids(page));
    if (!page.has_more) return found;
    after = `&after=${page.last_id ?? ''}`;
  }
}

describe('GET /v1/usage by outcome', () => {
  it('shows refused and failed requests with their status and error, and without cost', async () => {
    const id = await note();
    expect((await list('?outcome=refused')).data).toEqual([
      {
        object: 'usage',
        id,
        request_id: 'req_2',
        model: 'small',
        key_public_id: toPublicId('key', apiKeyId),
        key_name: 'test',
        prompt_tokens: 0,
        completion_tokens: 0,
        total_tokens: 0,
        cost: '0.000000000',
        currency: 'usd',
        outcome: 'refused',
        streamed: true,
        estimated: false,
        latency_ms: 3,
        first_token_ms: null,
        created_at: expect.any(Number) as number,
        error_code: 'insufficient_funds',
        error_message: 'It does not cover it.',
        error_param: 'max_tokens',
        http_status: 402,
        ...{ cached_tokens: null, cache_write_tokens: null, reasoning_tokens: null },
      },
    ]);
  });

  it('has all requests in one list, by pages of any length, and only charged ones by default', async () => {
    const first = await charge();
    const refused = await note();
    const second = await charge({ outcome: 'client_gone' });
    const gone = await note({ outcome: 'failed', errorCode: null, httpStatus: null });
    const third = await charge();
    const newest = [third, gone, second, refused, first];
    for (const limit of [1, 2, 3, 5])
      expect(await readAll(`outcome=all&limit=${String(limit)}`)).toEqual(newest);
    expect(await readAll('limit=2')).toEqual([third, second, first]);
    expect(await readAll('outcome=completed&limit=1')).toEqual([third, first]);
    expect(await readAll('outcome=client_gone')).toEqual([second]);
    expect(await readAll('outcome=shutdown')).toEqual([]);
    expect(await readAll('outcome=failed')).toEqual([gone]);
    expect(await readAll('outcome=refused')).toEqual([refused]);
  });

  it('is filtered by key, model and time', async () => {
    const otherKey = await givenApiKey(harness.pool, ada.accountId);
    const charged = await charge();
    const ofOtherKey = await note({ apiKeyId: otherKey });
    const ofNoModel = await note({ modelId: null, errorCode: 'model_not_found', httpStatus: 404 });
    const past = await note({ ageMs: 3_600_000 });
    expect(await readAll(`outcome=all&key_public_id=${toPublicId('key', otherKey)}`)).toEqual([ofOtherKey]);
    expect(await readAll('outcome=all&model=small&limit=1')).toEqual([ofOtherKey, charged, past]);
    const recently = String(Math.floor(Date.now() / 1_000) - 1_800);
    expect(await readAll(`outcome=all&start=${recently}`)).toEqual([ofNoModel, ofOtherKey, charged]);
    expect(await readAll(`outcome=all&end=${recently}`)).toEqual([past]);
  });

  it('returns 400 for an unknown outcome, and names the known ones', async () => {
    const answer = await ada.send('GET', '/v1/usage?outcome=lost');
    expectError(answer, { status: 400, code: 'invalid_request_error', param: 'outcome' });
    expect(answer.text).toContain('must be one of completed, client_gone');
  });

  it('has in CSV their error and status in the last columns, and the next page in a header', async () => {
    await charge();
    const refused = await note();
    const answer = await ada.send('GET', '/v1/usage?outcome=all&limit=1', AS_CSV);
    const [header, row] = csvLines(answer.text);
    expect(header?.slice(-4)).toEqual(['error_code', 'error_message', 'error_param', 'http_status']);
    expect([row?.[0], ...(row ?? []).slice(-4)]).toEqual([
      ...[refused, 'insufficient_funds', 'It does not cover it.', 'max_tokens', '402'],
    ]);
    expect(answer.headers['link']).toContain(`outcome=all&limit=1&after=${refused}`);
  });

  it('shows one account nothing of another', async () => {
    const refused = await note();
    const eve = await harness.givenCustomer();
    const answer = await eve.send('GET', '/v1/usage?outcome=all');
    expect(usageList.parse(answer.json).data).toEqual([]);
    expectError(await eve.send('GET', `/v1/usage?outcome=all&after=${refused}`), {
      status: 400,
      code: 'invalid_request_error',
      param: 'after',
    });
  });
});

describe('GET /v1/usage/{usage_id}', () => {
  it('returns a request as in the list, charged or not', async () => {
    for (const id of [await charge(), await note(), await note({ outcome: 'failed', modelId: null })]) {
      const answer = await ada.send('GET', `/v1/usage/${id}`);
      expect(answer.status).toBe(200);
      const inList = (await list('?outcome=all')).data.find((one) => one.id === id);
      expect(usageRecord.parse(answer.json)).toEqual(inList);
    }
  });

  it("returns the same for a missing request, another account's and a malformed id", async () => {
    const eve = await harness.givenCustomer();
    const missing = toPublicId('chatcmpl', uuidV7());
    for (const id of [missing, await charge(), await note(), 'chatcmpl-nothing', 'summary-of-all']) {
      const answer = await eve.send('GET', `/v1/usage/${id}`);
      expectError(answer, { status: 404, code: 'invalid_request_error', param: 'usage_id' });
    }
    expect(fromPublicId('chatcmpl', missing)).toBeDefined();
  });

  it('does not hide the addresses of the sums', async () => {
    const answer = await ada.send('GET', '/v1/usage/summary');
    expect(answer.json).toMatchObject({ object: 'usage_summary' });
  });
});
