import { createTestDatabase, type TestDatabase } from '@farebox/testing';

// Everything in the schema that prevents a division of the accounts among databases:
// docs/design/past-one-postgresql.md. A new line here is a decision.

/** Rows that each database would have: the catalogue, operators, settings. */
const COPIED =
  '_prisma_migrations catalog_schedule catalog_state catalog_version cohort management_key model model_route operator ' +
  'operator_action operator_link operator_session price_version route_cost seller upstream usage_retention';
/** Rows of one account, which a row of another table names. */
const OF_ONE_ACCOUNT =
  'account api_key_month credit_note_line kept_answer_part sign_in_code usage_route webhook_delivery';
/** Rows of one database and the processes in front of it: jobs, progress, checks and roots. */
const OF_ONE_DATABASE =
  'card_removal gateway_instance invoice_month ledger_check ledger_check_round ledger_checkpoint ledger_root outbox ' +
  'payment_notice sales_state sign_in_throttle stripe_event usage_sum_state';
/** Rows over all accounts: numbers without gaps, sums, and vouchers that any account may redeem. */
const OF_ALL_ACCOUNTS = 'credit_note_year invoice_year receipt_year sales_by_route voucher';

/** Unique over all accounts, and not only because it is a random id. */
const UNIQUE = [
  'account (email)',
  'account_session (token_sha256)',
  'adjustment (reference)',
  'api_key (secret_hmac)',
  'card_setup (stripe_session_id)',
  'checkout (stripe_payment_intent_id)',
  'checkout (stripe_session_id)',
  'credit_note (invoice_number, month)',
  'credit_note (number)',
  'credit_note (reference)',
  'credit_note (year, sequence)',
  'dispute (reference)',
  'funding (reference)',
  'idempotency_claim (api_key_id, key)',
  'invoice (number)',
  'invoice (year, sequence)',
  'ledger_checkpoint_month (api_key_id, month)',
  'ledger_root_block (day, position)',
  'receipt (number)',
  'receipt (year, sequence)',
  'reversal (reference)',
  'saved_card (stripe_payment_method_id)',
  'sign_in_link (token_sha256)',
  'top_up_attempt (stripe_payment_intent_id)',
  'webhook_event (once)',
];

/** Both ends are of one account, and the key does not say so. */
const FOREIGN_KEYS = [
  'adjustment → reversal',
  'api_key_month → api_key',
  'credit_note_line → credit_note',
  'dispute → funding',
  'limit_policy → api_key',
  'sign_in_code → sign_in_link',
  'top_up_attempt → checkout',
  'voucher → funding',
  'webhook_delivery → webhook_event',
];

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(async () => {
  await db.drop();
});

const linesOf = async (sql: string): Promise<string[]> =>
  (await db.pool.query<{ line: string }>(sql)).rows.map(({ line }) => line);

const TABLES = `
  SELECT c.oid, c.relname AS name,
         EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id') AS is_of_account
  FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`;

it('only these tables do not name the account of a row', async () => {
  const named = [COPIED, OF_ONE_ACCOUNT, OF_ONE_DATABASE, OF_ALL_ACCOUNTS].join(' ').split(' ');
  const sql = `SELECT name AS line FROM (${TABLES}) t WHERE NOT is_of_account`;
  expect((await linesOf(sql)).sort()).toEqual(named.sort());
});

it('only these rules of uniqueness are wider than an account', async () => {
  const sql = `
    WITH t AS (${TABLES})
    SELECT t.name || ' (' || string_agg(a.attname, ', ' ORDER BY array_position(i.indkey::int2[], a.attnum)) || ')' AS line
    FROM t JOIN pg_index i ON i.indrelid = t.oid AND i.indisunique
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
    WHERE t.is_of_account OR t.name = 'account'
    GROUP BY t.name, i.indexrelid
    HAVING NOT bool_or(a.attname = 'account_id') AND NOT bool_and(a.atttypid = 'uuid'::regtype)`;
  expect((await linesOf(sql)).sort()).toEqual(UNIQUE);
});

it('only these foreign keys between rows of one account do not name it', async () => {
  const sql = `
    WITH t AS (${TABLES})
    SELECT f.name || ' → ' || r.name AS line
    FROM pg_constraint c JOIN t f ON f.oid = c.conrelid JOIN t r ON r.oid = c.confrelid
    WHERE c.contype = 'f' AND r.is_of_account AND NOT EXISTS (
      SELECT FROM unnest(c.conkey, c.confkey) AS k (own, other)
      JOIN pg_attribute a ON a.attrelid = f.oid AND a.attnum = k.own AND a.attname = 'account_id'
      JOIN pg_attribute b ON b.attrelid = r.oid AND b.attnum = k.other AND b.attname = 'account_id')`;
  expect((await linesOf(sql)).sort()).toEqual(FOREIGN_KEYS);
});
