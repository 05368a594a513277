import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { verifyLedger } from './books/verify-ledger';

// Permissions of the worker, and their limits. The complete list: rights.int.spec.ts.

const INSUFFICIENT_PRIVILEGE = '42501';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  await givenAccount(db.pool, { balanceNano: 5n });
});
afterAll(async () => {
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

async function expectRefused(sql: string): Promise<void> {
  await expect(db.workerPool.query(sql)).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
}

it.each<[string, string, unknown]>([
  ['ledger_sweep', '10', 0],
  ['ledger_purge_gateways', `'1 day'`, 0],
  ['ledger_purge_answers', '10', 0],
  ['ledger_purge_kept_parts', '10', 0],
  ['ledger_resolve_review', `gen_random_uuid(), true, 'policy', NULL`, 'no_such_review'],
  ['ledger_purge_requests', '13, NULL, 10', { purged: 0, last_id: null }],
  ['ledger_purge_uncharged', '30, 10', 0],
  ['ledger_purge_abandoned', '10', 0],
  ['ledger_make_partition', '1', null],
  ['ledger_analyze_partitioned', '', ''],
  ['ledger_retire_partition', 'false', null],
  ['ledger_partition_reach', '', { rows_beyond: 0 }],
  ['ledger_day_to_close', '', null],
  ['ledger_sign_root', `'2026-01-01', NULL, NULL`, null],
  ['sign_in_purge', '10', 0],
  ['credential_event_purge', '365, 10', 0],
  ['mail_post_again', `'1 hour', 10`, 0],
  ['mail_purge', '10', 0],
  ['mail_find_low_balances', '10', 0],
  ['invoice_issue', `'2026-01-01'`, { issued: 0, postponed: 0 }],
])('%s does its work for it', async (name, args, answer) => {
  const { rows } = await db.workerPool.query<{ answer: unknown }>(
    `SELECT to_jsonb(answer) AS answer FROM ${name}(${args}) AS answer`,
  );
  expect({ answer: rows[0]?.answer }).toMatchObject({ answer });
});

it('takes from the outbox, records the result of a mail, and makes its link', async () => {
  const mailId = uuidV7();
  await db.pool.query(`SELECT mail_ask_link($1, 'ada@example.com', 'en', 'a hash')`, [mailId]);
  expect((await db.workerPool.query('SELECT id FROM outbox')).rows).toEqual([{ id: mailId }]);
  const taken = await db.workerPool.query(`SELECT id FROM outbox_take('{send-mail}', '{}', 10)`);
  expect(taken.rows).toEqual([{ id: mailId }]);
  await db.workerPool.query('SELECT * FROM mail FOR UPDATE');
  await db.workerPool.query(
    `UPDATE mail SET ended_at = now(), outcome = 'sent', address = NULL, account_id = NULL`,
  );
  await db.workerPool.query(
    `INSERT INTO sign_in_link (id, account_id, purpose, token_sha256, expires_at)
     SELECT $1, id, 'sign_in', sha256('x'), now() + interval '1 hour' FROM account RETURNING expires_at`,
    [uuidV7()],
  );
});

it('takes the recorded events of payments, and applies them', async () => {
  await db.accountPool.query(`SELECT payment_note_event('evt_1')`);
  await db.workerPool.query('UPDATE payment_notice SET attempts = 1, due_at = now() RETURNING *');
  const { rows } = await db.workerPool.query(
    `SELECT payment_apply_event('evt_1', 't', 'pay', $1, 'cs_2', 'pi_2', NULL, 1, 'usd') AS outcome`,
    [uuidV7()],
  );
  expect(rows).toEqual([{ outcome: 'unknown_checkout' }]);
  await db.workerPool.query('DELETE FROM payment_notice');
});

it('checks the books, and records that they were right', async () => {
  const verification = await verifyLedger(db.workerPool);
  expect(verification.differences).toEqual([]);
  expect((await db.pool.query('SELECT FROM ledger_checkpoint')).rowCount).toBe(1);
});

it.each([
  'account_funds',
  'adjustment',
  'funding',
  'hold',
  'ledger_entry',
  'usage_record',
  'billing_review',
  'invoice',
  'invoice_month',
  'receipt',
  'credit_note',
  'ledger_check',
  'ledger_check_round',
  'ledger_checkpoint_account',
  'usage_retention',
])('writes no row of %s', async (table) => {
  await expectRefused(`INSERT INTO ${table} SELECT * FROM ${table}`);
  await expectRefused(`DELETE FROM ${table}`);
});

it.each([
  ['changes a review by hand', `UPDATE billing_review SET state = 'charged'`],
  ['forgets requests by hand', 'UPDATE usage_retention SET purged_before = now()'],
  ['changes a number', 'UPDATE invoice_year SET last_sequence = 0'],
  ['gives an account access', `UPDATE account SET invite_status = 'active'`],
  ['posts a job', `INSERT INTO outbox (id, job, payload) VALUES (gen_random_uuid(), 'send-mail', '{}')`],
  ['deletes a job that was posted', 'DELETE FROM outbox'],
  [
    'posts a mail',
    `INSERT INTO mail (id, kind, address) VALUES (gen_random_uuid(), 'sign_in', 'a@b.example')`,
  ],
  ['deletes a mail', 'DELETE FROM mail'],
  ['reads the links that sign in', 'SELECT token_sha256 FROM sign_in_link'],
  ['spends a link', 'UPDATE sign_in_link SET used_at = now()'],
  ["changes an account's threshold", 'UPDATE account SET low_balance_nano = 1'],
  ['switches automatic top-up on', `SELECT top_up_switch_on(gen_random_uuid(), 1, 1, 1, 'x')`],
  ['saves a card by itself', 'DELETE FROM saved_card'],
  ['ends an attempt by itself', `UPDATE top_up_attempt SET state = 'succeeded'`],
  ['notes an event of a payment', `SELECT payment_note_event('evt_2')`],
  ['tops up', `SELECT ledger_top_up(gen_random_uuid(), gen_random_uuid(), 1, 'card', 'x')`],
  ['adjusts', `SELECT ledger_adjust(gen_random_uuid(), gen_random_uuid(), 1, 'x', 'x', 'x')`],
  ['takes a payment back', `SELECT ledger_reverse(gen_random_uuid(), 1, 'x', 'x', 'x')`],
])('never %s', async (_, sql) => {
  await expectRefused(sql);
});
