import type pg from 'pg';

export interface HistoryOptions {
  requests: number;
  /** Over how many days before now they are spread. */
  days: number;
  onProgress: (done: number) => void;
}

const CHUNK = 250_000;

/**
 * Charged requests of the past, as if the accounts of this database had made them in turn: usage records, entries and
 * counters that agree. Needs the rights of the tables' owner: it writes past the ledger's functions, which would take
 * hours. `verifyLedger` finds the result right.
 */
export async function generateHistory(
  pool: pg.Pool,
  { requests, days, onProgress }: HistoryOptions,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET synchronous_commit = off');
    await client.query('ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_chain');
    const { rowCount: accounts } = await client.query(NUMBERED_ACCOUNTS);
    const indexes = await dropSecondaryIndexes(client);
    for (let done = 0; done < requests; done += CHUNK) {
      const end = Math.min(done + CHUNK, requests);
      await client.query(CHARGED_REQUESTS, [done, end - 1, requests, days, accounts]);
      onProgress(end);
    }
    for (const sql of [...indexes, ...COUNTERS]) await client.query(sql);
    await client.query('ALTER TABLE ledger_entry ENABLE TRIGGER ledger_entry_chain');
    await client.query('VACUUM ANALYZE');
    // What was written is on the disk before anything is measured.
    await client.query('CHECKPOINT');
  } finally {
    client.release();
  }
}

/** Rows come account by account in turn: an index by account is much faster made anew. Answers with how to. */
async function dropSecondaryIndexes(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `SELECT indexname, indexdef FROM pg_indexes
     WHERE schemaname = 'public' AND tablename IN ('ledger_entry', 'usage_record') AND indexname NOT LIKE '%_pkey'`,
  );
  for (const { indexname } of rows) await client.query(`DROP INDEX ${indexname}`);
  return rows.map((row) => row.indexdef);
}

const NUMBERED_ACCOUNTS = `
  CREATE TEMP TABLE bench_account AS
  SELECT row_number() OVER (ORDER BY k.account_id) - 1 AS number, k.account_id, k.id AS api_key_id, f.last_seq,
         f.balance_nano
  FROM api_key k JOIN account_funds f ON f.account_id = k.account_id`;

/** Request i is the account i modulo their number; each costs the same, so that a balance follows from a number. */
const CHARGED_REQUESTS = `
  WITH request AS MATERIALIZED (
    SELECT uuidv7(make_interval(secs => -$4::float8 * 86400 * (1 - i / $3::float8))) AS id,
           now() - make_interval(secs => $4::float8 * 86400 * (1 - i / $3::float8)) AS created_at,
           a.account_id, a.api_key_id, a.last_seq + 1 + i / $5 AS seq,
           a.balance_nano - 20000 * (1 + i / $5) AS balance_after_nano, i % 500 AS tokens
    FROM generate_series($1::bigint, $2::bigint) i
    JOIN bench_account a ON a.number = i % $5::bigint
    ORDER BY i
  ), usage AS (
    INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                              completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms,
                              first_token_ms, created_at)
    SELECT id, account_id, api_key_id, CASE WHEN tokens % 5 = 0 THEN 'bench-large' ELSE 'bench' END, api_key_id,
           'req_' || id, tokens, 2 * tokens, 20000, 'completed', true, false,
           (created_at AT TIME ZONE 'UTC')::date, 1200, 150, created_at
    FROM request
  )
  INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano, created_at)
  SELECT id, account_id, seq, 'charge', 'customer', 'revenue', 20000, balance_after_nano, created_at FROM request`;

/** In the order of time, as they come about: rows that are written together stand together. */
const COUNTERS = [
  `UPDATE account_funds f SET last_seq = e.last_seq, balance_nano = e.balance_nano
   FROM (SELECT account_id, max(seq) AS last_seq, min(balance_after_nano) AS balance_nano
         FROM ledger_entry GROUP BY account_id) e
   WHERE e.account_id = f.account_id`,
  `INSERT INTO account_day (account_id, day, requests, spent_nano)
   SELECT account_id, day, count(*), sum(cost_nano) FROM usage_record GROUP BY 1, 2 ORDER BY 2`,
  `INSERT INTO api_key_month (api_key_id, month, spent_nano)
   SELECT api_key_id, date_trunc('month', day)::date, sum(cost_nano) FROM usage_record GROUP BY 1, 2
   ORDER BY 2`,
  `INSERT INTO usage_hour (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens, cost_nano)
   SELECT account_id, date_trunc('hour', created_at, 'UTC'), api_key_id, model_id, count(*), sum(prompt_tokens),
          sum(completion_tokens), sum(cost_nano)
   FROM usage_record GROUP BY 1, 2, 3, 4 ORDER BY 2`,
];
