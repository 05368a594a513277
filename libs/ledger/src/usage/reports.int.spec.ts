import { givenPastRefund } from '@farebox/testing';
import { dayAgo, givenUsageHistory, type UsageHistory } from '../../test/usage-history';
import { readRevenue, type RevenueGroup } from './reports';
import { readRouteUse } from './route-use';

let history: UsageHistory;
beforeAll(async () => {
  history = await givenUsageHistory();
  const { db, accountId, chargeIds } = history;
  for (const [i, chargeId] of chargeIds.entries())
    if (i % 5 === 0) await givenPastRefund(db.pool, { accountId, chargeId, at: new Date() });
});
// Requests without entries in the books.
afterAll(() => history.db.drop());

const GROUPS: RevenueGroup[] = ['day', 'hour', 'model', 'account', 'key'];
const later = (time: Date): Date => new Date(time.getTime() + 1);

it.each(GROUPS)(
  'revenue by %s is the same by the counts of whole hours and by the records of requests',
  async (by) => {
    for (const [from, to] of [
      [dayAgo(6), dayAgo(0)],
      [dayAgo(5), dayAgo(1)],
      [dayAgo(2), new Date()],
    ] as const) {
      const ofHours = await readRevenue(history.db.pool, { from, to, by, limit: 1_000 });
      // A charge is made a minute or more after each hour: these are the same ones.
      const ofRecords = await readRevenue(history.db.pool, {
        from: later(from),
        to: later(to),
        by,
        limit: 1_000,
      });
      expect(ofHours).toEqual(ofRecords);
      expect(ofHours.length).toBeGreaterThan(1);
      const { rows } = await history.db.pool.query<{ requests: string; nano: string }>(
        `SELECT count(*) AS requests, sum(u.cost_nano - coalesce(e.amount_nano, 0)) AS nano
       FROM usage_record u LEFT JOIN ledger_entry e ON e.refunded_entry_id = u.id
       WHERE u.created_at >= $1 AND u.created_at < $2`,
        [from, to],
      );
      expect(ofHours.reduce((sum, { requests }) => sum + requests, 0)).toBe(Number(rows[0]?.requests));
      expect(ofHours.reduce((sum, { revenueNano }) => sum + revenueNano, 0n)).toBe(
        BigInt(rows[0]?.nano ?? 0),
      );
    }
  },
);

it('the times of a route are the lowest that cover half, and 95 of 100, of its requests', async () => {
  const { pool } = history.db;
  const at = dayAgo(3);
  await pool.query(
    `INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                               completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms, first_token_ms, created_at)
     SELECT ledger_first_id_of($1::timestamptz + i * interval '1 ms'), $2, $3, 'm', $3, 'req_1', 1, 2, 3,
            (CASE WHEN i % 10 = 0 THEN 'upstream_failed' ELSE 'completed' END)::usage_outcome, true, false, $1::date,
            (i * 7919) % 100 / 2, CASE WHEN i % 2 = 0 THEN i END, $1::timestamptz + i * interval '1 ms'
     FROM generate_series(1, 200) i`,
    [at, history.accountId, history.apiKeyIds[0]],
  );
  await pool.query(
    `INSERT INTO usage_route
     SELECT id, CASE WHEN latency_ms < 30 THEN 'near' ELSE 'far' END, 'm', 1 FROM usage_record WHERE model_id = 'm'`,
  );
  const period = { from: at, to: new Date(at.getTime() + 3_600_000) };
  const { rows } = await pool.query(
    `SELECT upstream_id AS "upstreamId", upstream_model AS "upstreamModel", count(*)::int AS requests,
            (count(*) FILTER (WHERE outcome = 'upstream_failed'))::int AS "brokeOff", 0 AS "timedOut", 0 AS "clientGone",
            percentile_disc(0.5) WITHIN GROUP (ORDER BY latency_ms) AS "medianMs",
            percentile_disc(0.95) WITHIN GROUP (ORDER BY latency_ms) AS "p95Ms",
            percentile_disc(0.5) WITHIN GROUP (ORDER BY first_token_ms) AS "medianFirstTokenMs",
            percentile_disc(0.95) WITHIN GROUP (ORDER BY first_token_ms) AS "p95FirstTokenMs"
     FROM usage_record JOIN usage_route USING (id) GROUP BY 1, 2 ORDER BY 3 DESC`,
  );
  expect(rows).toHaveLength(2);
  expect(await readRouteUse(pool, { ...period, limit: 10 })).toEqual(rows);
  expect(await readRouteUse(pool, { ...period, limit: 1 })).toEqual(rows.slice(0, 1));
});
