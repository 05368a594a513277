import { toNanoUsd } from '@farebox/money';
import { anAdmission, aUsage, openLedgerHarness, type LedgerHarness } from '../test/ledger-harness';
import { differencesAfter } from '../test/tampering';
import { endDay } from '../test/trial/pass-time';

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness();
});
afterAll(async () => {
  await harness.close();
});

type Customer = Awaited<ReturnType<LedgerHarness['givenCustomer']>>;

async function charge(customer: Customer, costNano: bigint): Promise<string> {
  const admission = anAdmission(customer, costNano);
  expect(await harness.ledger.admit(admission)).toEqual({ outcome: 'admitted' });
  const { holdId, accountId } = admission;
  await harness.ledger.settle({ holdId, accountId, usage: aUsage(costNano) });
  return holdId;
}

async function countersOf({ accountId, apiKeyId }: Customer) {
  const { rows } = await harness.db.pool.query<{
    requests: number;
    day: string;
    month: string;
    used: string;
  }>(
    `SELECT sum(d.requests)::int AS requests, sum(d.spent_nano)::text AS day,
            (SELECT sum(spent_nano)::text FROM api_key_month WHERE api_key_id = $2) AS month,
            (SELECT sum(cost_nano)::text FROM usage_hour WHERE account_id = $1) AS used
     FROM account_day d WHERE d.account_id = $1`,
    [accountId, apiKeyId],
  );
  return rows[0];
}

describe('a refund', () => {
  it("lowers the account's day and the key's month by its charge, once; usage stays as it is", async () => {
    const customer = await harness.givenCustomer(1_000n);
    const chargeId = await charge(customer, 30n);
    await charge(customer, 12n);
    expect(await countersOf(customer)).toEqual({ requests: 2, day: '42', month: '42', used: '42' });
    await Promise.all([1, 2, 3, 4].map(() => harness.ledger.refund(chargeId)));
    expect(await countersOf(customer)).toEqual({ requests: 2, day: '12', month: '12', used: '42' });
  });

  it('makes room below the limit of the key and the cap of the day', async () => {
    const customer = await harness.givenCustomer(1_000n);
    await harness.db.pool.query('UPDATE api_key SET monthly_spend_limit_nano = 50 WHERE id = $1', [
      customer.apiKeyId,
    ]);
    await harness.db.pool.query(
      'UPDATE account SET daily_spend_cap_nano = 50, daily_abandonment_nano = 100 WHERE id = $1',
      [customer.accountId],
    );
    const chargeId = await charge(customer, 50n);
    expect(await harness.ledger.admit(anAdmission(customer, 50n))).not.toEqual({ outcome: 'admitted' });
    await harness.ledger.refund(chargeId);
    await charge(customer, 50n);
  });

  it('lowers the day of its charge, not that of the refund', async () => {
    const customer = await harness.givenCustomer(1_000n);
    const chargeId = await charge(customer, 30n);
    const date = new Date().toISOString().slice(0, 10);
    const today = { day: 0, month: 0 };
    await endDay(harness.db.pool, { accountIds: [customer.accountId], date, today });
    await charge(customer, 12n);
    await harness.ledger.refund(chargeId);
    const { rows } = await harness.db.pool.query<{ spent: string }>(
      'SELECT spent_nano::text AS spent FROM account_day WHERE account_id = $1 ORDER BY day = $2 DESC',
      [customer.accountId, date],
    );
    expect(rows.map(({ spent }) => spent)).toEqual(['12', '0']);
  });

  it.each([
    ['day', 'UPDATE account_day SET spent_nano = spent_nano + 30', "account's day"],
    ['month', 'UPDATE api_key_month SET spent_nano = spent_nano + 30', "key's month"],
  ])('that did not lower the %s is found by the check of the books', async (_counter, sql, check) => {
    await harness.ledger.refund(await charge(await harness.givenCustomer(100n), 30n));
    const differences = await differencesAfter(harness.db, sql);
    expect(differences.map((difference) => difference.check)).toContainEqual(expect.stringContaining(check));
  });
});

describe('a request whose response nobody took', () => {
  it.each([
    ['number', 'UPDATE account_day SET abandoned_requests = abandoned_requests + 1'],
    ['cost', 'UPDATE account_day SET abandoned_nano = abandoned_nano + 1'],
    ['record', 'DELETE FROM abandoned_request'],
  ])('whose %s is not that of its day is found by the check of the books', async (_what, sql) => {
    const customer = await harness.givenCustomer(100n);
    const admission = anAdmission(customer, 30n);
    await harness.ledger.admit(admission);
    const { holdId, accountId } = admission;
    await harness.ledger.settle({ holdId, accountId, abandoned: { costNano: toNanoUsd(20n) } });
    const differences = await differencesAfter(harness.db, sql);
    expect(differences.map(({ check }) => check)).toContain(
      "an account's day counts what was abandoned of it",
    );
  });
});
