import { uuidV7 } from '@farebox/auth';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { issueInvoices, listOpenMonths } from './invoices';

let db: TestDatabase;
let accountId: string;
let apiKeyId: string;
beforeEach(async () => {
  db = await createTestDatabase();
  accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  apiKeyId = await givenApiKey(db.pool, accountId);
});
afterEach(() => db.drop());

const openMonths = () => listOpenMonths(db.workerPool);
/** The start of the UTC month this many months ago. */
const startOf = (monthsAgo: number): Date => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 1));
};
const nameOf = (monthsAgo: number): string => startOf(monthsAgo).toISOString().slice(0, 10);
const charge = (at: Date) => givenPastCharge(db.pool, { accountId, apiKeyId, at });

/** Closed months from that one on. In the first hour of a month, the previous one is not closed. */
async function closedFrom(monthsAgo: number): Promise<string[]> {
  const { rows } = await db.pool.query<{ closed: boolean }>(
    `SELECT now() >= date_trunc('month', now(), 'UTC') + interval '1 hour' AS closed`,
  );
  const last = rows[0]?.closed === true ? 1 : 2;
  return Array.from({ length: monthsAgo - last + 1 }, (_, i) => nameOf(monthsAgo - i));
}

describe('months that may lack invoices', () => {
  it('are none if nobody was charged before this month', async () => {
    expect(await openMonths()).toEqual([]);
    await charge(new Date());
    expect(await openMonths()).toEqual([]);
  });

  it('are all months since the first charge, including those without charges, until they are complete', async () => {
    await charge(startOf(4));
    await charge(startOf(2));
    expect(await openMonths()).toEqual(await closedFrom(4));
    await issueInvoices(db.workerPool, nameOf(3));
    await issueInvoices(db.workerPool, nameOf(4));
    expect(await openMonths()).toEqual(await closedFrom(2));
  });

  it('stay open while a request that began in them is running, on any account', async () => {
    await charge(startOf(4));
    const other = await givenAccount(db.pool);
    await db.pool.query(
      `INSERT INTO hold (id, account_id, api_key_id, gateway_instance_id, amount_nano, model_id, price_version_id, request_id,
                         day, created_at)
       VALUES ($1, $2, $1, $1, 1, 'small', $1, 'req_1', $3::timestamptz, $3)`,
      [uuidV7(), other, startOf(3)],
    );
    for (const months of [4, 3]) {
      expect(await issueInvoices(db.workerPool, nameOf(months))).toMatchObject({ postponed: 0 });
    }
    expect(await openMonths()).toEqual(await closedFrom(3));
    await db.pool.query('DELETE FROM hold');
    await issueInvoices(db.workerPool, nameOf(3));
    expect(await openMonths()).toEqual(await closedFrom(2));
  });

  it('can be issued again by an operator: nothing is made twice, and the mark stays', async () => {
    await charge(startOf(4));
    expect(await issueInvoices(db.pool, nameOf(4))).toEqual({ issued: 1, postponed: 0 });
    const noted = await db.pool.query('SELECT * FROM invoice_month');
    expect(await issueInvoices(db.pool, nameOf(4))).toEqual({ issued: 0, postponed: 0 });
    expect((await db.pool.query('SELECT * FROM invoice_month')).rows).toEqual(noted.rows);
  });
});
