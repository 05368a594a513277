import { uuidV7 } from '@farebox/auth';
import { HOUR_MS } from '@farebox/flow';
import { toNanoUsd } from '@farebox/money';
import { anAdmission, aUsage, openLedgerHarness, type LedgerHarness } from '../test/ledger-harness';
import { topUp } from './account-funds';
import { listEntries } from './ledger-entries';
import { openReview, resolveReview } from './reviews';

// After a failover the clock of the database may be behind that of the earlier server, so that its records are in
// what is now the future.

let harness: LedgerHarness;
beforeEach(async () => {
  harness = await openLedgerHarness();
});
afterEach(async () => {
  await harness.close();
});

type Customer = Awaited<ReturnType<LedgerHarness['givenCustomer']>>;

async function charge(customer: Customer): Promise<string> {
  const admission = anAdmission(customer, 10n);
  await harness.ledger.admit(admission);
  const { holdId, accountId } = admission;
  expect(await harness.ledger.settle({ holdId, accountId, usage: aUsage(10n) })).toBe('resolved');
  return holdId;
}

/** A top-up that the earlier server recorded at this time. */
async function topUpAt({ accountId }: Customer, at: Date): Promise<void> {
  const id = uuidV7();
  await harness.db.pool.query(
    `INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at) VALUES ($1, $2, 'x', 'before', 9, $3)`,
    [id, accountId, at],
  );
  await harness.db.pool.query(`SELECT ledger_append($1, $2, 'top_up', 'funding', 'customer', 9, NULL, $3)`, [
    ...[id, accountId, at],
  ]);
}

async function reviewed(customer: Customer): Promise<void> {
  const { accountId } = customer;
  const admission = anAdmission(customer, 10n);
  await harness.ledger.admit(admission);
  const { holdId } = admission;
  await openReview(harness.db.servicePool, { holdId, accountId, usage: aUsage(10n) });
  await resolveReview(harness.db.pool, holdId, { resolution: 'charge', resolvedBy: 'ada' });
}

async function timesOf({ accountId }: Customer, table: string): Promise<Date[]> {
  const { rows } = await harness.db.pool.query<{ at: Date }>(
    `SELECT created_at AS at FROM ${table} WHERE account_id = $1 ORDER BY created_at`,
    [accountId],
  );
  return rows.map(({ at }) => at);
}

it('entries stay in the order of time, whatever wrote them, and a list by time has them all', async () => {
  const customer = await harness.givenCustomer(1_000n);
  const { accountId } = customer;
  const failoverAt = new Date(Date.now() + HOUR_MS);
  await topUpAt(customer, failoverAt);
  const chargeId = await charge(customer);
  await charge(customer);
  await harness.ledger.refund(chargeId);
  await topUp(harness.db.pool, { accountId, amountNano: toNanoUsd(1n), method: 'x', reference: 'after' });
  await reviewed(customer);

  const { rows } = await harness.db.pool.query<{ seq: string }>(
    'SELECT seq FROM ledger_entry WHERE account_id = $1 ORDER BY created_at, seq',
    [accountId],
  );
  expect(rows.map(({ seq }) => seq)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  const listed = await listEntries(harness.db.accountPool, accountId, { limit: 20, start: failoverAt });
  expect(listed).toHaveLength(6);
  expect(await listEntries(harness.db.accountPool, accountId, { limit: 20, end: failoverAt })).toHaveLength(
    1,
  );
});

it('nothing is recorded in hours that have been summed', async () => {
  const summedBefore = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS);
  await harness.db.pool.query('UPDATE usage_sum_state SET summed_before = $1, closing_before = $1', [
    summedBefore,
  ]);
  const customer = await harness.givenCustomer(100n);
  await charge(customer);
  await reviewed(customer);
  for (const at of await timesOf(customer, 'usage_record')) {
    expect(at.getTime()).toBeGreaterThanOrEqual(summedBefore.getTime());
  }
});

it('nothing is recorded in a month whose invoices are all made', async () => {
  const now = new Date();
  const month = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
  await harness.db.pool.query('INSERT INTO invoice_month (month, completed_at) VALUES ($1::date, now())', [
    month(0).toISOString(),
  ]);
  const customer = await harness.givenCustomer(100n);
  await charge(customer);
  const [at] = await timesOf(customer, 'usage_record');
  expect(at?.getTime()).toBeGreaterThanOrEqual(month(1).getTime());
});
