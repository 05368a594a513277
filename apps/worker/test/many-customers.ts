import type { TestDatabase } from '@farebox/testing';

export interface ManyCustomers {
  accounts: number;
  /** Models per customer, charged in the middle of the month. */
  models: number;
  /** The first day of a UTC month. */
  month: string;
}

/** The charge of one customer for the model with this number. */
const COST = '100 * model + customer.i % 7';

/**
 * Customers who were each charged for several models in a month, with everything that the ledger writes for
 * them.
 */
export async function givenManyCustomers(
  { pool }: TestDatabase,
  { accounts, models, month }: ManyCustomers,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `CREATE TEMP TABLE customer ON COMMIT DROP AS
       SELECT i, gen_random_uuid() AS account_id, gen_random_uuid() AS api_key_id FROM generate_series(1, ${String(accounts)}) i;
       CREATE TEMP TABLE request ON COMMIT DROP AS
       SELECT uuidv7(at - now()) AS id, account_id, api_key_id, model, 'model-' || model AS model_id, ${COST} AS cost_nano, at
       FROM customer, generate_series(1, ${String(models)}) model
       CROSS JOIN LATERAL (SELECT '${month}T12:00:00Z'::timestamptz + (14 + model) * interval '1 day' AS at) t`,
    );
    for (const sql of RECORDS) await client.query(sql);
    await client.query('COMMIT');
    await pool.query('ANALYZE');
  } finally {
    client.release();
  }
}

const RECORDS = [
  `INSERT INTO account (id, email, name, invite_status)
   SELECT account_id, i || '@example.com', 'Customer ' || i, 'active' FROM customer`,
  `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint)
   SELECT api_key_id, account_id, 'test', sha256(api_key_id::text::bytea), 1, 'abcd' FROM customer`,
  `INSERT INTO account_funds (account_id, balance_nano, last_seq)
   SELECT account_id, 10000 - sum(cost_nano), 1 + count(*) FROM request GROUP BY account_id`,
  `INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
   SELECT account_id, account_id, 'manual', account_id::text, 10000, min(at) - interval '1 hour' FROM request GROUP BY account_id`,
  `INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano, created_at)
   SELECT id, account_id, 1, 'top_up'::ledger_entry_kind, 'funding'::ledger_book, 'customer'::ledger_book, amount_nano,
          amount_nano, created_at
   FROM funding
   UNION ALL
   SELECT id, account_id, 1 + model, 'charge', 'customer', 'revenue', cost_nano,
          10000 - sum(cost_nano) OVER (PARTITION BY account_id ORDER BY model), at
   FROM request`,
  `INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                             completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms, created_at)
   SELECT id, account_id, api_key_id, model_id, api_key_id, 'req_1', 10, 20, cost_nano, 'completed', false, false, at, 1, at
   FROM request`,
  `INSERT INTO usage_hour (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens, cost_nano)
   SELECT account_id, date_trunc('hour', at, 'UTC'), api_key_id, model_id, 1, 10, 20, cost_nano FROM request`,
  `INSERT INTO account_day (account_id, day, requests, spent_nano)
   SELECT account_id, at::date, count(*), sum(cost_nano) FROM request GROUP BY 1, 2`,
  `INSERT INTO api_key_month (api_key_id, month, spent_nano)
   SELECT api_key_id, date_trunc('month', at)::date, sum(cost_nano) FROM request GROUP BY 1, 2`,
];
