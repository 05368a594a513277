import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { givenSampleBooks, type SampleBooks } from '../test/sample-books';
import { verifyLedger } from './books/verify-ledger';

// Every table and every function of the ledger is in exactly one of these lists. A new one needs a decision. The
// columns, and the rights of account service and worker: rights.int.spec.ts.

/** Tables that a gateway reads completely. */
const READ_BY_SERVICES = [
  // Written by the operator, and the last one by the migrations.
  ...['catalog_state', 'model', 'model_route', 'price_version', 'upstream', '_prisma_migrations'],
  'route_cost',
];

/** Tables of which a gateway sees some columns. */
const READ_IN_PART = ['account', 'api_key'];

/**
 * Tables for the account service or the worker only, or for neither: least-privilege-{account,worker}.int.spec.ts.
 */
const UNSEEN_BY_SERVICES = [
  // Money: written only by the ledger's functions.
  ...['account_day', 'account_funds', 'adjustment', 'api_key_month', 'funding', 'hold', 'ledger_entry'],
  ...['usage_route', 'usage_record', 'usage_hour', 'usage_sum', 'usage_sum_state', 'usage_retention'],
  ...['usage_open_day', 'abandoned_request', 'sales_by_route', 'sales_by_key', 'sales_state'],
  ...['ledger_root', 'ledger_root_block'],
  ...['ledger_checkpoint', 'ledger_checkpoint_account', 'ledger_checkpoint_day', 'ledger_checkpoint_month'],
  ...['checkout', 'invoice', 'invoice_line', 'invoice_month', 'invoice_year', 'reversal'],
  ...['billing_details', 'seller', 'receipt', 'receipt_year', 'voucher', 'dispute'],
  ...['credit_note', 'credit_note_line', 'credit_note_year'],
  ...[
    'payment_notice',
    'stripe_event',
    'card_setup',
    'saved_card',
    'card_removal',
    'auto_top_up',
    'top_up_attempt',
  ],
  ...['ledger_check', 'ledger_check_round', 'billing_review', 'gateway_instance', 'cohort', 'limit_policy'],
  // Answers: read by functions, for one claim that is named completely.
  ...['idempotency_claim', 'kept_answer', 'kept_answer_part', 'kept_answer_hour'],
  // Credentials: for the account service.
  ...['account_session', 'device', 'credential_event'],
  ...[
    'sign_in_link',
    'sign_in_code',
    'sign_in_throttle',
    'operator_action',
    ...['catalog_version', 'catalog_schedule'],
    'outbox',
    'mail',
  ],
  // For the operator service.
  ...['operator', 'operator_session', 'operator_link', 'management_key'],
  ...['webhook_endpoint', 'webhook_event', 'webhook_delivery'],
];

/** Tables that a gateway appends to, and cannot read. */
const APPENDED_BY_SERVICES = ['uncharged_request'];

/** Functions that a service may call. They check everything, and run with the rights of their owner. */
const CALLED_BY_SERVICES = [
  ...[
    'ledger_run_batch',
    'ledger_quote',
    'ledger_hold_states',
    'ledger_refund_lost',
    'ledger_count_unpaid',
    'ledger_open_charge_review',
    'ledger_count_implausible_usage',
    'ledger_stage_answer',
    'ledger_kept_answer',
    'ledger_kept_answer_part',
    'ledger_refund_withheld',
    'ledger_renew_lease',
    'ledger_barred_holds',
    'ledger_end_lease',
    'api_key_status',
  ],
];

/** Functions for the worker: least-privilege-worker.int.spec.ts. */
const CALLED_BY_WORKER = [
  ...['ledger_purge_kept_parts'],
  ...['ledger_sweep', 'ledger_purge_gateways', 'ledger_purge_answers', 'ledger_sum_usage'],
  'ledger_sum_sales',
  ...['ledger_resolve_review', 'ledger_purge_requests', 'ledger_note_verified', 'ledger_purge_verified'],
  ...['ledger_purge_uncharged', 'ledger_purge_abandoned'],
  ...['ledger_note_check', 'ledger_note_round', 'ledger_finish_round'],
  ...['ledger_day_to_close', 'ledger_note_root_blocks', 'ledger_close_day', 'ledger_sign_root'],
  ...[
    'ledger_partition_reach',
    'ledger_make_partition',
    'ledger_analyze_partitioned',
    'ledger_retire_partition',
  ],
  // Of the other libraries.
  ...[
    'sign_in_purge',
    'credential_event_purge',
    'invoice_issue',
    'payment_apply_event',
    ...['database_end_overlong', 'catalog_apply_due'],
  ],
  ...['payment_save_card', 'payment_update_card', 'payment_drop_card'],
  ...['top_up_begin', 'top_up_claim', 'top_up_is_wanted', 'top_up_wait', 'top_up_fail'],
  ...['outbox_take', 'mail_post_again', 'mail_purge', 'mail_find_low_balances', 'mail_make_operator_link'],
  ...[
    'webhook_claim',
    'webhook_end_attempt',
    'webhook_find_limits',
    'webhook_find_usage_limits',
    'webhook_purge',
  ],
];

/** Functions for an operator: a stolen login of a gateway or an account service cannot create money. */
const CALLED_BY_OPERATORS = [
  ...['ledger_open_account', 'ledger_top_up', 'ledger_adjust', 'ledger_collect_owed', 'account_erase'],
  ...['mail_ask_operator_link', 'catalog_write', 'ledger_note_roots_verified'],
  ...['dispute_open_by_hand', 'dispute_close_by_hand'],
  // Of reports.
  ...['ledger_charged_requests', 'ledger_refunded_requests'],
];

/** Functions for the account service: least-privilege-account.int.spec.ts. */
const CALLED_BY_ACCOUNT = [
  'ledger_usage_of_hours',
  'ledger_usage_page',
  'ledger_seq_at',
  'ledger_limits_of_account',
  'payment_note_event',
  ...['payment_remove_card', 'top_up_switch_on', 'top_up_end', 'top_up_month_nano', 'voucher_redeem'],
  'sign_in_accept_invite',
  'sign_in_try_code',
  ...['device_status', 'session_is_live'],
  ...['mail_ask_link', 'mail_ask_sign_in', 'mail_end_links'],
  ...['webhook_test', 'webhook_resend'],
];

/** Parts of the functions above, which rely on their checks and locks. */
const PARTS_OF_THOSE = [
  ...[
    'ledger_place_hold',
    'ledger_place_holds',
    'ledger_decide_hold',
    'ledger_decide_holds',
    'ledger_outcome_of_hold',
    ...['ledger_is_admitted', 'ledger_decide_limits', 'ledger_limit_use', 'ledger_limited_part'],
    ...['ledger_limited_charge', 'ledger_count_minutes'],
    ...['ledger_window_start', 'ledger_window_end', 'ledger_limited_targets'],
    'ledger_outcome_of_claim',
    'ledger_left_for_hold',
    'ledger_daily_abandoned_requests',
    'ledger_daily_abandonment_nano',
    'ledger_reserved_of_day',
    'ledger_count_abandoned',
    'ledger_broken_rule',
    'ledger_try_lock',
    'ledger_try_locks',
    'ledger_append',
    'ledger_charge_review',
    'ledger_count_review',
    'ledger_give_back',
    'ledger_lock_accounts',
  ],
  ...[
    'ledger_settle_hold',
    'ledger_settle_holds',
    'ledger_refund',
    'ledger_keep_answer',
    'ledger_reverse',
    'ledger_reinstate',
    'ledger_take_owed',
    'ledger_new_id',
    'ledger_first_id_of',
    'ledger_time_of_id',
    'ledger_partitions',
    'ledger_records_given_back',
    'ledger_create_partition_table',
    'ledger_guard_partition',
    'ledger_continues',
    'ledger_time',
    'ledger_record_time',
  ],
  ...['billing_buyer', 'billing_seller', 'receipt_issue', 'credit_note_number', 'credit_note_of_payment'],
  ...['invoice_number', 'payment_refunded_nano', 'payment_settle_checkout', 'payment_take_back'],
  ...['dispute_open', 'dispute_close'],
  ...['payment_note_change', 'top_up_declines_in_a_row', 'top_up_succeed', 'top_up_switch_off'],
  ...['webhook_post', 'webhook_wanting'],
];

const INSUFFICIENT_PRIVILEGE = '42501';

let db: TestDatabase;
let books: SampleBooks;
beforeAll(async () => {
  db = await createTestDatabase();
  books = await givenSampleBooks(db);
});
afterAll(async () => {
  await books.close();
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

async function expectRefused(sql: string): Promise<void> {
  await expect(db.servicePool.query(sql)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
}

async function textsOf(sql: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ text: string }>(sql);
  return rows.map((row) => row.text);
}

describe('the lists', () => {
  it('name every table', async () => {
    const tables = await textsOf(
      `SELECT relname AS text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')`,
    );
    expect(
      [...READ_BY_SERVICES, ...READ_IN_PART, ...UNSEEN_BY_SERVICES, ...APPENDED_BY_SERVICES].sort(),
    ).toEqual(tables.sort());
  });

  it('name every function', async () => {
    const functions = await textsOf(
      `SELECT proname AS text FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prorettype <> 'trigger'::regtype`,
    );
    const listed = [
      ...CALLED_BY_SERVICES,
      ...CALLED_BY_ACCOUNT,
      ...CALLED_BY_WORKER,
      ...CALLED_BY_OPERATORS,
      ...PARTS_OF_THOSE,
    ];
    expect(listed.sort()).toEqual(functions.sort());
  });
});

describe.each(READ_BY_SERVICES)('reads everything and writes nothing', (table) => {
  it('reads everything and writes nothing', async () => {
    const [column = ''] = await textsOf(
      `SELECT attname AS text FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum = 1`,
    );
    await db.servicePool.query(`SELECT * FROM ${table}`);
    await expectRefused(`INSERT INTO ${table} SELECT * FROM ${table}`);
    await expectRefused(`UPDATE ${table} SET ${column} = ${column}`);
    await expectRefused(`DELETE FROM ${table}`);
    await expectRefused(`TRUNCATE ${table}`);
  });

  it('takes no lock that money would wait for', async () => {
    await expectRefused(`SELECT * FROM ${table} FOR UPDATE`);
    await expectRefused(`DO $$ BEGIN LOCK TABLE ${table} IN ROW EXCLUSIVE MODE; END $$`);
  });
});

describe.each(READ_IN_PART)('does not see everything and deletes nothing', (table) => {
  it('sees not everything and deletes nothing', async () => {
    await expectRefused(`SELECT * FROM ${table}`);
    await expectRefused(`DELETE FROM ${table}`);
    await expectRefused(`TRUNCATE ${table}`);
  });
});

describe.each(UNSEEN_BY_SERVICES)('a service, of %s,', (table) => {
  it('sees and writes nothing', async () => {
    await expectRefused(`SELECT * FROM ${table}`);
    await expectRefused(`INSERT INTO ${table} DEFAULT VALUES`);
    await expectRefused(`DELETE FROM ${table}`);
  });
});

describe.each(APPENDED_BY_SERVICES)('a service, of %s,', (table) => {
  it('appends rows, and neither sees, changes nor deletes any', async () => {
    await db.servicePool.query(
      `INSERT INTO ${table} (id, account_id, api_key_id, request_id, outcome, streamed, latency_ms, created_at)
       VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'req_1', 'failed', false, 1, now())`,
    );
    await expectRefused(`SELECT * FROM ${table}`);
    await expectRefused(`UPDATE ${table} SET latency_ms = 2`);
    await expectRefused(`DELETE FROM ${table}`);
    await expectRefused(`TRUNCATE ${table}`);
    await expect(db.pool.query(`UPDATE ${table} SET latency_ms = 2`)).rejects.toThrow('append-only');
  });
});

describe('the functions of the ledger', () => {
  it.each([...CALLED_BY_ACCOUNT, ...CALLED_BY_WORKER, ...CALLED_BY_OPERATORS, ...PARTS_OF_THOSE])(
    '%s is not for a service',
    async (name) => {
      const [call = ''] = await textsOf(
        `SELECT format('SELECT %s(%s)', oid::regproc,
                     (SELECT string_agg('NULL::' || format_type(type, NULL), ', ' ORDER BY position)
                      FROM unnest(proargtypes) WITH ORDINALITY AS a(type, position))) AS text
       FROM pg_proc WHERE proname = '${name}'`,
      );
      await expectRefused(call);
    },
  );

  // The sample's holds, charges and reviews were created by ledger_run_batch and ledger_open_charge_review.
  it.each<[string, () => string, unknown]>([
    ['ledger_refund_lost', () => `'${uuidV7()}', '${books.chargedReviewId}', false`, true],
    [
      'ledger_hold_states',
      () => `ARRAY['${books.heldId}', '${books.chargedId}']::uuid[]`,
      ['held', 'charged'],
    ],
  ])('%s does its work for one', async (name, args, answer) => {
    const { rows } = await db.servicePool.query<{ answer: unknown }>(
      `SELECT to_jsonb(answer) AS answer FROM ${name}(${args()}) AS answer`,
    );
    expect({ answer: rows[0]?.answer }).toMatchObject({ answer });
  });

  it('use only schemas in which nobody but their owner can create objects', async () => {
    const unsafe = await textsOf(
      `SELECT proname AS text FROM pg_proc
       WHERE pronamespace = 'public'::regnamespace AND prosecdef
         AND NOT 'search_path=public, pg_temp' = ANY (coalesce(proconfig, '{}'))`,
    );
    expect(unsafe).toEqual([]);

    const client = await db.servicePool.connect();
    await client.query('CREATE TEMP TABLE ledger_entry (id uuid)');
    const refund = await client.query<{ refunded: boolean }>(
      'SELECT ledger_refund_lost($1, $2, false) AS refunded',
      [uuidV7(), books.chargedId],
    );
    expect(refund.rows).toEqual([{ refunded: true }]);
    expect((await client.query('SELECT * FROM pg_temp.ledger_entry')).rows).toEqual([]);
    client.release(true);
  });
});

describe('a service may not', () => {
  const owner =
    "(SELECT rolname FROM pg_roles WHERE oid = (SELECT relowner FROM pg_class WHERE relname = 'hold'))";

  it.each([
    ['take a trigger away', 'DROP TRIGGER ledger_entry_append_only ON ledger_entry'],
    ['switch a trigger off', 'ALTER TABLE ledger_entry DISABLE TRIGGER USER'],
    ['switch all triggers off for itself', 'SET session_replication_role = replica'],
    ['take a rule away', 'ALTER TABLE account_funds DROP CONSTRAINT account_funds_available_not_negative'],
    [
      'add a trigger',
      'CREATE TRIGGER mine BEFORE INSERT ON hold FOR EACH ROW EXECUTE FUNCTION refuse_change()',
    ],
    [
      'add a trigger to a table that it writes',
      'CREATE TRIGGER mine BEFORE INSERT ON api_key EXECUTE FUNCTION refuse_change()',
    ],
    ['add a rewrite rule', 'CREATE RULE mine AS ON INSERT TO hold DO INSTEAD NOTHING'],
    ['change a table', 'ALTER TABLE hold ADD COLUMN mine int'],
    ['drop a table', 'DROP TABLE hold'],
    ['make a table', 'CREATE TABLE public.mine (id int)'],
    ['make a view', 'CREATE VIEW public.mine AS SELECT 1'],
    ['make a large object', 'SELECT lo_create(0)'],
    ['write a large object', `SELECT lo_from_bytea(0, 'x')`],
    ['make a schema', 'CREATE SCHEMA mine'],
    ['make a function', 'CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$'],
    [
      'replace a function',
      'CREATE OR REPLACE FUNCTION ledger_sweep(p_limit int) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    ],
    ['change a function', 'ALTER FUNCTION ledger_append RESET ALL'],
    ['take a table over', 'ALTER TABLE hold OWNER TO CURRENT_USER'],
    ['become another role', `DO $$ BEGIN EXECUTE format('SET ROLE %I', ${owner}); END $$`],
    ['make itself powerful', 'ALTER ROLE CURRENT_USER SUPERUSER'],
    ['make a role', 'CREATE ROLE mine'],
    ['read the passwords of others', 'SELECT rolpassword FROM pg_authid'],
    ['read a file of the server', `SELECT pg_read_file('postgresql.conf')`],
    ['run a program on the server', `COPY (SELECT 1) TO PROGRAM 'true'`],
    [
      'end a connection of the owner',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ${owner}`,
    ],
  ])('%s', async (_name, sql) => {
    await expectRefused(sql);
  });

  it('give itself a right', async () => {
    await db.servicePool.query('GRANT INSERT ON hold TO CURRENT_USER').catch(() => undefined);
    await expectRefused('INSERT INTO hold SELECT * FROM hold');
  });
});
