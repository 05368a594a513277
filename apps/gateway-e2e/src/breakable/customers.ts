import { createApiKeySecret, createKeyHasher } from '@farebox/auth';
import { givenAccount, givenApiKey } from '@farebox/testing';
import type pg from 'pg';

export interface Customer {
  accountId: string;
  apiKey: string;
  /** What the account was opened with. */
  openedWithNano: bigint;
}

/** As the gateways have it in their environment. */
export const KEY_PEPPER = '5a'.repeat(32);

const DAILY_REQUEST_CAP = 100_000_000;
const DAILY_SPEND_CAP_NANO = 1_000_000_000_000_000n;

/** An active account with an API key for each of the amounts. */
export async function createCustomers(pool: pg.Pool, openedWithNano: readonly bigint[]): Promise<Customer[]> {
  const hasher = createKeyHasher([{ version: 1, secret: Buffer.from(KEY_PEPPER, 'hex') }]);
  const customers: Customer[] = [];
  for (const balanceNano of openedWithNano) {
    const accountId = await givenAccount(pool, {
      balanceNano,
      dailyRequestCap: DAILY_REQUEST_CAP,
      dailySpendCapNano: DAILY_SPEND_CAP_NANO,
    });
    const apiKey = createApiKeySecret();
    await givenApiKey(pool, accountId, { secretHmac: hasher.hash(apiKey).hmac });
    customers.push({ accountId, apiKey, openedWithNano: balanceNano });
  }
  return customers;
}
