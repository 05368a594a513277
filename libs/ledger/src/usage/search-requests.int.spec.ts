import { uuidV7 } from '@farebox/auth';
import { givenApiKey } from '@farebox/testing';
import { watchPlans } from '../../test/plans';
import { dayAgo, givenUsageHistory, MODELS, type UsageHistory } from '../../test/usage-history';
import type { OutcomeFilter } from './list-requests';
import { searchAccountRequests } from './search-account-requests';
import { searchRequests, type RequestSearch, type SearchedPage } from './search-requests';

let history: UsageHistory;
beforeAll(async () => {
  history = await givenUsageHistory();
  const { pool } = history.db;
  // A stream that was left just after each charge, a refused request after that, and a route of each second charge.
  await pool.query(
    `INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                               completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms, created_at)
     SELECT ledger_first_id_of(created_at + interval '1 minute' + interval '1 ms' * row_number() OVER ()), account_id,
            api_key_id, model_id, price_version_id, 'req_1', 1, 2, 3, 'client_gone', true, true, day, 1,
            created_at + interval '2 minutes' + interval '1 ms' * row_number() OVER ()
     FROM usage_record`,
  );
  await pool.query(
    `INSERT INTO uncharged_request (id, account_id, api_key_id, model_id, request_id, outcome, error_code, http_status,
                                    streamed, latency_ms, created_at)
     SELECT ledger_first_id_of(created_at + interval '5 seconds' * row_number() OVER ()), account_id, api_key_id, model_id,
            'req_1', 'refused', 'rate_limit_error', 429, false, 1, created_at + interval '5 seconds' * row_number() OVER ()
     FROM usage_record`,
  );
  await pool.query(
    `INSERT INTO usage_route SELECT id, CASE row_number % 4 WHEN 0 THEN 'far' ELSE 'near' END, 'm', 1
     FROM (SELECT id, row_number() OVER (ORDER BY id) FROM usage_record) u WHERE row_number % 2 = 0`,
  );
  await pool.query(
    `INSERT INTO abandoned_request (id, account_id, api_key_id, model_id, upstream_id, upstream_model, cost_nano,
                                    was_charged, day, created_at)
     SELECT id, account_id, api_key_id, model_id, 'far', 'm', 1, false, created_at::date, created_at
     FROM uncharged_request ORDER BY id LIMIT 3`,
  );
});
afterAll(async () => {
  // Requests without entries in the books.
  await history.db.drop();
});

const OUTCOMES: OutcomeFilter[] = ['all', 'charged', 'completed', 'client_gone', 'refused', 'failed'];

function* everySearch(): Generator<RequestSearch> {
  for (const outcome of OUTCOMES) {
    for (const range of [{}, { from: dayAgo(5) }, { from: dayAgo(8), to: dayAgo(2) }]) {
      for (const modelId of [undefined, MODELS[1]]) {
        for (const upstreamId of [undefined, 'near', 'far']) {
          for (const limit of [3, 1_000]) yield { outcome, ...range, modelId, upstreamId, limit };
        }
      }
    }
  }
}

async function readAll(
  search: RequestSearch,
  readPage: (search: RequestSearch) => Promise<SearchedPage | undefined>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let afterId: string | undefined; ;) {
    const page = await readPage({ ...search, afterId });
    expect(page?.requests.length).toBeLessThanOrEqual(search.limit);
    ids.push(...(page?.requests ?? []).map(({ id }) => id));
    if (page?.nextAfterId === undefined) return ids;
    afterId = page.nextAfterId;
  }
}

async function expected(
  { outcome, modelId, upstreamId, from, to }: RequestSearch,
  owner?: { accountId: string; apiKeyId?: string | undefined },
): Promise<string[]> {
  const at = owner ? 'created_at' : 'ledger_time_of_id(id)';
  const { rows } = await history.db.pool.query<{ id: string }>(
    `SELECT id FROM (
       SELECT id, account_id, api_key_id, created_at, model_id, outcome::text, true AS charged FROM usage_record
       UNION ALL
       SELECT id, account_id, api_key_id, created_at, model_id, outcome::text, false FROM uncharged_request
     ) r
     LEFT JOIN usage_route t USING (id)
     LEFT JOIN (SELECT id, upstream_id AS left_at FROM abandoned_request) a USING (id)
     WHERE ($1::timestamptz IS NULL OR ${at} >= $1) AND ($2::timestamptz IS NULL OR ${at} < $2)
       AND ($3::text IS NULL OR r.model_id = $3) AND ($4::text IS NULL OR coalesce(t.upstream_id, left_at) = $4)
       AND ($5 = 'all' OR $5 = 'charged' AND charged OR outcome = $5)
       AND ($6::uuid IS NULL OR r.account_id = $6) AND ($7::uuid IS NULL OR r.api_key_id = $7)
     ORDER BY ${owner ? 'r.created_at DESC,' : ''} id DESC`,
    [
      ...[from ?? null, to ?? null, modelId ?? null, upstreamId ?? null, outcome],
      ...[owner?.accountId ?? null, owner?.apiKeyId ?? null],
    ],
  );
  return rows.map(({ id }) => id);
}

describe('the requests of all accounts', () => {
  it('are each found once, newest first, under every filter', async () => {
    for (const search of everySearch()) {
      const found = await readAll(search, (page) => searchRequests(history.db.pool, page));
      expect({ search, found }).toEqual({ search, found: await expected(search) });
    }
    expect(await expected({ outcome: 'all', upstreamId: 'far', limit: 1 })).not.toEqual([]);
  });

  it('are each found once if a page looks at few, and is short or empty', async () => {
    const search: RequestSearch = { outcome: 'all', upstreamId: 'far', limit: 3 };
    let emptyPages = 0;
    const found = await readAll(search, async (page) => {
      const read = await searchRequests(history.db.pool, page, 5);
      if (read.requests.length === 0) emptyPages += 1;
      return read;
    });
    expect(found).toEqual(await expected(search));
    expect(emptyPages).toBeGreaterThan(1);
  });

  it('come with what was charged, or the error', async () => {
    const { requests } = await searchRequests(history.db.pool, { outcome: 'all', limit: 2 });
    const { rows } = await history.db.pool.query<{ cost: string }>(
      'SELECT cost_nano::text AS cost FROM usage_record ORDER BY id DESC LIMIT 1',
    );
    expect(requests.find(({ outcome }) => outcome === 'refused')).toMatchObject({
      ...{ errorCode: 'rate_limit_error', costNano: null, promptTokens: null, upstreamId: null },
    });
    const charged = await searchRequests(history.db.pool, { outcome: 'charged', limit: 1 });
    expect(charged.requests).toMatchObject([
      { errorCode: null, costNano: BigInt(rows[0]?.cost ?? 0), requestId: 'req_1', latencyMs: 1 },
    ]);
  });

  it('of before the purge are left out', async () => {
    const own = await givenUsageHistory();
    const { pool } = own.db;
    await pool.query(
      `UPDATE usage_retention SET purged_before = date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`,
    );
    const { requests } = await searchRequests(pool, { outcome: 'charged', limit: 1_000 });
    const { rows } = await pool.query<{ kept: number }>(
      'SELECT count(*)::int AS kept FROM usage_record WHERE created_at >= (SELECT purged_before FROM usage_retention)',
    );
    expect(requests).toHaveLength(rows[0]?.kept ?? 0);
    await own.db.drop();
  });
});

describe('the requests of one account', () => {
  it('are each found once, newest first, under every filter, of all of its keys and of one', async () => {
    const { accountId, apiKeyIds } = history;
    for (const apiKeyId of [undefined, apiKeyIds[0]]) {
      const owner = { accountId, apiKeyId };
      for (const search of everySearch()) {
        const found = await readAll(search, (page) => searchAccountRequests(history.db.pool, owner, page));
        expect({ search, found }).toEqual({ search, found: await expected(search, owner) });
      }
    }
  });

  it("cannot continue after another account's request", async () => {
    const afterId = history.chargeIds[0] ?? '';
    const search: RequestSearch = { outcome: 'all', afterId, limit: 1 };
    const owner = { accountId: history.otherAccountId };
    expect(await searchAccountRequests(history.db.pool, owner, search)).toBeUndefined();
  });
});

describe('beside many requests', () => {
  beforeAll(async () => {
    const { pool } = history.db;
    const apiKeyId = await givenApiKey(pool, history.accountId);
    await pool.query(
      `INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                                 completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms, created_at)
       SELECT uuidv7(), $1, $2, 'common', $3, 'req_1', 1, 2, 3, 'completed', false, false, '2026-01-01', 1, now()
       FROM generate_series(1, 40000)`,
      [history.accountId, apiKeyId, uuidV7()],
    );
    await pool.query(
      `INSERT INTO usage_route SELECT id, 'near', 'm', 1 FROM usage_record ON CONFLICT DO NOTHING`,
    );
    await pool.query('ANALYZE');
  });

  const rowsRead = async (search: Partial<RequestSearch>): Promise<number> => {
    const { scans } = await watchPlans(history.db.pool, 'custom', (client) =>
      searchRequests(client, { outcome: 'all', limit: 20, ...search }, 2_000),
    );
    expect(scans.length).toBeGreaterThan(0);
    return scans.reduce((sum, scan) => sum + scan.rowsRead, 0);
  };

  it('a page reads its own requests by the primary keys', async () => {
    for (const search of [{}, { outcome: 'charged' as const }, { modelId: 'common' }, { to: dayAgo(1) }])
      expect(await rowsRead(search)).toBeLessThan(100);
    expect(await rowsRead({ upstreamId: 'near' })).toBeLessThan(100);
  });

  it('a page of something that there is not reads as many as it may', async () => {
    // Each with its route, and once more to find the last.
    expect(await rowsRead({ modelId: 'never' })).toBeLessThanOrEqual(2 * 2_000 + 10);
    expect(await rowsRead({ upstreamId: 'never' })).toBeLessThanOrEqual(3 * 2_000 + 10);
  });
});
