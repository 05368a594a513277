import { DAY_MS, HOUR_MS } from '@farebox/flow';
import { createTestDatabase, givenAccount, givenApiKey, type TestDatabase } from '@farebox/testing';
import fc from 'fast-check';
import pg from 'pg';
import { dayAgo, givenUsageHistory, sumUsageUntil } from '../../test/usage-history';
import { givenRefund, givenRequest, type GivenRequest } from '../../test/sales-records';
import { verifyLedger } from '../books/verify-ledger';
import { readMargins, type MarginGroup } from './margin';
import { readRevenue, type RevenueGroup } from './reports';
import { readRouteUse } from './route-use';
import { sumClosedSales } from './sales';

const START = dayAgo(3);
const DAYS = 3;

let db: TestDatabase;
/** Reports are read with the rights of the operator service. */
let operator: pg.Pool;
let accountIds: string[];
let keys: { accountId: string; apiKeyId: string }[];
beforeAll(async () => {
  db = await createTestDatabase();
  operator = new pg.Pool({ connectionString: db.operatorUrl });
  accountIds = [
    await givenAccount(db.pool, { balanceNano: 1n }),
    await givenAccount(db.pool, { balanceNano: 1n }),
  ];
  keys = await Promise.all(
    [0, 0, 1].map(async (of) => {
      const accountId = accountIds[of] ?? '';
      return { accountId, apiKeyId: await givenApiKey(db.pool, accountId) };
    }),
  );
  // Refunds of records that have no entries.
  await db.pool.query('ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_chain');
});
// Requests without entries in the books.
afterAll(async () => {
  await operator.end();
  await db.drop();
});

/** Sums again from the beginning, as far as it would be at this time. */
async function sumUntil(time: Date): Promise<void> {
  await db.pool.query('TRUNCATE sales_by_route, sales_by_key');
  await db.pool.query(`UPDATE sales_state SET summed_before = 'epoch'`);
  await db.pool.query('UPDATE usage_sum_state SET summed_before = $1, closing_before = $1', [time]);
  await sumClosedSales(db.workerPool);
}

const atMinute = (minute: number): Date => new Date(START.getTime() + minute * 60_000);
const minuteOf = fc.integer({ min: 0, max: DAYS * 24 * 60 - 1 });
const aRequest = fc.record<
  Omit<GivenRequest, 'accountId' | 'apiKeyId' | 'at'> & { minute: number; key: number; isRefunded: boolean }
>({
  minute: minuteOf,
  key: fc.integer({ min: 0, max: 2 }),
  modelId: fc.constantFrom('small', 'large'),
  tokens: fc.integer({ min: 0, max: 1_000 }),
  chargedNano: fc.bigInt({ min: 0n, max: 2n ** 40n }),
  route: fc.option(
    fc.record({
      upstreamId: fc.constantFrom('near', 'far'),
      costNano: fc.option(fc.bigInt({ min: 0n, max: 2n ** 40n })),
    }),
  ),
  outcome: fc.constantFrom('completed', 'upstream_failed', 'upstream_timeout', 'client_gone'),
  latencyMs: fc.integer({ min: 0, max: 50 }),
  firstTokenMs: fc.option(fc.integer({ min: 0, max: 50 })),
  // A review charges a request long after its admission.
  isLate: fc.boolean(),
  isRefunded: fc.boolean(),
});
/** Whole hours, whole days, or any time. */
const aTime = fc
  .tuple(minuteOf, fc.constantFrom(60_000, HOUR_MS, DAY_MS))
  .map(([minute, unitMs]) => new Date(Math.floor(atMinute(minute).getTime() / unitMs) * unitMs));
const aRange = fc
  .tuple(aTime, aTime)
  .filter(([a, b]) => a.getTime() !== b.getTime())
  .map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a }));

const REVENUE_GROUPS: Record<RevenueGroup, string> = {
  day: `to_char(u.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  hour: `to_char(u.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:00')`,
  model: 'u.model_id',
  account: 'u.account_id::text',
  key: 'u.api_key_id::text',
};
const MARGIN_GROUPS: Record<MarginGroup, string> = {
  model: 'u.model_id',
  upstream: 'r.upstream_id',
  account: 'u.account_id::text',
};

/** The requests of a range, one by one. */
const RECORDS = `FROM usage_record u LEFT JOIN usage_route r ON r.id = u.id
  LEFT JOIN ledger_entry e ON e.refunded_entry_id = u.id
  WHERE u.created_at >= $1 AND u.created_at < $2`;

interface Range {
  from: Date;
  to: Date;
}

async function fromRecords(select: string, { from, to }: Range): Promise<Record<string, unknown>[]> {
  const { rows } = await db.pool.query<Record<string, unknown>>(
    `${select} ${RECORDS} GROUP BY 1 ORDER BY 1`,
    [...[from, to]],
  );
  return rows;
}

const bySum = (a: { group: string | null }, b: { group: string | null }): number =>
  (a.group ?? 'zz') < (b.group ?? 'zz') ? -1 : 1;
/** As PostgreSQL counts: decimal text for what is a number or a bigint. */
const asText = (rows: readonly object[]): unknown[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])));

async function expectAsRecords(range: Range): Promise<void> {
  for (const [by, group] of Object.entries(REVENUE_GROUPS) as [RevenueGroup, string][])
    expect(asText((await readRevenue(operator, { ...range, by, limit: 1_000 })).sort(bySum))).toEqual(
      asText(
        await fromRecords(
          `SELECT ${group} AS "group", count(*) AS requests, sum(u.prompt_tokens) AS "promptTokens",
                  sum(u.completion_tokens) AS "completionTokens",
                  sum(u.cost_nano - coalesce(e.amount_nano, 0)) AS "revenueNano"`,
          range,
        ),
      ),
    );
  for (const [by, group] of Object.entries(MARGIN_GROUPS) as [MarginGroup, string][])
    expect(asText((await readMargins(operator, { ...range, by })).sort(bySum))).toEqual(
      asText(
        await fromRecords(
          `SELECT ${group} AS "group", count(*) AS requests, sum(u.cost_nano - coalesce(e.amount_nano, 0)) AS "revenueNano",
                  coalesce(sum(r.cost_nano), 0) AS "costNano",
                  count(*) FILTER (WHERE r.cost_nano IS NULL) AS "requestsWithoutCost",
                  coalesce(sum(u.cost_nano - coalesce(e.amount_nano, 0)) FILTER (WHERE r.cost_nano IS NULL), 0)
                    AS "revenueWithoutCostNano", 0 AS "abandonedRequests", 0 AS "abandonedNano"`,
          range,
        ),
      ),
    );
  const use = (await readRouteUse(operator, { ...range, limit: 1_000 })).map(
    ({ upstreamId, upstreamModel, ...rest }) => ({ group: `${upstreamId} ${upstreamModel}`, ...rest }),
  );
  const useOfRecords = await fromRecords(
    `SELECT r.upstream_id || ' ' || r.upstream_model AS "group", count(*) AS requests,
            count(*) FILTER (WHERE u.outcome = 'upstream_failed') AS "brokeOff",
            count(*) FILTER (WHERE u.outcome = 'upstream_timeout') AS "timedOut",
            count(*) FILTER (WHERE u.outcome = 'client_gone') AS "clientGone",
            percentile_disc(0.5) WITHIN GROUP (ORDER BY u.latency_ms) AS "medianMs",
            percentile_disc(0.95) WITHIN GROUP (ORDER BY u.latency_ms) AS "p95Ms",
            percentile_disc(0.5) WITHIN GROUP (ORDER BY u.first_token_ms) AS "medianFirstTokenMs",
            percentile_disc(0.95) WITHIN GROUP (ORDER BY u.first_token_ms) AS "p95FirstTokenMs"`,
    range,
  );
  expect(asText(use.sort(bySum))).toEqual(asText(useOfRecords.filter(({ group }) => group !== null)));
}

it('reports are those of the records, however far the sales are summed, and after refunds', async () => {
  const given = fc.record({
    requests: fc.array(aRequest, { minLength: 1, maxLength: 10 }),
    summedHours: fc.integer({ min: 0, max: DAYS * 24 }),
    ranges: fc.array(aRange, { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ requests, summedHours, ranges }) => {
      const refunded: string[] = [];
      for (const { minute, key, isRefunded, ...request } of requests) {
        const owner = keys[key];
        if (!owner) throw new Error('no such key');
        const id = await givenRequest(db.pool, { ...owner, ...request, at: atMinute(minute) });
        if (isRefunded) refunded.push(id);
      }
      // Some are given back before the sums, some after.
      const half = refunded.length / 2;
      for (const id of refunded.filter((_, i) => i < half)) await givenRefund(db.pool, id);
      await sumUntil(new Date(START.getTime() + summedHours * HOUR_MS));
      for (const id of refunded.filter((_, i) => i >= half)) await givenRefund(db.pool, id);
      for (const range of ranges) await expectAsRecords(range);
    }),
    { numRuns: 15 },
  );
});

it('two workers sum each hour once, and a further run finds nothing', async () => {
  await sumUntil(START);
  await db.pool.query('UPDATE usage_sum_state SET summed_before = $1', [dayAgo(0)]);
  await Promise.all([sumClosedSales(db.workerPool), sumClosedSales(db.workerPool)]);
  expect(await sumClosedSales(db.workerPool)).toBe(0);
  await expectAsRecords({ from: START, to: dayAgo(0) });
});

const SALES = 'the sums of sales are those of the counts by the hour';

it.each([
  ['sums that were changed', 'UPDATE sales_by_key SET charged_nano = charged_nano + 1'],
  ['days that were deleted', `DELETE FROM sales_by_key WHERE grain = 'day'`],
  [
    'hours that were moved',
    `UPDATE sales_by_key SET starts_at = starts_at - interval '30 days' WHERE grain = 'hour'`,
  ],
])('the check of the books finds %s, and nothing before', async (_name, sql) => {
  const history = await givenUsageHistory();
  await sumUsageUntil(history.db, new Date(dayAgo(1).getTime() + 13 * HOUR_MS));
  await sumClosedSales(history.db.workerPool);
  expect((await verifyLedger(history.db.pool)).differences).toEqual([]);
  await history.db.pool.query(sql);
  const { differences } = await verifyLedger(history.db.pool);
  await history.db.drop();
  expect(new Set(differences.map((difference) => difference.check))).toEqual(new Set([SALES]));
});
