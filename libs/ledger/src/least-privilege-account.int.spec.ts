import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { verifyLedger } from './books/verify-ledger';

// Permissions of the account service, and their limits. The complete list: rights.int.spec.ts.

const INSUFFICIENT_PRIVILEGE = '42501';

let db: TestDatabase;
let accountId: string;
beforeAll(async () => {
  db = await createTestDatabase();
  accountId = await givenAccount(db.pool, { balanceNano: 5n });
});
afterAll(async () => {
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

async function expectRefused(sql: string): Promise<void> {
  await expect(db.accountPool.query(sql)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
}

it('reads invoices and begins checkouts', async () => {
  await db.accountPool.query('SELECT * FROM invoice JOIN invoice_line USING (account_id, month)');
  const id = uuidV7();
  await db.accountPool.query('INSERT INTO checkout (id, account_id, amount_nano) VALUES ($1, $2, 10000000)', [
    id,
    accountId,
  ]);
  await db.accountPool.query(`UPDATE checkout SET stripe_session_id = 'cs_1' WHERE id = $1`, [id]);
  expect((await db.accountPool.query('SELECT status FROM checkout')).rows).toEqual([{ status: 'open' }]);
});

it('records which events Stripe has delivered, which moves nothing', async () => {
  const { rows } = await db.accountPool.query(`SELECT payment_note_event('evt_1') AS outcome`);
  expect(rows).toEqual([{ outcome: 'noted' }]);
  expect((await db.pool.query('SELECT * FROM stripe_event')).rows).toEqual([]);
});

it('asks for a mail with a link to sign in, and for no other mail or job', async () => {
  await db.accountPool.query(`SELECT mail_ask_link($1, 'ada@example.com', 'de', 'a hash')`, [uuidV7()]);
  // As a service of the version before asks.
  await db.accountPool.query(`SELECT mail_ask_sign_in($1, 'ada@example.com')`, [uuidV7()]);
  const { rows } = await db.pool.query(
    'SELECT kind, job, language FROM mail JOIN outbox USING (id) ORDER BY id',
  );
  const asked = { kind: 'sign_in', job: 'send-mail' };
  expect(rows).toEqual([
    { ...asked, language: 'de' },
    { ...asked, language: null },
  ]);
});

it('spends links that sign in, counts attempts, and accepts an invite', async () => {
  await db.accountPool.query('UPDATE sign_in_link SET used_at = now()');
  await db.accountPool.query(`INSERT INTO sign_in_throttle VALUES (sha256('x'), now())`);
  await db.accountPool.query('UPDATE sign_in_throttle SET recovered_at = now()');
  for (const [before, after] of [
    ['invited', 'active'],
    ['none', 'none'],
    ['suspended', 'suspended'],
    ['active', 'active'],
  ]) {
    await db.pool.query('UPDATE account SET invite_status = $2::invite_status WHERE id = $1', [
      accountId,
      before,
    ]);
    const { rows } = await db.accountPool.query('SELECT sign_in_accept_invite($1) AS status', [accountId]);
    expect(rows).toEqual([{ status: after }]);
  }
});

it.each(['account_funds', 'adjustment', 'funding', 'hold', 'ledger_entry', 'usage_record', 'account'])(
  'writes no row of %s',
  async (table) => {
    await expectRefused(`INSERT INTO ${table} SELECT * FROM ${table}`);
    await expectRefused(`DELETE FROM ${table}`);
  },
);

it.each([
  ['marks a checkout as paid', `UPDATE checkout SET status = 'paid'`],
  ['changes the amount of a checkout', 'UPDATE checkout SET amount_nano = 1'],
  [
    'begins with a paid one',
    `INSERT INTO checkout (id, account_id, amount_nano, status) VALUES (gen_random_uuid(), gen_random_uuid(), 1, 'paid')`,
  ],
  ['deletes a checkout', 'DELETE FROM checkout'],
  [
    'applies a payment that it invents',
    `SELECT payment_apply_event('evt_1', 't', 'pay', gen_random_uuid(), 'cs_2', 'pi_2', NULL, 1, 'usd')`,
  ],
  [
    'saves a card that it invents',
    `SELECT payment_save_card(gen_random_uuid(), 'cs_2', 'cus_2', 'pm_2', 'visa', '4242', 1, 2030)`,
  ],
  ['reads which card Stripe is asked to charge', 'SELECT stripe_payment_method_id FROM saved_card'],
  ['begins an automatic top-up', 'SELECT top_up_begin(1)'],
  ['changes one', `UPDATE top_up_attempt SET state = 'succeeded'`],
  ['changes the order behind its customer', 'UPDATE auto_top_up SET is_on = true'],
  ['changes its own record', `UPDATE payment_notice SET event_id = 'evt_2'`],
  ['reads events of Stripe', 'SELECT * FROM stripe_event'],
  ['deletes events of Stripe', 'DELETE FROM stripe_event'],
  ['changes an invoice', 'UPDATE invoice SET total_nano = 0'],
  ['writes an invoice', 'INSERT INTO invoice_line SELECT * FROM invoice_line'],
  ['makes a voucher', 'INSERT INTO voucher SELECT * FROM voucher'],
  ['reads the hash of a code', 'SELECT code_sha256 FROM voucher'],
  ['writes a receipt', 'INSERT INTO receipt SELECT * FROM receipt'],
  ['changes a receipt', 'UPDATE receipt SET account_name = account_name'],
  ['writes a credit note', 'INSERT INTO credit_note SELECT * FROM credit_note'],
  ['says who sells', 'UPDATE seller SET legal_name = legal_name'],
  ['gives the details of an account to another', 'UPDATE billing_details SET account_id = gen_random_uuid()'],
  ['changes a number', 'UPDATE invoice_year SET last_sequence = 0'],
  ['raises a cap', 'UPDATE account SET daily_spend_cap_nano = 1'],
  ['moves an account to another cohort', `UPDATE account SET cohort_name = 'x'`],
  ['takes an account over', `UPDATE account SET email = 'eve@example.com'`],
  ['gives an account access', `UPDATE account SET invite_status = 'active'`],
  [
    'makes a link',
    `INSERT INTO sign_in_link (id, account_id, purpose, token_sha256, expires_at)
     VALUES (gen_random_uuid(), gen_random_uuid(), 'sign_in', sha256('x'), now() + interval '1 hour')`,
  ],
  [
    'posts a job',
    `INSERT INTO outbox (id, job, payload) VALUES (gen_random_uuid(), 'reconcile-charge', '{}')`,
  ],
  [
    'posts a mail',
    `INSERT INTO mail (id, kind, address) VALUES (gen_random_uuid(), 'sign_in', 'a@b.example')`,
  ],
  ['reads who asked for a link', 'SELECT * FROM mail'],
  ['takes from the outbox', `SELECT outbox_take('{}', '{}', 1)`],
  ['makes a link live longer', `UPDATE sign_in_link SET expires_at = now() + interval '1 year'`],
  ["makes a link another account's", 'UPDATE sign_in_link SET account_id = gen_random_uuid()'],
  ['deletes a link', 'DELETE FROM sign_in_link'],
  ['deletes counted attempts', 'DELETE FROM sign_in_throttle'],
  ['forgives a debt', 'UPDATE reversal SET taken_nano = amount_nano'],
  ['tops up by itself', `SELECT ledger_top_up(gen_random_uuid(), gen_random_uuid(), 1, 'card', 'x')`],
  ['adjusts by itself', `SELECT ledger_adjust(gen_random_uuid(), gen_random_uuid(), 1, 'x', 'x', 'x')`],
  ['reverses by itself', `SELECT ledger_reverse(gen_random_uuid(), 1, 'x', 'x', 'x')`],
  ['wins a dispute by itself', `SELECT dispute_close_by_hand(gen_random_uuid(), 'won', 'x')`],
  ['gives a reversal back by itself', `SELECT ledger_reinstate('x', 'x')`],
])('never %s', async (_, sql) => {
  await expectRefused(sql);
});
