import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { takeCheckpoint, verifyLedger } from './verify';

// What the worker may do beyond every service (least-privilege.int.spec.ts), and what even it may not.

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

it('belongs to the services, and neither gateway nor account service belongs to it', async () => {
  const { rows } = await db.pool.query(
    `SELECT pg_has_role('farebox_worker', 'farebox_app', 'USAGE') AS worker_is_service,
            pg_has_role('farebox_app', 'farebox_worker', 'MEMBER') AS service_is_worker,
            pg_has_role('farebox_account', 'farebox_worker', 'MEMBER') AS account_is_worker,
            pg_has_role('farebox_worker', 'farebox_account', 'MEMBER') AS worker_is_account`,
  );
  expect(rows).toEqual([
    { worker_is_service: true, service_is_worker: false, account_is_worker: false, worker_is_account: false },
  ]);
});

it.each<[string, string, unknown]>([
  ['ledger_sweep', '10', 0],
  ['ledger_forget_gateways', `'1 day'`, 0],
  ['ledger_forget_answers', '10', 0],
  ['ledger_resolve_review', `gen_random_uuid(), true, 'policy', NULL`, 'no_such_review'],
  ['sign_in_forget', '10', 0],
  ['invoice_issue', `'2026-01-01'`, { issued: 0, postponed: 0 }],
])('%s does its work for it', async (name, args, answer) => {
  const { rows } = await db.workerPool.query<{ answer: unknown }>(
    `SELECT to_jsonb(answer) AS answer FROM ${name}(${args}) AS answer`,
  );
  expect({ answer: rows[0]?.answer }).toMatchObject({ answer });
});

it('checks the books, and notes that they were right', async () => {
  const verification = await verifyLedger(db.workerPool);
  expect(verification.differences).toEqual([]);
  await takeCheckpoint(db.workerPool, verification);
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
])('writes no row of %s', async (table) => {
  await expectRefused(`INSERT INTO ${table} SELECT * FROM ${table}`);
  await expectRefused(`DELETE FROM ${table}`);
});

it.each([
  ['changes a review by hand', `UPDATE billing_review SET state = 'charged'`],
  ['changes a number', 'UPDATE invoice_year SET last_sequence = 0'],
  ['gives an account access', `UPDATE account SET invite_status = 'active'`],
  ['tops up', `SELECT ledger_top_up(gen_random_uuid(), gen_random_uuid(), 1, 'card', 'x')`],
  ['adjusts', `SELECT ledger_adjust(gen_random_uuid(), gen_random_uuid(), 1, 'x', 'x', 'x')`],
  ['takes a payment back', `SELECT ledger_reverse(gen_random_uuid(), 1, 'x', 'x', 'x')`],
])('never %s', async (_, sql) => {
  await expectRefused(sql);
});
