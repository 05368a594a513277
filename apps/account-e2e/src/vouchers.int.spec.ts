import { fundingList, fundingRecord, statementRecord, transactionList } from '@farebox/api';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { givenVoucherCode } from '../test/happy-paths';

let harness: AccountHarness;
let ada: Customer;
let eve: Customer;
beforeAll(async () => {
  harness = await openAccountHarness();
});
beforeEach(async () => {
  [ada, eve] = [await harness.givenCustomer(), await harness.givenCustomer()];
});
afterAll(() => harness.close());

const redeem = (customer: Customer, code: unknown) =>
  customer.send('POST', '/v1/billing/vouchers', { body: { code } });
const UNKNOWN = 'K7QM-2XRT-9ABC-DEFG-HJKM';
const REFUSED = { status: 400, code: 'invalid_request_error', param: 'code' } as const;

it('a voucher is on the balance, in transactions, statement and top-ups, without a receipt', async () => {
  const answer = await redeem(ada, await givenVoucherCode(harness.pool));
  expect(answer.status).toBe(200);
  const funding = fundingRecord.parse(answer.json);
  expect(funding).toMatchObject({ method: 'voucher', amount: '10.000000000', receipt_number: null });

  expect((await ada.send('GET', '/v1/billing/balance')).json).toMatchObject({ available: '10.000000000' });
  const entries = transactionList.parse((await ada.send('GET', '/v1/billing/transactions')).json);
  expect(entries.data).toMatchObject([
    { id: funding.transaction_id, type: 'top_up', amount: '10.000000000', balance_after: '10.000000000' },
  ]);
  const month = new Date().toISOString().slice(0, 'yyyy-mm'.length);
  const statement = statementRecord.parse((await ada.send('GET', `/v1/billing/statements/${month}`)).json);
  expect(statement.lines).toContainEqual(expect.objectContaining({ type: 'top_up', amount: '10.000000000' }));
  expect(fundingList.parse((await ada.send('GET', '/v1/billing/funding')).json).data).toEqual([funding]);
  expect((await ada.send('GET', '/v1/billing/receipts')).json).toMatchObject({ data: [] });
});

it('the same account gets the same response again, another one that of an unknown code', async () => {
  const code = await givenVoucherCode(harness.pool);
  const first = await redeem(ada, code);
  expect((await redeem(ada, ` ${code.toLowerCase().replaceAll('-', '')}`)).text).toBe(first.text);
  const refused = await redeem(eve, code);
  expectError(refused, REFUSED);
  for (const other of [UNKNOWN, 'SPRING-SALE', ''])
    expect((await redeem(eve, other)).text).toBe(refused.text);
  expect((await eve.send('GET', '/v1/billing/balance')).json).toMatchObject({ balance: '0.000000000' });
});

it.each([null, 7, ['x'], 'x'.repeat(101)])('%j is no code', async (code) => {
  expectError(await redeem(ada, code), REFUSED);
});

it('of twenty requests of two accounts at once, one account gets the amount, once', async () => {
  const code = await givenVoucherCode(harness.pool);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => redeem(i % 2 ? ada : eve, code)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(10);
  const balances = [];
  for (const customer of [ada, eve])
    balances.push(((await customer.send('GET', '/v1/billing/balance')).json as { balance: string }).balance);
  expect(balances.sort()).toEqual(['0.000000000', '10.000000000']);
});

it('an account that tries many codes must wait, even with the right one', async () => {
  let answer = await redeem(ada, UNKNOWN);
  for (let i = 0; i < 30 && answer.status === 400; i++) answer = await redeem(ada, UNKNOWN);
  expect(answer.json).toMatchObject({ error: { code: 'rate_limit_error' } });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect((await redeem(ada, await givenVoucherCode(harness.pool))).status).toBe(429);
  expect((await redeem(eve, await givenVoucherCode(harness.pool))).status).toBe(200);
});
