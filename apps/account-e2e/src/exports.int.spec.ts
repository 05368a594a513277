import { toPublicId, uuidV7 } from '@farebox/auth';
import { usageByApiKey, usageSummary } from '@farebox/api';
import { DAY_MS } from '@farebox/flow';
import { givenApiKey, givenPastCharge } from '@farebox/testing';
import { fromDecimalUsd } from '@farebox/money';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { csvLines } from '../test/usage-fixtures';

/** More than are read at a time, and than a page has. */
const CHARGES = 2_000;
const START = Date.UTC(2026, 9, 1);
const RANGE = 'start=2026-10-01&end=2026-11-01';

let harness: AccountHarness;
let ada: Customer;
let apiKeyIds: string[];

/** Two thousand charges over October, of two keys of the same name and two models, and one before and after it. */
beforeAll(async () => {
  harness = await openAccountHarness();
  ada = await harness.givenCustomer({ balanceNano: 10_000_000_000n });
  const { accountId } = ada;
  apiKeyIds = [await givenApiKey(harness.pool, accountId), await givenApiKey(harness.pool, accountId)];
  await harness.pool.query(`UPDATE api_key SET name = 'twin, too' WHERE account_id = $1`, [accountId]);
  const times = Array.from({ length: CHARGES }, (_, i) => START + Math.floor((i * 31 * DAY_MS) / CHARGES));
  for (const [i, ms] of [START - 1, ...times, START + 31 * DAY_MS].entries())
    await givenPastCharge(harness.pool, {
      ...{ accountId, apiKeyId: apiKeyIds[i % 2] ?? '', at: new Date(ms), costNano: BigInt(i + 1) },
      ...{ modelId: i % 3 === 0 ? 'large' : 'small', promptTokens: i },
    });
}, 300_000);
afterAll(async () => {
  await harness.close();
});

type Line = Record<string, string>;

/** The lines of a CSV by the names of its columns. */
async function exported(path: string): Promise<{ lines: Line[]; fileName: string }> {
  const { status, text, headers } = await ada.send('GET', path);
  expect(status).toBe(200);
  expect(headers['link']).toBeUndefined();
  // No quoted cell has a comma of its own but the name of the keys.
  const [names = [], ...rows] = csvLines(text.replaceAll(NAME, 'twin'));
  const lines = rows.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
  const [, fileName = ''] = /filename="(.*)"/.exec(String(headers['content-disposition'])) ?? [];
  return { lines, fileName };
}

const NAME = '"twin, too"';
const sumOf = (lines: Line[], column: string): number =>
  lines.reduce((sum, line) => sum + Number(line[column]), 0);
const costOf = (lines: Line[], column: string): bigint =>
  lines.reduce((sum, line) => sum + fromDecimalUsd(line[column]?.replace('-', '') ?? ''), 0n);

describe('GET /v1/usage as CSV without a limit', () => {
  it.each(['', '&model=large', 'key', '&outcome=completed', '&outcome=all'])(
    'is all of the range, and sums to its totals, with the filter "%s"',
    async (given) => {
      const filter = given === 'key' ? `&key_public_id=${toPublicId('key', apiKeyIds[1] ?? '')}` : given;
      const { lines, fileName } = await exported(`/v1/usage?format=csv&${RANGE}${filter}`);
      expect(fileName).toBe('farebox-usage-2026-10-01-to-2026-10-31.csv');
      const summed = `/v1/usage/summary?${RANGE}${filter.replace(/&outcome=\w+/, '')}`;
      const { totals } = usageSummary.parse((await ada.send('GET', summed)).json);
      expect(lines).toHaveLength(totals.requests);
      expect(sumOf(lines, 'prompt_tokens')).toBe(totals.prompt_tokens);
      expect(costOf(lines, 'cost')).toBe(fromDecimalUsd(totals.cost));
      expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
      const times = lines.map(({ created_at_iso }) => created_at_iso ?? '');
      expect(times).toEqual([...times].sort().reverse());
      expect(times.map((time) => Date.parse(time) / 1_000)).toEqual(
        lines.map(({ created_at }) => Number(created_at)),
      );
      expect(new Set(lines.map(({ key_name }) => key_name))).toEqual(new Set(['twin']));
    },
  );

  it('goes on after a request', async () => {
    const { lines } = await exported('/v1/usage?format=csv');
    expect(lines).toHaveLength(CHARGES + 2);
    const rest = await exported(`/v1/usage?format=csv&after=${lines[700]?.['id'] ?? ''}`);
    expect(rest.lines).toEqual(lines.slice(701));
  });

  it('is still a page with a limit', async () => {
    const { text, headers } = await ada.send('GET', `/v1/usage?format=csv&${RANGE}&limit=2`);
    expect(text.split('\r\n')).toHaveLength(1 + 2 + 1);
    expect(headers['link']).toContain('rel="next"');
  });

  it('refuses unknown filters and cursors before its first line', async () => {
    const refused = { status: 400, code: 'invalid_request_error' } as const;
    const foreign = toPublicId('key', uuidV7());
    const key = await ada.send('GET', `/v1/usage?format=csv&key_public_id=${foreign}`);
    expectError(key, { ...refused, param: 'key_public_id' });
    const after = await ada.send('GET', `/v1/usage?format=csv&after=${toPublicId('chatcmpl', uuidV7())}`);
    expectError(after, { ...refused, param: 'after' });
    expect((await exported('/v1/usage?format=csv&start=2020-01-01&end=2020-02-01')).lines).toEqual([]);
  });

  it('is refused, not cut, if there may be more than a hundred thousand lines', async () => {
    const eve = await harness.givenCustomer();
    const apiKeyId = await givenApiKey(harness.pool, eve.accountId);
    await harness.pool.query(
      `INSERT INTO uncharged_request (id, account_id, api_key_id, request_id, outcome, error_code, http_status, streamed,
                                      latency_ms, created_at)
       SELECT gen_random_uuid(), $1, $2, 'req_1', 'refused', 'rate_limit_error', 429, false, 1,
              '2026-10-01'::timestamptz + i * interval '1 second'
       FROM generate_series(1, 100001) i`,
      [eve.accountId, apiKeyId],
    );
    const answer = await eve.send('GET', '/v1/usage?format=csv&outcome=refused');
    expectError(answer, { status: 400, code: 'invalid_request_error', param: 'start' });
    expect(answer.text).toContain('more than 100,000 lines');
    expect(answer.headers['content-disposition']).toBeUndefined();
    const day = await eve.send('GET', '/v1/usage?format=csv&outcome=refused&start=2026-10-01&end=2026-10-02');
    expect(day.text.split('\r\n')).toHaveLength(1 + 86_399 + 1);
  });
});

describe('GET /v1/usage/by-api-key as CSV', () => {
  it('has every key, in JSON the thousand that cost most', async () => {
    const eve = await harness.givenCustomer();
    await harness.pool.query(
      `WITH given AS (
         INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint)
         SELECT gen_random_uuid(), $1, 'key', uuid_send(gen_random_uuid()), 1, 'abcd' FROM generate_series(1, 1001)
         RETURNING id
       )
       INSERT INTO usage_hour (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens, cost_nano,
                               cached_tokens, cache_write_tokens, reasoning_tokens)
       SELECT $1, date_trunc('hour', now(), 'UTC'), id, 'small', 1, 1, 1, 1, 0, 0, 0 FROM given`,
      [eve.accountId],
    );
    const json = usageByApiKey.parse((await eve.send('GET', '/v1/usage/by-api-key')).json);
    expect([json.data.length, json.totals.requests]).toEqual([1_000, 1_001]);
    expect(csvLines((await eve.send('GET', '/v1/usage/by-api-key?format=csv')).text)).toHaveLength(1 + 1_001);
  });
});

describe('GET /v1/billing/transactions as CSV without a limit', () => {
  it.each([
    ['', CHARGES],
    ['&type=charge', CHARGES],
    ['&type=top_up', 0],
  ])(
    'is all of the range with the filter "%s", each line with the balance after it',
    async (filter, count) => {
      const { lines, fileName } = await exported(`/v1/billing/transactions?format=csv&${RANGE}${filter}`);
      expect(fileName).toBe('farebox-transactions-2026-10-01-to-2026-10-31.csv');
      expect(lines).toHaveLength(count);
      const balances = lines.map(({ balance_after }) => fromDecimalUsd(balance_after ?? ''));
      for (const [i, line] of lines.slice(0, -1).entries())
        expect((balances[i + 1] ?? 0n) - (balances[i] ?? 0n)).toBe(costOf([line], 'amount'));
    },
  );

  it('has as many lines, and the same sum, as the usage', async () => {
    const usage = await exported(`/v1/usage?format=csv&${RANGE}`);
    const charges = await exported(`/v1/billing/transactions?format=csv&${RANGE}&type=charge`);
    expect(charges.lines.map(({ usage_id }) => usage_id)).toEqual(usage.lines.map(({ id }) => id));
    expect(costOf(charges.lines, 'amount')).toBe(costOf(usage.lines, 'cost'));
    expect(new Set(charges.lines.map(({ key_name }) => key_name))).toEqual(new Set(['twin']));
  });
});
