import { toPublicId } from '@farebox/auth';
import { usageByApiKey, usageByModel, usageSummary, type UsageTotals } from '@farebox/api';
import { DAY_MS, HOUR_MS } from '@farebox/flow';
import { floorTo, sumClosedUsage, verifyLedger } from '@farebox/ledger';
import { fromDecimalUsd } from '@farebox/money';
import { givenApiKey, givenPastCharge } from '@farebox/testing';
import type { Customer } from '../test/account-harness';
import { AS_CSV, csvLines, openUsageHarness, type UsageHarness } from '../test/usage-fixtures';

/** The kinds of the last request's tokens. */
const KINDS = { cachedTokens: 7, cacheWriteTokens: 2, reasoningTokens: 15 };

let harness: UsageHarness;
let ada: Customer;
let keys: [string, string];
beforeAll(async () => {
  harness = await openUsageHarness();
  ada = await harness.givenCustomer({ balanceNano: 1_000_000n });
  keys = [await givenApiKey(harness.pool, ada.accountId), await givenApiKey(harness.pool, ada.accountId)];
  const { accountId } = ada;
  // 40 days ago is before the default range, 3 days ago has two hours, and a gateway charges today's.
  await givenPastCharge(harness.pool, { accountId, apiKeyId: keys[0], at: hourAgo(40, 5), costNano: 7n });
  await givenPastCharge(harness.pool, { accountId, apiKeyId: keys[0], at: hourAgo(3, 0), costNano: 100n });
  await givenPastCharge(harness.pool, {
    accountId,
    apiKeyId: keys[1],
    at: hourAgo(3, 23),
    modelId: 'large',
    costNano: 200n,
  });
  await sumClosedUsage(harness.pool);
  await harness.charge({ accountId, apiKeyId: keys[1], costNano: 400n, ...KINDS });
});
afterAll(async () => {
  expect((await verifyLedger(harness.pool)).differences).toEqual([]);
  await harness.close();
});

/** A time within an hour of the UTC day this many days ago. */
function hourAgo(days: number, hour: number): Date {
  return new Date(floorTo(DAY_MS, new Date()).getTime() - days * DAY_MS + hour * HOUR_MS + 90_000);
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

async function read(path: string): Promise<unknown> {
  const answer = await ada.send('GET', path);
  expect({ path, status: answer.status }).toEqual({ path, status: 200 });
  return answer.json;
}
const summary = async (query = '') => usageSummary.parse(await read(`/v1/usage/summary${query}`));
const byModel = async (query = '') => usageByModel.parse(await read(`/v1/usage/by-model${query}`));
const byApiKey = async (query = '') => usageByApiKey.parse(await read(`/v1/usage/by-api-key${query}`));

function sumOf(parts: UsageTotals[]): Omit<UsageTotals, 'cost'> & { costNano: bigint } {
  const of = (value: (part: UsageTotals) => number): number =>
    parts.reduce((sum, part) => sum + value(part), 0);
  return {
    requests: of((part) => part.requests),
    prompt_tokens: of((part) => part.prompt_tokens),
    completion_tokens: of((part) => part.completion_tokens),
    total_tokens: of((part) => part.total_tokens),
    cached_tokens: of((part) => part.cached_tokens),
    cache_write_tokens: of((part) => part.cache_write_tokens),
    reasoning_tokens: of((part) => part.reasoning_tokens),
    costNano: parts.reduce((sum, part) => sum + fromDecimalUsd(part.cost), 0n),
  };
}

describe('GET /v1/usage/summary', () => {
  it('covers thirty days up to today, by the day, with zeros for unused days', async () => {
    const { series, totals, ...rest } = await summary();
    const today = floorTo(DAY_MS, new Date());
    expect(rest).toEqual({
      object: 'usage_summary',
      bucket: 'day',
      starts_at: seconds(today) - 29 * 86_400,
      ends_at: seconds(today) + 86_400,
      currency: 'usd',
    });
    expect(series.map((bucket) => bucket.starts_at)).toEqual(
      Array.from({ length: 30 }, (_, i) => rest.starts_at + i * 86_400),
    );
    expect(series.filter((bucket) => bucket.requests > 0)).toEqual([
      {
        starts_at: seconds(today) - 3 * 86_400,
        ...{ requests: 2, prompt_tokens: 20, completion_tokens: 40, total_tokens: 60, cost: '0.000000300' },
        ...{ cached_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
      },
      {
        starts_at: seconds(today),
        ...{ requests: 1, prompt_tokens: 10, completion_tokens: 20, total_tokens: 30, cost: '0.000000400' },
        ...{ cached_tokens: 7, cache_write_tokens: 2, reasoning_tokens: 15 },
      },
    ]);
    expect(totals).toMatchObject({ requests: 3, cost: '0.000000700' });
  });

  it.each(['hour', 'day'])('has totals that equal the sums of its series by the %s', async (bucket) => {
    const start = seconds(hourAgo(3, 0)) + 7;
    const { series, totals, starts_at, ends_at } = await summary(`?bucket=${bucket}&start=${String(start)}`);
    expect(sumOf(series)).toEqual(sumOf([totals]));
    const step = bucket === 'hour' ? 3_600 : 86_400;
    expect([starts_at % step, ends_at % step, series.length]).toEqual([0, 0, (ends_at - starts_at) / step]);
    // Every step is whole, including the first.
    expect(series[0]?.requests).toBe(bucket === 'hour' ? 1 : 2);
  });

  it('excludes usage at the end of its range', async () => {
    const [from, to] = [seconds(floorTo(HOUR_MS, hourAgo(3, 0))), seconds(floorTo(HOUR_MS, hourAgo(3, 23)))];
    const range = (start: number, end: number): string =>
      `?bucket=hour&start=${String(start)}&end=${String(end)}`;
    expect((await summary(range(from, to))).totals.requests).toBe(1);
    expect((await summary(range(from + 3_600, to))).totals.requests).toBe(0);
    expect((await summary(range(from, to + 1))).totals.requests).toBe(2);
  });

  it('is filtered by key, model, or both', async () => {
    const key = `key_public_id=${toPublicId('key', keys[1])}`;
    expect((await summary(`?${key}`)).totals).toMatchObject({ requests: 2, cost: '0.000000600' });
    expect((await summary('?model=small')).totals).toMatchObject({ requests: 2, cost: '0.000000500' });
    expect((await summary(`?model=small&${key}`)).totals).toMatchObject({ requests: 1, cost: '0.000000400' });
  });

  it('is all zeros for a new account', async () => {
    const eve = await harness.givenCustomer();
    const { totals, series } = usageSummary.parse((await eve.send('GET', '/v1/usage/summary')).json);
    expect(totals).toMatchObject({ requests: 0, cost: '0.000000000' });
    expect(series).toHaveLength(30);
  });

  it('may cover a year by the hour', async () => {
    const end = floorTo(DAY_MS, new Date()).getTime();
    const query = `?bucket=hour&start=${String((end - 366 * DAY_MS) / 1_000)}&end=${String(end / 1_000)}`;
    expect((await summary(query)).series).toHaveLength(366 * 24);
  });

  it('returns its series in CSV', async () => {
    const answer = await ada.send('GET', '/v1/usage/summary', AS_CSV);
    expect(answer.headers['content-disposition']).toMatch(fileNamed('usage-by-day'));
    const [names, ...lines] = csvLines(answer.text);
    const totals = ['requests', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'cost', 'currency'];
    const kinds = ['cached_tokens', 'cache_write_tokens', 'reasoning_tokens'];
    expect(names).toEqual(['starts_at', 'starts_at_iso', ...totals, ...kinds]);
    expect(lines).toHaveLength(30);
    expect(lines.at(-1)?.slice(2)).toEqual(['1', '10', '20', '30', '0.000000400', 'usd', '7', '2', '15']);
  });
});

/** A header that names a file after its subject and its days. */
const fileNamed = (subject: string): RegExp =>
  new RegExp(String.raw`^attachment; filename="farebox-${subject}-\d{4}-\d\d-\d\d-to-\d{4}-\d\d-\d\d\.csv"$`);

describe('GET /v1/usage/by-model', () => {
  it('has the totals of each model, highest cost first', async () => {
    const { data, totals } = await byModel();
    expect(data.map(({ model, requests, cost }) => [model, requests, cost])).toEqual([
      ['small', 2, '0.000000500'],
      ['large', 1, '0.000000200'],
    ]);
    expect(sumOf(data)).toEqual(sumOf([totals]));
    expect((await summary()).totals).toEqual(totals);
  });

  it('is filtered by key', async () => {
    const { data } = await byModel(`?key_public_id=${toPublicId('key', keys[0])}`);
    expect(data.map(({ model, cost }) => [model, cost])).toEqual([['small', '0.000000100']]);
  });

  it('returns CSV on request', async () => {
    const { text, headers } = await ada.send('GET', '/v1/usage/by-model', AS_CSV);
    expect(headers['content-disposition']).toMatch(fileNamed('usage-by-model'));
    expect(csvLines(text).map(([model]) => model)).toEqual(['model', 'small', 'large']);
  });
});

it.each(['/v1/usage', '/v1/usage/summary', '/v1/usage/by-model', '/v1/usage/by-api-key'])(
  '%s returns CSV by a link, which takes precedence over Accept',
  async (path) => {
    const asked = await ada.send('GET', `${path}?format=csv`, { headers: { accept: 'text/html' } });
    expect([asked.status, asked.text]).toEqual([200, (await ada.send('GET', path, AS_CSV)).text]);
    const json = await ada.send('GET', `${path}?format=json`, AS_CSV);
    expect(json.json).toEqual(await read(path));
  },
);

describe('GET /v1/usage/by-api-key', () => {
  it('names each key, including revoked ones, highest cost first', async () => {
    expect((await ada.send('DELETE', `/v1/api-keys/${toPublicId('key', keys[0])}`)).status).toBe(200);
    const { data, totals } = await byApiKey();
    expect(data.map(({ key_public_id, name, status, cost }) => [key_public_id, name, status, cost])).toEqual([
      [toPublicId('key', keys[1]), 'test', 'active', '0.000000600'],
      [toPublicId('key', keys[0]), 'test', 'revoked', '0.000000100'],
    ]);
    expect((await summary()).totals).toEqual(totals);
  });

  it('returns CSV on request, with names that no spreadsheet executes', async () => {
    await harness.pool.query(`UPDATE api_key SET name = '=HYPERLINK("x")' WHERE id = $1`, [keys[1]]);
    const { text } = await ada.send('GET', '/v1/usage/by-api-key', AS_CSV);
    expect(text).toContain(`${toPublicId('key', keys[1])},"'=HYPERLINK(""x"")",abcd,active,2,`);
  });
});
