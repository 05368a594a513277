import { statementList, statementRecord, transactionList, type StatementRecord } from '@farebox/api';
import { fromDecimalUsd } from '@farebox/money';
import { givenApiKey, givenPastCharge, givenPastRefund } from '@farebox/testing';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { AS_CSV } from '../test/usage-fixtures';

let harness: AccountHarness;
let ada: Customer;
const PATH = '/v1/billing/statements';

/** A top-up in January, charges in January, February and April, one of which is refunded in February. */
beforeAll(async () => {
  harness = await openAccountHarness();
  ada = await harness.givenCustomer();
  const { accountId } = ada;
  const apiKeyId = await givenApiKey(harness.pool, accountId);
  await harness.pool.query(
    `WITH given AS (
       INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
       VALUES (gen_random_uuid(), $1, 'manual', 'first', 25000000000, '2026-01-01T00:00:00Z') RETURNING *)
     SELECT ledger_append(id, account_id, 'top_up', 'funding', 'customer', amount_nano, NULL, created_at) FROM given`,
    [accountId],
  );
  const charge = (at: string, costNano: bigint) =>
    givenPastCharge(harness.pool, { accountId, apiKeyId, at: new Date(at), costNano });
  await charge('2026-01-31T23:59:59.999Z', 10_500n);
  const chargeId = await charge('2026-02-01T00:00:00Z', 2_000n);
  await givenPastRefund(harness.pool, { accountId, chargeId, at: new Date('2026-02-28T23:59:59Z') });
  await charge('2026-04-01T00:00:00Z', 1n);
});
afterAll(async () => {
  await harness.close();
});

async function statementOf(month: string): Promise<StatementRecord> {
  return statementRecord.parse((await ada.send('GET', `${PATH}/${month}`)).json);
}

describe('GET /v1/billing/statements/{month}', () => {
  it('says what changed the balance from the beginning of the month to its end', async () => {
    expect(await statementOf('2026-02')).toEqual({
      object: 'statement',
      month: '2026-02',
      status: 'closed',
      starts_at: Date.UTC(2026, 1, 1) / 1_000,
      ends_at: Date.UTC(2026, 2, 1) / 1_000,
      currency: 'usd',
      opening_balance: '24.999989500',
      lines: [
        { type: 'top_up', transactions: 0, amount: '0.000000000' },
        { type: 'charge', transactions: 1, amount: '-0.000002000' },
        { type: 'refund', transactions: 1, amount: '0.000002000' },
        { type: 'credit', transactions: 0, amount: '0.000000000' },
        { type: 'debit', transactions: 0, amount: '0.000000000' },
      ],
      closing_balance: '24.999989500',
    });
  });

  it.each(['2026-01', '2026-02', '2026-03', '2026-04'])(
    'has the sums of the transactions of %s',
    async (month) => {
      const { lines, opening_balance, closing_balance, starts_at, ends_at } = await statementOf(month);
      const range = `start=${String(starts_at)}&end=${String(ends_at)}`;
      const answer = await ada.send('GET', `/v1/billing/transactions?${range}&limit=100`);
      const { data } = transactionList.parse(answer.json);
      for (const { type, transactions, amount } of lines) {
        const of = data.filter((entry) => entry.type === type);
        expect(of).toHaveLength(transactions);
        expect(of.reduce((sum, entry) => sum + nano(entry.amount), 0n)).toBe(nano(amount));
      }
      expect(data[0]?.balance_after ?? opening_balance).toBe(closing_balance);
      expect(lines.reduce((sum, { amount }) => sum + nano(amount), nano(opening_balance))).toBe(
        nano(closing_balance),
      );
    },
  );

  it('is CSV if asked for, whose amounts add up to the closing balance', async () => {
    const { text, headers } = await ada.send('GET', `${PATH}/2026-01`, AS_CSV);
    expect(headers['content-disposition']).toBe('attachment; filename="farebox-statement-2026-01.csv"');
    expect(text.split('\r\n')).toEqual([
      'month,line,transactions,amount,currency',
      '2026-01,opening_balance,,0.000000000,usd',
      '2026-01,top_up,1,25.000000000,usd',
      '2026-01,charge,1,-0.000010500,usd',
      '2026-01,refund,0,0.000000000,usd',
      '2026-01,credit,0,0.000000000,usd',
      '2026-01,debit,0,0.000000000,usd',
      '2026-01,closing_balance,,24.999989500,usd',
      '',
    ]);
    expect((await ada.send('GET', `${PATH}/2026-01?format=csv`)).text).toBe(text);
  });

  it.each(['2025-12', '2999-01', '2026-13', '2026', 'x', '2026-01-01'])(
    'does not exist for %s',
    async (month) => {
      const missing = { status: 404, code: 'invalid_request_error', param: 'month' } as const;
      expectError(await ada.send('GET', `${PATH}/${month}`), missing);
    },
  );

  it('does not exist for an account without transactions', async () => {
    const eve = await harness.givenCustomer();
    const missing = { status: 404, code: 'invalid_request_error', param: 'month' } as const;
    expectError(await eve.send('GET', `${PATH}/2026-01`), missing);
    expect(statementList.parse((await eve.send('GET', PATH)).json).data).toEqual([]);
  });
});

describe('GET /v1/billing/statements', () => {
  it('lists each month since the first transaction, newest first, the present one open', async () => {
    const { data, has_more } = statementList.parse((await ada.send('GET', `${PATH}?limit=100`)).json);
    expect(has_more).toBe(false);
    expect(data.at(-1)).toEqual(await statementOf('2026-01'));
    expect(data[0]?.month).toBe(new Date().toISOString().slice(0, 7));
    expect(data.map(({ status }) => status)).toEqual(data.map((_, i) => (i === 0 ? 'open' : 'closed')));
    for (const [i, { opening_balance }] of data.slice(0, -1).entries())
      expect(data[i + 1]?.closing_balance).toBe(opening_balance);
  });

  it('goes on after a month', async () => {
    const page = statementList.parse((await ada.send('GET', `${PATH}?after=2026-04&limit=2`)).json);
    expect([page.data.map(({ month }) => month), page.has_more]).toEqual([['2026-03', '2026-02'], true]);
    const last = statementList.parse((await ada.send('GET', `${PATH}?after=2026-02`)).json);
    expect([last.data.map(({ month }) => month), last.has_more]).toEqual([['2026-01'], false]);
    const refused = { status: 400, code: 'invalid_request_error', param: 'after' } as const;
    expectError(await ada.send('GET', `${PATH}?after=2026-1`), refused);
  });
});

const nano = (amount: string): bigint =>
  amount.startsWith('-') ? 0n - fromDecimalUsd(amount.slice(1)) : fromDecimalUsd(amount);
