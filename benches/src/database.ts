import { createApiKeySecret, createKeyHasher } from '@farebox/auth';
import { verifyLedger } from '@farebox/ledger';
import { createTemplateDatabase, startTemporaryPostgres } from '@farebox/local-services';
import pg from 'pg';

/** A PostgreSQL for one bench, configured like one in production. */
export interface BenchPostgres {
  /** Creates a migrated database of this name; returns the owner's URL. */
  createDatabase(name: string): Promise<string>;
  remove(): Promise<void>;
}

const SETTINGS = {
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
};

const TEMPLATE = 'farebox_bench';

export async function startBenchPostgres({ fsync }: { fsync: boolean }): Promise<BenchPostgres> {
  const settings = { ...SETTINGS, fsync: fsync ? 'on' : 'off' };
  const postgres = await startTemporaryPostgres(settings);
  const url = postgres.server.url();
  await createTemplateDatabase(url, TEMPLATE);
  return {
    async createDatabase(name) {
      await runOnce(url, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
      return Object.assign(new URL(url), { pathname: `/${name}` }).href;
    },
    remove: () => postgres.remove(),
  };
}

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** An account with a key, and enough money for the whole bench. */
export interface Customer {
  accountId: string;
  apiKeyId: string;
}

/** Databases for one bench of the ledger. */
interface LedgerHarness {
  createLedger(customers: number): Promise<BenchLedger>;
  remove(): Promise<void>;
}

export interface BenchLedger {
  databaseUrl: string;
  pool: pg.Pool;
  customers: Customer[];
  /** Throws if the books have differences. */
  verify(): Promise<void>;
}

export async function startLedgerHarness({ fsync }: { fsync: boolean }): Promise<LedgerHarness> {
  const postgres = await startBenchPostgres({ fsync });
  const ledgers: BenchLedger[] = [];
  return {
    async createLedger(count) {
      const databaseUrl = await postgres.createDatabase(`bench_${String(ledgers.length)}`);
      const pool = new pg.Pool({ connectionString: databaseUrl });
      const ledger: BenchLedger = {
        databaseUrl,
        pool,
        customers: await createCustomers(pool, count),
        async verify() {
          const { ok, differences } = await verifyLedger(pool);
          if (!ok) throw new Error(`the books are not right: ${JSON.stringify(differences)}`);
        },
      };
      ledgers.push(ledger);
      return ledger;
    },
    async remove() {
      await Promise.all(ledgers.map(({ pool }) => pool.end()));
      await postgres.remove();
    },
  };
}

/** Accounts with a key each, without limits that a bench would reach, and a million dollars on each. */
export async function createCustomers(pool: pg.Pool, count: number): Promise<Customer[]> {
  await pool.query(
    `INSERT INTO account (id, email, name, invite_status, daily_request_cap, daily_spend_cap_nano)
     SELECT id, id || '@example.com', 'bench', 'active', 2000000000, 1000000000000000
     FROM (SELECT uuidv7() AS id FROM generate_series(1, $1)) new`,
    [count],
  );
  await pool.query('SELECT ledger_open_account(id) FROM account');
  await pool.query(
    `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint)
     SELECT uuidv7(), id, 'bench', sha256(id::text::bytea), 1, 'abcd' FROM account`,
  );
  await pool.query(
    `SELECT ledger_top_up(uuidv7(), id, 1000000000000000, 'manual', 'bench-' || id) FROM account`,
  );
  const { rows } = await pool.query<{ account_id: string; id: string }>('SELECT account_id, id FROM api_key');
  return rows.map((row) => ({ accountId: row.account_id, apiKeyId: row.id }));
}

/** A key for each of these accounts, in their order; an account may occur many times. Returns the secrets. */
export async function insertKeys(
  pool: pg.Pool,
  accountIds: readonly string[],
  peppers: string,
): Promise<string[]> {
  const hasher = createKeyHasher([{ version: 1, secret: Buffer.from(peppers.split(':')[1] ?? '', 'hex') }]);
  const keys = accountIds.map(createApiKeySecret);
  await pool.query(
    `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint)
     SELECT uuidv7(), account_id, 'bench', hmac, 1, 'abcd'
     FROM unnest($1::uuid[], $2::bytea[]) AS made (account_id, hmac)`,
    [accountIds, keys.map((key) => hasher.hash(key).hmac)],
  );
  return keys;
}

interface HistoryOptions {
  requests: number;
  /** Number of days before now over which they are spread. */
  days: number;
  /** Accounts that differ from the others. */
  shapes?: readonly AccountShape[];
  onProgress: (done: number) => void;
}

/** The distribution of an account's requests. Those of each key rotate over all its models. */
export interface AccountShape {
  accountId: string;
  /** Number of requests, relative to an account without a shape. */
  share: number;
  /** Two for an account without a shape. */
  models: number;
}

const CHUNK = 250_000;

/**
 * Charged requests of the past, as if the accounts of this database had made them in turn: consistent usage records,
 * entries and counters. Needs the rights of the tables' owner: it bypasses the ledger's functions, which would take
 * hours. `verifyLedger` accepts the result.
 */
export async function generateHistory(
  pool: pg.Pool,
  { requests, days, shapes = [], onProgress }: HistoryOptions,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET synchronous_commit = off');
    await client.query('ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_chain');
    const { rowCount: turns } = await client.query(TURNS, [
      shapes.map(({ accountId }) => accountId),
      shapes.map(({ share }) => share),
      shapes.map(({ models }) => models),
    ]);
    const indexes = await dropSecondaryIndexes(client);
    for (let done = 0; done < requests; done += CHUNK) {
      const end = Math.min(done + CHUNK, requests);
      await client.query(CHARGED_REQUESTS, [done, end - 1, requests, days, turns]);
      onProgress(end);
    }
    for (const sql of [...indexes, ...COUNTERS]) await client.query(sql);
    await client.query('ALTER TABLE ledger_entry ENABLE TRIGGER ledger_entry_chain');
    await client.query('VACUUM ANALYZE');
    // All rows are on disk before anything is measured.
    await client.query('CHECKPOINT');
  } finally {
    client.release();
  }
}

/**
 * Rows rotate over the accounts, so rebuilding an index by account is much faster. Returns a function that rebuilds
 * it.
 */
async function dropSecondaryIndexes(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `SELECT indexname, indexdef FROM pg_indexes
     WHERE schemaname = 'public' AND tablename IN ('ledger_entry', 'usage_record') AND indexname NOT LIKE '%_pkey'`,
  );
  for (const { indexname } of rows) await client.query(`DROP INDEX ${indexname}`);
  return rows.map((row) => row.indexdef.replace(' ON ONLY ', ' ON '));
}

/** The accounts in the order in which they make requests, repeatedly; some have several turns. */
const TURNS = `
  CREATE TEMP TABLE bench_turn AS
  SELECT row_number() OVER (ORDER BY turn / share::float8, k.account_id) - 1 AS number, k.account_id, k.api_key_ids,
         cardinality(k.api_key_ids) AS keys, models, share, turn, f.last_seq, f.balance_nano
  FROM (SELECT account_id, array_agg(id ORDER BY id) AS api_key_ids FROM api_key GROUP BY account_id) k
  JOIN account_funds f ON f.account_id = k.account_id
  LEFT JOIN unnest($1::uuid[], $2::int[], $3::int[]) AS s(account_id, given_share, given_models)
    ON s.account_id = k.account_id
  CROSS JOIN LATERAL (SELECT coalesce(given_share, 1) AS share, coalesce(given_models, 2) AS models) shape
  CROSS JOIN LATERAL generate_series(0, share - 1) AS turn`;

/** Request i has turn i modulo their number; each costs the same, so that a balance follows from a count. */
const CHARGED_REQUESTS = `
  WITH request AS MATERIALIZED (
    SELECT uuidv7(make_interval(secs => -$4::float8 * 86400 * (1 - i / $3::float8))) AS id,
           now() - make_interval(secs => $4::float8 * 86400 * (1 - i / $3::float8)) AS created_at,
           t.account_id, t.api_key_ids[1 + n % t.keys] AS api_key_id, 'bench-' || n / t.keys % t.models AS model_id,
           t.last_seq + 1 + n AS seq, t.balance_nano - 20000 * (1 + n) AS balance_after_nano, i % 500 AS tokens, i AS number
    FROM generate_series($1::bigint, $2::bigint) i
    JOIN bench_turn t ON t.number = i % $5::bigint
    CROSS JOIN LATERAL (SELECT i / $5 * t.share + t.turn AS n) nth
    ORDER BY i
  ), usage AS (
    INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                              completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms,
                              first_token_ms, created_at)
    SELECT id, account_id, api_key_id, model_id, api_key_id,
           'req_' || id, tokens, 2 * tokens, 20000, 'completed', true, false,
           (created_at AT TIME ZONE 'UTC')::date, 300 + number * 7919 % 20011, 50 + number * 7919 % 3001, created_at
    FROM request
  )
  INSERT INTO ledger_entry (id, account_id, seq, kind, from_book, to_book, amount_nano, balance_after_nano, created_at)
  SELECT id, account_id, seq, 'charge', 'customer', 'revenue', 20000, balance_after_nano, created_at FROM request`;

/** In the order of time, as in reality: rows that are written together are stored together. */
const COUNTERS = [
  `UPDATE account_funds f SET last_seq = e.last_seq, balance_nano = e.balance_nano,
                             entry_before_id = f.last_entry_id, last_entry_id = NULL
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
