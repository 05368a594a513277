import type { Pool } from 'pg';

/**
 * What generated requests lack and operators ask about: the route of each, and requests that were refused, that failed, or
 * whose client left. One request in 20 is beside a refused one, one in 200 beside a failed one, one in 1,000 was left.
 */
export async function addOperatorHistory(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET synchronous_commit = off');
    for (const sql of STATEMENTS) await client.query(sql);
  } finally {
    client.release();
  }
}

/** The same for a request in each run: a number from 0 on, by the random part of its id. */
const nth = (of: number): string => `(('x' || right(id::text, 7))::bit(28)::int % ${String(of)})`;

const STATEMENTS = [
  `INSERT INTO usage_route (id, upstream_id, upstream_model, cost_nano)
   SELECT id, CASE ${nth(10)} WHEN 0 THEN 'far' WHEN 1 THEN 'far' ELSE 'near' END, model_id, 12000
   FROM usage_record ORDER BY id`,
  `INSERT INTO uncharged_request (id, account_id, api_key_id, model_id, request_id, outcome, error_code, http_status,
                                  streamed, latency_ms, created_at, error_message)
   SELECT uuidv7(created_at - now()), account_id, api_key_id, model_id, request_id, 'refused', 'rate_limit_error', 429,
          true, 2, created_at, 'The key has reached its limit.'
   FROM usage_record WHERE ${nth(20)} = 0 ORDER BY id`,
  `INSERT INTO uncharged_request (id, account_id, api_key_id, model_id, request_id, outcome, error_code, http_status,
                                  streamed, latency_ms, created_at, error_message)
   SELECT uuidv7(created_at - now()), account_id, api_key_id, model_id, request_id, 'failed', 'upstream_error', 502,
          true, 900, created_at, 'The model failed.'
   FROM usage_record WHERE ${nth(200)} = 1 ORDER BY id`,
  `WITH left_request AS (
     INSERT INTO uncharged_request (id, account_id, api_key_id, model_id, request_id, outcome, streamed, latency_ms, created_at)
     SELECT uuidv7(created_at - now()), account_id, api_key_id, model_id, request_id, 'failed', true, 300, created_at
     FROM usage_record WHERE ${nth(1_000)} = 2 ORDER BY id
     RETURNING *
   )
   INSERT INTO abandoned_request (id, account_id, api_key_id, model_id, upstream_id, upstream_model, cost_nano,
                                  was_charged, day, created_at)
   SELECT id, account_id, api_key_id, model_id, 'near', model_id, 9000, false, (created_at AT TIME ZONE 'UTC')::date, created_at
   FROM left_request`,
  'VACUUM ANALYZE',
  'CHECKPOINT',
];
