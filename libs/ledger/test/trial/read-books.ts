import type pg from 'pg';
import { inOrder, STEADY_GATEWAY, type Books } from './books';

/**
 * Rows of the accounts ($1) and of the gateway ($2) of a run. The columns are the fields of the lines in
 * books.ts.
 */
interface Table {
  columns: string[];
  from: string;
}

const REQUEST = ['id', 'account_id', 'api_key_id', 'model_id', 'price_version_id', 'request_id'];
const TODAY = `(clock_timestamp() AT TIME ZONE 'UTC')::date`;
const THIS_MONTH = `date_trunc('month', ${TODAY})::date`;
const DAY_NAME = `CASE day WHEN ${TODAY} THEN 'today' ELSE 'earlier' END`;

const TABLES: Record<keyof Books, Table> = {
  accounts: {
    columns: [
      'f.account_id',
      'a.invite_status',
      'a.cohort_name',
      'f.balance_nano',
      'f.held_nano',
      'f.last_seq',
    ],
    from: 'account_funds f JOIN account a ON a.id = f.account_id WHERE f.account_id = ANY ($1)',
  },
  apiKeys: {
    columns: [
      'id',
      'revoked_at IS NOT NULL',
      'coalesce(expires_at <= clock_timestamp(), false)',
      'version',
      'monthly_spend_limit_nano',
    ],
    from: 'api_key WHERE account_id = ANY ($1)',
  },
  gateways: {
    columns: ['id', 'lease_expires_at <= clock_timestamp()'],
    from: 'gateway_instance WHERE id = $2',
  },
  entries: {
    columns: [
      'account_id',
      'seq',
      'kind',
      `from_book || ' to ' || to_book`,
      'amount_nano',
      'balance_after_nano',
      `CASE kind WHEN 'charge' THEN id ELSE refunded_entry_id END`,
    ],
    from: 'ledger_entry WHERE account_id = ANY ($1)',
  },
  holds: {
    columns: [
      ...REQUEST,
      `CASE gateway_instance_id WHEN $2 THEN $2::text ELSE '${STEADY_GATEWAY}' END`,
      'amount_nano',
      DAY_NAME,
    ],
    from: 'hold WHERE account_id = ANY ($1)',
  },
  claims: {
    columns: [
      'c.api_key_id',
      'c.key',
      'c.hold_id',
      `encode(c.fingerprint, 'hex')`,
      'c.state',
      `encode(c.answer, 'hex')`,
      `CASE WHEN c.expires_at IS NULL THEN 'until it is settled'
            WHEN c.expires_at - clock_timestamp() BETWEEN interval '23 hours' AND interval '24 hours' THEN 'for 24 hours'
            ELSE 'until ' || c.expires_at END`,
    ],
    from: `api_key k JOIN idempotency_claim c ON c.api_key_id = k.id
           WHERE k.account_id = ANY ($1) AND (c.expires_at IS NULL OR c.expires_at > clock_timestamp())`,
  },
  usageRecords: {
    columns: [
      ...REQUEST,
      'cost_nano',
      'prompt_tokens',
      'completion_tokens',
      'cached_tokens',
      'cache_write_tokens',
      'reasoning_tokens',
      'images',
      'outcome',
      'streamed',
      'estimated',
      'latency_ms',
      'first_token_ms',
      DAY_NAME,
    ],
    from: 'usage_record WHERE account_id = ANY ($1)',
  },
  usageHours: {
    columns: [
      'account_id',
      'api_key_id',
      'model_id',
      'sum(requests)',
      'sum(prompt_tokens)',
      'sum(completion_tokens)',
      'sum(cached_tokens)',
      'sum(cache_write_tokens)',
      'sum(reasoning_tokens)',
      'sum(cost_nano)',
    ],
    from: 'usage_hour WHERE account_id = ANY ($1) GROUP BY account_id, api_key_id, model_id',
  },
  abandoned: {
    columns: [
      ...['id', 'account_id', 'api_key_id', 'model_id', 'upstream_id', 'upstream_model', 'cost_nano'],
      ...['was_charged', DAY_NAME],
    ],
    from: 'abandoned_request WHERE account_id = ANY ($1)',
  },
  accountDays: {
    columns: [
      ...['account_id', DAY_NAME, 'requests', 'spent_nano', 'held_nano'],
      ...['abandoned_requests', 'abandoned_nano'],
    ],
    from: 'account_day WHERE account_id = ANY ($1) AND (requests <> 0 OR spent_nano <> 0 OR held_nano <> 0)',
  },
  apiKeyMonths: {
    columns: [
      'm.api_key_id',
      `CASE m.month WHEN ${THIS_MONTH} THEN 'this month' ELSE 'earlier' END`,
      'm.spent_nano',
      'm.held_nano',
    ],
    from: `api_key k JOIN api_key_month m ON m.api_key_id = k.id
           WHERE k.account_id = ANY ($1) AND (m.spent_nano <> 0 OR m.held_nano <> 0)`,
  },
  reviews: {
    columns: [
      ...REQUEST,
      'reason',
      'state',
      'held_nano',
      'reserved_nano',
      'measured_cost_nano',
      'prompt_tokens',
      'completion_tokens',
      'cached_tokens',
      'cache_write_tokens',
      'reasoning_tokens',
      'images',
      'outcome',
      'streamed',
      'request_count',
    ],
    from: 'billing_review WHERE account_id = ANY ($1)',
  },
  fundings: {
    columns: ['reference', 'account_id', 'amount_nano'],
    from: 'funding WHERE account_id = ANY ($1)',
  },
  adjustments: {
    columns: ['reference', 'account_id', 'amount_nano'],
    from: 'adjustment WHERE account_id = ANY ($1)',
  },
};

/** All tables in one snapshot. */
const BOOKS_SQL = `SELECT ${Object.entries(TABLES)
  .map(([name, { columns, from }]) => {
    const line = columns.map((column) => `coalesce((${column})::text, '-')`).join(` || ' | ' || `);
    return `(SELECT json_agg(t.line) FROM (SELECT ${line} AS line FROM ${from}) t) AS "${name}"`;
  })
  .join(', ')}`;

/** The database's rows of a run's accounts and its gateway. */
export async function readBooks(
  pool: Pick<pg.Pool, 'query'>,
  accountIds: readonly string[],
  gatewayId: string,
): Promise<Books> {
  const { rows } = await pool.query<Record<keyof Books, string[] | null>>({
    name: 'read_books',
    text: BOOKS_SQL,
    values: [accountIds, gatewayId],
  });
  const tables = Object.entries(rows[0] ?? {}).map(([name, lines]): [string, string[]] => [
    name,
    lines ?? [],
  ]);
  return inOrder(Object.fromEntries(tables) as Record<keyof Books, string[]>);
}
