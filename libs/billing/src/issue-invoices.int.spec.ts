import { uuidV7 } from '@farebox/auth';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  givenPastRefund,
  type PastCharge,
  type TestDatabase,
} from '@farebox/testing';
import fc from 'fast-check';
import { listCreditNotes } from './credit-notes';
import {
  findInvoice,
  issueInvoices,
  listInvoices,
  listIssuedInvoices,
  MonthNotClosedError,
} from './invoices';
import { setSeller } from './parties';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

interface Customer {
  accountId: string;
  apiKeyId: string;
  charge(at: string, more?: Partial<PastCharge>): Promise<string>;
}

async function givenCustomer(): Promise<Customer> {
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000_000n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  const charge: Customer['charge'] = (at, more = {}) =>
    givenPastCharge(db.pool, { accountId, apiKeyId, at: new Date(at), ...more });
  return { accountId, apiKeyId, charge };
}

const issue = (month: string) => issueInvoices(db.workerPool, month);
const invoicesOf = ({ accountId }: Customer) => listInvoices(db.accountPool, accountId, { limit: 100 });
async function linesOf({ accountId }: Customer, number: string) {
  const invoice = await findInvoice(db.accountPool, accountId, number);
  return invoice?.lines.map(({ kind, modelId, requests, promptTokens, completionTokens, amountNano }) =>
    [kind, modelId, requests, promptTokens, completionTokens, amountNano].join(' '),
  );
}
async function numbers(): Promise<string[]> {
  const issued = await listIssuedInvoices(db.pool, { limit: 1_000 });
  return issued.map(({ number }) => number).reverse();
}

describe('the invoices of a month', () => {
  it('have a line per model, and add up to the charges of the UTC month', async () => {
    const ada = await givenCustomer();
    await ada.charge('2026-01-31T23:59:59.999Z', { costNano: 1n });
    await ada.charge('2026-02-01T00:00:00Z', { costNano: 10n });
    await ada.charge('2026-02-14T08:00:00Z', { modelId: 'large', costNano: 700n, promptTokens: 5 });
    await ada.charge('2026-02-28T23:59:59.999Z', { costNano: 20n, completionTokens: 7 });
    await ada.charge('2026-03-01T00:00:00Z', { costNano: 5_000n });
    expect(await issue('2026-02-01')).toEqual({ issued: 1, postponed: 0 });

    const [invoice] = await invoicesOf(ada);
    expect(invoice).toMatchObject({
      number: 'INV-2026-000001',
      month: '2026-02-01',
      accountName: 'Ada',
      accountEmail: `${ada.accountId}@example.com`,
      totalNano: 730n,
      topUpsNano: 0n,
    });
    expect(await linesOf(ada, 'INV-2026-000001')).toEqual([
      'usage large 1 5 20 700',
      'usage small 2 20 27 30',
    ]);
  });

  it('leave out accounts without charges, but list the free models of the others', async () => {
    const [ada, bob] = [await givenCustomer(), await givenCustomer()];
    await ada.charge('2026-02-01T00:00:00Z', { modelId: 'free', costNano: 0n });
    await bob.charge('2026-02-01T00:00:00Z', { modelId: 'free', costNano: 0n });
    await bob.charge('2026-02-01T00:00:00Z');
    expect(await issue('2026-02-01')).toEqual({ issued: 1, postponed: 0 });
    expect(await linesOf(bob, 'INV-2026-000001')).toEqual([
      'usage free 1 10 20 0',
      'usage small 1 10 20 100',
    ]);
  });

  it('count a refund in the month in which it was made, on a credit note if the charge is on an invoice', async () => {
    const ada = await givenCustomer();
    const [early, late] = [
      await ada.charge('2026-02-01T00:00:00Z'),
      await ada.charge('2026-02-28T00:00:00Z'),
    ];
    const { accountId } = ada;
    await givenPastRefund(db.pool, { accountId, chargeId: early, at: new Date('2026-02-02T00:00:00Z') });
    await givenPastRefund(db.pool, { accountId, chargeId: late, at: new Date('2026-03-01T00:00:00Z') });
    await issue('2026-02-01');
    await issue('2026-03-01');
    expect((await invoicesOf(ada)).map(({ month, totalNano }) => [month, totalNano])).toEqual([
      ['2026-02-01', 100n],
    ]);
    expect(await linesOf(ada, 'INV-2026-000001')).toEqual([
      'usage small 2 20 40 200',
      'refund small 1 10 20 -100',
    ]);
    const notes = await listCreditNotes(db.accountPool, accountId, { limit: 9 });
    expect(notes).toMatchObject([
      { invoiceNumber: 'INV-2026-000001', month: '2026-03-01', amountNano: 100n },
    ]);
  });

  it('include the top-ups of the month', async () => {
    const ada = await givenCustomer();
    await ada.charge('2026-02-01T00:00:00Z');
    for (const [amount, at] of [
      [3, '2026-01-31T23:59:59Z'],
      [5, '2026-02-01T00:00:00Z'],
      [7, '2026-02-20T00:00:00Z'],
    ] as const) {
      await db.pool.query(
        `INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
         VALUES ($1::uuid, $2, 'manual', $1::text, $3, $4)`,
        [uuidV7(), ada.accountId, amount, at],
      );
    }
    await issue('2026-02-01');
    expect(await invoicesOf(ada)).toMatchObject([{ topUpsNano: 12n }]);
  });

  it('keep the name and e-mail of the time of issue', async () => {
    const ada = await givenCustomer();
    await ada.charge('2026-02-01T00:00:00Z');
    await issue('2026-02-01');
    await db.pool.query(`UPDATE account SET name = 'Countess', email = 'new@example.com'`);
    expect(await invoicesOf(ada)).toMatchObject([{ accountName: 'Ada' }]);
  });

  it('keep the billing details of buyer and seller of the time of issue', async () => {
    const ada = await givenCustomer();
    await ada.charge('2026-02-01T00:00:00Z');
    await ada.charge('2026-03-01T00:00:00Z');
    await issue('2026-02-01');
    const set = (name: string) =>
      db.accountPool.query(
        `INSERT INTO billing_details (account_id, legal_name, country) VALUES ($1, $2, 'GB')
         ON CONFLICT (account_id) DO UPDATE SET legal_name = excluded.legal_name`,
        [ada.accountId, name],
      );
    const seller = {
      ...{ legal_name: 'Acme', address: 'Weg 1\nBerlin', country: 'DE', tax_id: null },
      ...{ billing_email: 'billing@acme.example' },
    };
    await set('Engines Ltd');
    await setSeller(db.pool, seller);
    await issue('2026-03-01');
    await set('Other Ltd');
    await setSeller(db.pool, { ...seller, legal_name: 'Successor' });
    expect(await invoicesOf(ada)).toMatchObject([
      { buyer: { legal_name: 'Engines Ltd', country: 'GB', purchase_order: null }, seller },
      { buyer: null, seller: null },
    ]);
  });

  it('wait for running requests of the month, and are issued by the next call', async () => {
    const [ada, bob] = [await givenCustomer(), await givenCustomer()];
    await ada.charge('2026-02-01T00:00:00Z');
    await bob.charge('2026-02-01T00:00:00Z');
    await db.pool.query(
      `INSERT INTO hold (id, account_id, api_key_id, gateway_instance_id, amount_nano, model_id, price_version_id, request_id,
                         day, created_at)
       VALUES ($1, $2, $3, $1, 1, 'small', $1, 'req_1', '2026-02-28', '2026-02-28T23:59:59Z')`,
      [uuidV7(), ada.accountId, ada.apiKeyId],
    );
    expect(await issue('2026-02-01')).toEqual({ issued: 1, postponed: 1 });
    await db.pool.query('DELETE FROM hold');
    expect(await issue('2026-02-01')).toEqual({ issued: 1, postponed: 0 });
    expect(await invoicesOf(ada)).toMatchObject([{ number: 'INV-2026-000002' }]);
  });

  it('are refused before the month is closed', async () => {
    const { rows } = await db.pool.query<{ month: string }>(
      `SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date::text AS month`,
    );
    await expect(issue(rows[0]?.month ?? '')).rejects.toThrow(MonthNotClosedError);
    await expect(issue('2099-01-01')).rejects.toThrow(MonthNotClosedError);
    await expect(issue('2026-02-02')).rejects.toThrow('named by its first day');
  });
});

describe('invoice numbers', () => {
  it('have no gap and no duplicate for any number of callers, and restart each year', async () => {
    const customers = await Promise.all(Array.from({ length: 12 }, givenCustomer));
    for (const [i, customer] of customers.entries()) {
      await customer.charge('2025-12-31T23:59:59Z');
      if (i % 2 === 0) await customer.charge('2026-01-01T00:00:00Z');
    }
    const months = ['2025-12-01', '2026-01-01', '2025-12-01', '2025-12-01', '2026-01-01'];
    const answers = await Promise.all(months.map(issue));
    expect(answers.reduce((sum, { issued }) => sum + issued, 0)).toBe(18);
    const count = (year: string, to: number) =>
      Array.from({ length: to }, (_, i) => `INV-${year}-${String(i + 1).padStart(6, '0')}`);
    expect(await numbers()).toEqual([...count('2025', 12), ...count('2026', 6)]);
  });

  it('have no gap after a failed call', async () => {
    const ada = await givenCustomer();
    await ada.charge('2026-02-01T00:00:00Z');
    const client = await db.pool.connect();
    await client.query('BEGIN');
    await issueInvoices(client, '2026-02-01');
    await client.query('ROLLBACK');
    client.release();
    await issue('2026-02-01');
    expect(await numbers()).toEqual(['INV-2026-000001']);
  });
});

it('every invoice is the sum of its lines, and less the credit notes equals the charges minus the refunds of its month', async () => {
  const charge = fc.record({
    day: fc.integer({ min: 1, max: 59 }),
    modelId: fc.constantFrom('small', 'large', 'other'),
    costNano: fc.bigInt({ min: 0n, max: 900n }),
    refundedAfterDays: fc.option(fc.integer({ min: 0, max: 40 })),
  });
  const timeOf = (day: number): Date => new Date(Date.UTC(2024, 0, day, 12));
  await fc.assert(
    fc.asyncProperty(fc.array(charge, { maxLength: 12 }), async (charges) => {
      const customer = await givenCustomer();
      for (const { day, refundedAfterDays, ...more } of charges.sort((a, b) => a.day - b.day)) {
        const { accountId } = customer;
        const chargeId = await customer.charge(timeOf(day).toISOString(), more);
        if (refundedAfterDays === null) continue;
        await givenPastRefund(db.pool, { accountId, chargeId, at: timeOf(day + refundedAfterDays) });
      }
      for (const month of ['2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01']) await issue(month);

      const { rows } = await db.pool.query<{ month: string; total: string }>(
        `SELECT date_trunc('month', created_at AT TIME ZONE 'UTC')::date::text AS month,
                sum(CASE kind WHEN 'charge' THEN amount_nano ELSE -amount_nano END)::text AS total
         FROM ledger_entry WHERE account_id = $1 AND kind IN ('charge', 'refund') GROUP BY 1 ORDER BY 1`,
        [customer.accountId],
      );
      const invoices = await invoicesOf(customer);
      const notes = await listCreditNotes(db.accountPool, customer.accountId, { limit: 100 });
      const totals = new Map<string, bigint>(invoices.map(({ month, totalNano }) => [month, totalNano]));
      for (const { month, amountNano } of notes)
        totals.set(month ?? '', (totals.get(month ?? '') ?? 0n) - amountNano);
      const found = [...totals].map(([month, total]) => ({ month, total: String(total) }));
      expect(found.sort((a, b) => (a.month < b.month ? -1 : 1))).toEqual(rows);
      for (const { number, totalNano } of invoices) {
        const lines = (await findInvoice(db.accountPool, customer.accountId, number))?.lines ?? [];
        expect(lines.length).toBeGreaterThan(0);
        expect(lines.reduce((sum, { amountNano }) => sum + amountNano, 0n)).toBe(totalNano);
      }
    }),
    { numRuns: 30 },
  );
});
