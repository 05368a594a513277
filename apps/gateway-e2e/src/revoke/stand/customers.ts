import { createSession } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { givenAccount } from '@farebox/testing';
import type pg from 'pg';
import type { Change } from '../changes/history';

/** Somebody with one key at a time, which is taken from him again and again. */
export interface Customer {
  accountPublicId: string;
  sessionToken: string;
  keyPublicId: string;
  /** Every secret that he has had, in their order. */
  secrets: string[];
  history: Change[];
}

const BALANCE_NANO = 1_000_000_000_000n;
const DAILY_REQUEST_CAP = 100_000_000;
const DAILY_SPEND_CAP_NANO = 1_000_000_000_000_000n;

/** Active accounts with a session each, and no key yet. */
export async function createCustomers(pool: pg.Pool, count: number): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let number = 0; number < count; number++) {
    const accountId = await givenAccount(pool, {
      balanceNano: BALANCE_NANO,
      dailyRequestCap: DAILY_REQUEST_CAP,
      dailySpendCapNano: DAILY_SPEND_CAP_NANO,
    });
    const { token } = await createSession(accountId, pool);
    const accountPublicId = toPublicId('acct', accountId);
    customers.push({ accountPublicId, sessionToken: token, keyPublicId: '', secrets: [], history: [] });
  }
  return customers;
}
