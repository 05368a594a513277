import { toNanoUsd } from '@farebox/money';
import { givenAccount, givenApiKey } from '@farebox/testing';
import { anAdmission, aUsage, openLedgerHarness, type LedgerHarness } from '../test/ledger-harness';
import { readBalance } from './account-funds';
import type { AdmissionResult } from './hold';
import { readQuote, type Quote } from './quote';

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness();
});
afterAll(async () => {
  await harness.close();
});

interface Customer {
  accountId: string;
  apiKeyId: string;
}

async function quote(customer: Customer, ...amountsNano: bigint[]): Promise<Quote> {
  const quoted = await readQuote(harness.db.servicePool, {
    ...{ ...customer, apiKeyVersion: 1, cohortName: 'beta' },
    amountsNano: amountsNano.map(toNanoUsd),
  });
  if (!quoted) throw new Error('the key is the account’s');
  return quoted;
}

const admit = (customer: Customer, amountNano: bigint): Promise<AdmissionResult> =>
  harness.ledger.admit(anAdmission(customer, amountNano));

it('shows the held amount, its holders, and the spent part of each limit', async () => {
  const accountId = await givenAccount(harness.db.pool, { balanceNano: 1_000n, dailySpendCapNano: 900n });
  const apiKeyId = await givenApiKey(harness.db.pool, accountId, { monthlySpendLimitNano: 800n });
  const customer = { accountId, apiKeyId };
  const charged = anAdmission(customer, 100n);
  await harness.ledger.admit(charged);
  await harness.ledger.settle({ ...charged, usage: aUsage(30n) });
  for (const amount of [10n, 20n]) expect((await admit(customer, amount)).outcome).toBe('admitted');
  expect(await quote(customer, 770n, 5n)).toEqual({
    ...{ outcome: 'admitted', limits: undefined, amountNano: 5n, balanceNano: 970n, heldNano: 30n },
    ...{ running: 2, runningNano: 30n, at: expect.any(Date) as Date },
    day: { mostNano: 900n, spentNano: 30n, heldNano: 30n, requests: 3, mostRequests: 10_000 },
    keyMonth: { mostNano: 800n, spentNano: 30n, heldNano: 30n },
  });
  // It holds nothing.
  expect((await readBalance(harness.db.pool, accountId)).heldNano).toBe(30n);
});

it.each([
  ['the balance', { balanceNano: 99n }, {}, 'insufficient_funds'],
  ['the daily cap of spending', { balanceNano: 999n, dailySpendCapNano: 99n }, {}, 'daily_spend_cap'],
  ['the daily cap of requests', { balanceNano: 999n, dailyRequestCap: 0 }, {}, 'daily_request_cap'],
  ["the key's month", { balanceNano: 999n }, { monthlySpendLimitNano: 99n }, 'key_month_limit'],
  ['the invite', { balanceNano: 999n, inviteStatus: 'suspended' as const }, {}, 'no_access'],
  ['the expiry', { balanceNano: 999n }, { expiresAt: new Date(0) }, 'expired'],
  ['nothing', { balanceNano: 100n }, {}, 'admitted'],
])('decides as the admission does, if %s binds', async (_, account, key, expected) => {
  const accountId = await givenAccount(harness.db.pool, account);
  const customer = { accountId, apiKeyId: await givenApiKey(harness.db.pool, accountId, key) };
  const quoted = await quote(customer, 100n);
  expect(quoted.outcome).toBe((await admit(customer, 100n)).outcome);
  expect(quoted.outcome).toContain(expected);
});

it('shows nothing of a key that is not the account’s', async () => {
  const [ada, eve] = [await harness.givenCustomer(5n), await harness.givenCustomer(5n)];
  const { servicePool } = harness.db;
  const asked = { accountId: ada.accountId, apiKeyId: eve.apiKeyId, apiKeyVersion: 1, cohortName: 'beta' };
  expect(await readQuote(servicePool, { ...asked, amountsNano: [toNanoUsd(1n)] })).toBeUndefined();
});
