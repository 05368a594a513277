import {
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type PastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { verifyLedger } from '../src/books/verify-ledger';

/** Noon of the 15th of the UTC month this many months ago. */
export function monthsAgo(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15, 12));
}

/** The beginning of the UTC month this many months ago. */
export function startOfMonthAgo(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1));
}

/** An account with requests over many months, and correct books. */
export interface LongHistory {
  accountId: string;
  apiKeyId: string;
  charge: (at: Date, more?: Partial<PastCharge>) => Promise<string>;
  /** The ids of its request records, oldest first. */
  recordIds(): Promise<string[]>;
}

export async function givenLongHistory(db: TestDatabase): Promise<LongHistory> {
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000_000n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  return {
    accountId,
    apiKeyId,
    charge: (at, more = {}) => givenPastCharge(db.pool, { accountId, apiKeyId, at, ...more }),
    async recordIds() {
      const { rows } = await db.pool.query<{ id: string }>(
        'SELECT id FROM usage_record WHERE account_id = $1 ORDER BY created_at, id',
        [accountId],
      );
      return rows.map(({ id }) => id);
    },
  };
}

/** Checks the books, as the worker does each hour, and records that they are right. */
export async function checkBooks(db: TestDatabase): Promise<void> {
  expect((await verifyLedger(db.workerPool)).differences).toEqual([]);
}
