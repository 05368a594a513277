import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenAccount, givenApiKey, type TestDatabase } from '@farebox/testing';

// All permissions of the services' logins in the database, compared with PostgreSQL's catalogue, and what an attacker
// with one of them would try first.

const SELECT = { SELECT: 'all' };
const CATALOG = {
  catalog_state: SELECT,
  model: SELECT,
  model_route: SELECT,
  price_version: SELECT,
  upstream: SELECT,
};

/** A guard keeps the account service from those of the operators. */
const WEBHOOKS = {
  webhook_endpoint: {
    ...SELECT,
    INSERT: 'account_id description event_types id key_version url',
    UPDATE:
      'description event_types failures former_key_version generation key_version off_reason rotated_at url',
    DELETE: 'all',
  },
  webhook_event: SELECT,
  webhook_delivery: SELECT,
};

/** By login, table and right: `all`, or the columns. */
const RIGHTS: Record<string, Record<string, Record<string, string>>> = {
  farebox_app: {
    ...CATALOG,
    route_cost: SELECT,
    uncharged_request: { INSERT: 'all' },
    _prisma_migrations: SELECT,
    account: { SELECT: 'cohort_name id invite_status' },
    api_key: {
      SELECT:
        'account_id allowed_origins disabled_at expires_at id model_policy_mode model_policy_models revoked_at ' +
        'secret_hmac shows_account_limits version',
    },
  },
  farebox_account: {
    ...CATALOG,
    ...tables('_prisma_migrations account_day account_funds adjustment api_key_month cohort funding', SELECT),
    account: {
      ...SELECT,
      UPDATE: 'language low_balance_mailed_at low_balance_mailed_nano low_balance_nano name',
    },
    uncharged_request: SELECT,
    hold: {
      SELECT: 'account_id amount_nano api_key_id created_at id model_id price_version_id request_id',
    },
    billing_review: {
      SELECT:
        'account_id api_key_id cache_write_tokens cached_tokens completion_tokens created_at estimated first_token_ms id ' +
        'images latency_ms model_id outcome price_version_id prompt_tokens reason reasoning_tokens request_id ' +
        'reserved_nano resolved_at state streamed',
    },
    ...tables(
      'credit_note credit_note_line invoice invoice_line ledger_entry ledger_root ledger_root_block receipt usage_hour usage_open_day usage_record usage_retention usage_sum usage_sum_state',
      SELECT,
    ),
    account_session: {
      ...SELECT,
      INSERT: 'all',
      UPDATE: 'created_at expires_at id idle_expires_at last_seen_at revoked_at token_sha256',
    },
    api_key: {
      ...SELECT,
      INSERT: 'all',
      UPDATE:
        'allowed_origins disabled_at expires_at hint lifetime_starts_at model_policy_mode model_policy_models ' +
        'monthly_spend_limit_nano name pepper_version revoked_at secret_hmac secret_issued_at shows_account_limits version',
    },
    auto_top_up: SELECT,
    card_setup: { ...SELECT, INSERT: 'account_id id', UPDATE: 'stripe_session_id' },
    billing_details: {
      ...SELECT,
      INSERT: 'all',
      UPDATE: 'address billing_email country legal_name purchase_order tax_id',
    },
    checkout: { ...SELECT, INSERT: 'account_id amount_nano id', UPDATE: 'stripe_session_id' },
    saved_card: { SELECT: 'account_id brand expiry_month expiry_year last_four stripe_customer_id' },
    top_up_attempt: { SELECT: 'account_id amount_nano created_at ended_at failure id state' },
    credential_event: {
      ...SELECT,
      INSERT:
        'account_id action actor actor_kind browser_sha256 credential credential_id is_new_browser network user_agent',
    },
    device: { ...SELECT, INSERT: 'all', UPDATE: 'last_seen_at name revoked_at' },
    ...WEBHOOKS,
    sign_in_link: { ...SELECT, UPDATE: 'used_at' },
    sign_in_throttle: { ...SELECT, INSERT: 'all', UPDATE: 'recovered_at' },
  },
  farebox_worker: {
    ...tables(
      '_prisma_migrations abandoned_request account account_day account_funds adjustment api_key_month billing_review',
      SELECT,
    ),
    ...tables(
      'funding gateway_instance hold invoice invoice_line invoice_month invoice_year ledger_check ledger_check_round',
      SELECT,
    ),
    ...tables(
      'ledger_checkpoint ledger_checkpoint_account ledger_checkpoint_day ledger_checkpoint_month',
      SELECT,
    ),
    ...tables(
      'ledger_entry ledger_root ledger_root_block outbox catalog_schedule price_version reversal usage_hour usage_open_day usage_record usage_retention ' +
        'usage_sum usage_sum_state sales_by_key sales_state',
      SELECT,
    ),
    api_key: { SELECT: 'account_id id' },
    idempotency_claim: { SELECT: 'account_id api_key_id created_at expires_at hold_id key state' },
    credential_event: { SELECT: 'at id network user_agent' },
    mail: { ...SELECT, UPDATE: 'account_id address ended_at outcome' },
    auto_top_up: SELECT,
    card_removal: { ...SELECT, UPDATE: 'attempts due_at', DELETE: 'all' },
    payment_notice: { ...SELECT, UPDATE: 'attempts due_at', DELETE: 'all' },
    saved_card: SELECT,
    top_up_attempt: SELECT,
    webhook_endpoint: { SELECT: 'account_id id off_reason url' },
    sign_in_code: { INSERT: 'all' },
    sign_in_link: { INSERT: 'all', SELECT: 'expires_at' },
  },
  farebox_operator: {
    ...tables(
      '_prisma_migrations account_funds account_day api_key_month hold gateway_instance funding adjustment reversal ' +
        'ledger_entry billing_review usage_record usage_hour usage_sum usage_open_day usage_sum_state usage_retention ' +
        'uncharged_request abandoned_request usage_route sales_by_route sales_by_key sales_state ledger_checkpoint ledger_checkpoint_account ' +
        'ledger_checkpoint_day ledger_checkpoint_month ledger_check ledger_check_round invoice invoice_line ' +
        'invoice_month invoice_year receipt credit_note credit_note_line checkout payment_notice stripe_event ' +
        'auto_top_up top_up_attempt billing_details dispute ledger_root ledger_root_block',
      SELECT,
    ),
    ...tables('operator_action credential_event mail outbox price_version catalog_version', {
      ...SELECT,
      INSERT: 'all',
    }),
    ...tables('upstream model model_route route_cost catalog_state', {
      ...SELECT,
      ...{ INSERT: 'all', UPDATE: 'all', DELETE: 'all' },
    }),
    catalog_schedule: { ...SELECT, INSERT: 'all', UPDATE: 'ended_at state' },
    seller: { ...SELECT, INSERT: 'all', UPDATE: 'all' },
    limit_policy: { ...SELECT, INSERT: 'all', UPDATE: 'most', DELETE: 'all' },
    operator: { ...SELECT, INSERT: 'all', UPDATE: 'removed_at role' },
    operator_session: { ...SELECT, INSERT: 'all', UPDATE: 'ended_at idle_expires_at' },
    operator_link: { ...SELECT, INSERT: 'all', UPDATE: 'used_at' },
    management_key: { ...SELECT, INSERT: 'all', UPDATE: 'revoked_at' },
    account: {
      ...{ ...SELECT, INSERT: 'all' },
      UPDATE:
        'cohort_name daily_abandoned_requests daily_abandonment_nano daily_request_cap daily_spend_cap_nano email ' +
        'invite_status low_balance_mailed_at low_balance_mailed_nano low_balance_nano name',
    },
    cohort: {
      ...{ ...SELECT, INSERT: 'all' },
      UPDATE: 'daily_abandoned_requests daily_abandonment_nano daily_request_cap daily_spend_cap_nano',
    },
    // Without what a secret is compared with.
    voucher: {
      INSERT: 'all',
      SELECT:
        'amount_nano batch_id created_at created_by expires_at funding_id hint id most_per_account note revoked_at',
      UPDATE: 'revoked_at',
    },
    api_key: {
      INSERT: 'all',
      SELECT:
        'account_id allowed_origins created_at disabled_at expires_at hint id is_playground lifetime_starts_at model_policy_mode ' +
        'model_policy_models monthly_spend_limit_nano name pepper_version revoked_at secret_issued_at ' +
        'shows_account_limits version',
      UPDATE: 'disabled_at expires_at revoked_at version',
    },
    account_session: {
      INSERT: 'all',
      SELECT:
        'account_id created_at device_id expires_at id idle_expires_at last_seen_at revoked_at user_agent',
      UPDATE: 'revoked_at',
    },
    device: { ...SELECT, UPDATE: 'revoked_at' },
    sign_in_link: { INSERT: 'all', SELECT: 'account_id expires_at used_at', UPDATE: 'used_at' },
    sign_in_throttle: { ...SELECT, INSERT: 'all', UPDATE: 'recovered_at' },
    saved_card: { SELECT: 'account_id brand expiry_month expiry_year last_four stripe_customer_id' },
    idempotency_claim: { SELECT: 'account_id api_key_id created_at expires_at hold_id key state' },
    ...WEBHOOKS,
  },
};

function tables(names: string, rights: Record<string, string>): Record<string, Record<string, string>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, rights]));
}

const GRANTED = `
  SELECT grantee::regrole::text AS role, relname AS table_name, privilege_type AS privilege, NULL AS column_name
  FROM pg_class CROSS JOIN aclexplode(relacl) WHERE relnamespace = 'public'::regnamespace AND grantee <> relowner
  UNION ALL
  SELECT grantee::regrole::text, relname, privilege_type, attname
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid CROSS JOIN aclexplode(attacl)
  WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
  ORDER BY 1, 2, 3, 4`;

const INSUFFICIENT_PRIVILEGE = '42501';

let db: TestDatabase;
let victim: { accountId: string; apiKeyId: string };
beforeAll(async () => {
  db = await createTestDatabase();
  const accountId = await givenAccount(db.pool, { balanceNano: 5n });
  victim = { accountId, apiKeyId: await givenApiKey(db.pool, accountId) };
});
afterAll(() => db.drop());

it('each login has the rights of this table, and no other login has any', async () => {
  interface Grant {
    role: string;
    table_name: string;
    privilege: string;
    column_name: string | null;
  }
  const { rows } = await db.pool.query<Grant>(GRANTED);
  const granted: typeof RIGHTS = {};
  for (const { role, table_name, privilege, column_name } of rows) {
    const rights = ((granted[role] ??= {})[table_name] ??= {});
    const columns = rights[privilege] === undefined ? [] : rights[privilege].split(' ');
    rights[privilege] = column_name === null ? 'all' : [...columns, column_name].sort().join(' ');
  }
  expect(granted).toEqual(RIGHTS);
});

it('none of the groups is a member of another', async () => {
  const { rows } = await db.pool.query(
    `SELECT a.rolname AS member, b.rolname AS of FROM pg_roles a CROSS JOIN pg_roles b
     WHERE a.rolname LIKE 'farebox\\_%' AND b.rolname IN ('farebox_app', 'farebox_account', 'farebox_worker')
       AND a.oid <> b.oid AND pg_has_role(a.oid, b.oid, 'MEMBER') AND NOT a.rolsuper ORDER BY 1`,
  );
  expect(rows).toEqual([
    { member: 'farebox_test_account', of: 'farebox_account' },
    { member: 'farebox_test_service', of: 'farebox_app' },
    { member: 'farebox_test_worker', of: 'farebox_worker' },
  ]);
});

const NEW_SESSION = `
  INSERT INTO account_session (id, account_id, token_sha256, idle_expires_at, expires_at)
  SELECT gen_random_uuid(), id, sha256('mine'), now() + interval '1 day', now() + interval '1 day' FROM account`;
const NEW_KEY = `
  INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint, model_policy_models)
  SELECT gen_random_uuid(), id, 'mine', sha256('mine'), 1, 'mine', '{}' FROM account`;
const OWNER = `(SELECT relowner::regrole::text FROM pg_class WHERE oid = 'hold'::regclass)`;

/** Actions that are forbidden for the login of a service. */
const FOR_NOBODY: [string, string][] = [
  ['give an account access', `UPDATE account SET invite_status = 'active'`],
  ['move an account to another cohort', `UPDATE account SET cohort_name = 'vip'`],
  ['raise a cap', 'UPDATE cohort SET daily_spend_cap_nano = 1000000000000'],
  ["change an account's address", `UPDATE account SET email = 'me@example.com'`],
  ['change a price', 'UPDATE price_version SET input_price_pico = 0'],
  ['lead a model elsewhere', `UPDATE upstream SET base_url = 'http://mine'`],
  ['sell a model', `INSERT INTO model_route VALUES ('small', 1, 'mine', 'mine')`],
  ['give a balance', 'UPDATE account_funds SET balance_nano = 1000000000000'],
  ['top an account up', `SELECT ledger_top_up(gen_random_uuid(), id, 1, 'card', 'x') FROM account`],
  ['adjust a balance', `SELECT ledger_adjust(gen_random_uuid(), id, 1, 'x', 'x', 'x') FROM account`],
  ['collect debts', 'SELECT ledger_collect_owed(id) FROM account'],
  ['take a payment back', `SELECT ledger_reverse(gen_random_uuid(), 1, 'x', 'x', 'x')`],
  ['settle a checkout by a part', 'SELECT payment_settle_checkout(NULL)'],
  ['settle an automatic top-up by a part', `SELECT top_up_succeed(gen_random_uuid(), 'pi_1')`],
  ['write the ledger', 'INSERT INTO ledger_entry SELECT * FROM ledger_entry'],
  ["delete the operators' actions", 'DELETE FROM operator_action'],
  ["read the operators' actions", 'SELECT * FROM operator_action'],
  ['make a key of an account live again by deleting it', 'DELETE FROM api_key'],
  ['give a key to another account', 'UPDATE api_key SET account_id = gen_random_uuid()'],
  ["make a session another account's", 'UPDATE account_session SET account_id = gen_random_uuid()'],
  ['switch a trigger off', 'ALTER TABLE ledger_entry DISABLE TRIGGER USER'],
  ['switch all triggers off for itself', 'SET session_replication_role = replica'],
  ['tell of what did not happen', `SELECT webhook_post(id, 'x', '{}', NULL, false) FROM account`],
  [
    'send the events of all accounts elsewhere',
    `INSERT INTO webhook_endpoint (id, url, key_version) VALUES (gen_random_uuid(), 'https://mine.example/', 1)`,
  ],
  ['make a table', 'CREATE TABLE public.mine (id int)'],
  ['make a function', 'CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$'],
  ['become the owner', `DO $$ BEGIN EXECUTE format('SET ROLE %s', ${OWNER}); END $$`],
  ['read passwords', 'SELECT rolpassword FROM pg_authid'],
  ['change the list of installed files', `UPDATE farebox_install.sql_file SET sha256 = 'x'`],
  ['change the list of migrations', 'DELETE FROM _prisma_migrations'],
];

const CREDENTIALS: [string, string][] = [
  ['make a session for another account', NEW_SESSION],
  ['make a key', NEW_KEY],
  ["change a key's hash", `UPDATE api_key SET secret_hmac = sha256('mine')`],
  ["change a key's policy", `UPDATE api_key SET model_policy_mode = NULL`],
  ['raise the limit of a key', 'UPDATE api_key SET monthly_spend_limit_nano = NULL'],
  ['bring a revoked key back', 'UPDATE api_key SET revoked_at = NULL'],
  ['read the sessions', 'SELECT token_sha256 FROM account_session'],
  [
    'register a device',
    `INSERT INTO device (id, account_id, name, platform) SELECT gen_random_uuid(), id, 'x', 'x' FROM account`,
  ],
  ['read the links that sign in', 'SELECT token_sha256 FROM sign_in_link'],
];

const MONEY_OF_GATEWAYS: [string, string][] = [
  ['hold and charge', `SELECT ledger_run_batch(gen_random_uuid(), '{}', '{}', NULL, 3)`],
  ['end a lease', 'UPDATE gateway_instance SET lease_expires_at = now()'],
];

describe.each<['servicePool' | 'accountPool' | 'workerPool', [string, string][]]>([
  [
    'servicePool',
    [
      ...CREDENTIALS,
      ['become the account service', 'SET ROLE farebox_account'],
      ['become the worker', 'SET ROLE farebox_worker'],
      ['read the names and addresses of accounts', 'SELECT email, name FROM account'],
      ['read balances', 'SELECT * FROM account_funds'],
      ['read the usage of others', 'SELECT model_id, cost_nano FROM usage_record'],
      ['delete a gateway', 'DELETE FROM gateway_instance'],
      ['read invoices', 'SELECT * FROM invoice'],
      ['read payments', 'SELECT * FROM stripe_event'],
      ['read long answers that are kept', 'SELECT ciphertext FROM kept_answer_part'],
      ['see who has long answers', 'SELECT account_id FROM kept_answer'],
      ['read mails', 'SELECT * FROM mail'],
      ['read the outbox', 'SELECT * FROM outbox'],
      ['wave a review through', `SELECT ledger_resolve_review(gen_random_uuid(), false, 'x', NULL)`],
      ['sweep', 'SELECT ledger_sweep(10)'],
      ['credit a payment', `SELECT payment_apply_event('e', 't', 'pay', NULL, 'c', 'p', NULL, 1, 'usd')`],
      ['accept an invite', 'SELECT sign_in_accept_invite(id) FROM account'],
    ],
  ],
  [
    'accountPool',
    [
      ...MONEY_OF_GATEWAYS,
      ['become a gateway', 'SET ROLE farebox_app'],
      ['become the worker', 'SET ROLE farebox_worker'],
      ['credit a payment', `SELECT payment_apply_event('e', 't', 'pay', NULL, 'c', 'p', NULL, 1, 'usd')`],
      ['read kept answers', 'SELECT answer FROM idempotency_claim'],
      ['give a charge back', 'SELECT ledger_refund(gen_random_uuid(), gen_random_uuid())'],
      ['wave a review through', `SELECT ledger_resolve_review(gen_random_uuid(), false, 'x', NULL)`],
      ['make a link that signs in', 'INSERT INTO sign_in_link SELECT * FROM sign_in_link'],
      ['put a job into the queue', 'SELECT * FROM bullmq.job'],
    ],
  ],
  [
    'workerPool',
    [
      ...CREDENTIALS,
      ...MONEY_OF_GATEWAYS,
      ['become a gateway', 'SET ROLE farebox_app'],
      ['become the account service', 'SET ROLE farebox_account'],
      ['read kept answers', 'SELECT answer FROM idempotency_claim'],
      ['read payments', 'SELECT * FROM stripe_event'],
    ],
  ],
])('whoever takes over the login of %s', (login, more) => {
  it.each([...FOR_NOBODY, ...more])('does not %s', async (_what, sql) => {
    await expect(db[login].query(sql)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
  });
});

it('the account service cannot move the keys and sessions that it makes to another account', async () => {
  await db.accountPool.query(NEW_SESSION);
  await db.accountPool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [victim.apiKeyId]);
  const { rows } = await db.pool.query('SELECT account_id FROM account_session');
  expect(rows).toEqual([{ account_id: victim.accountId }]);
  await expect(db.accountPool.query('UPDATE device SET account_id = $1', [uuidV7()])).rejects.toMatchObject({
    code: INSUFFICIENT_PRIVILEGE,
  });
});
