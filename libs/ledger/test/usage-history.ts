import { DAY_MS, HOUR_MS } from '@farebox/flow';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { verifyLedger } from '../src/books/verify-ledger';
import { floorTo, sumClosedUsage } from '../src/usage/usage-sums';

const LONGEST_WAIT_MS = 60_000;

/** An hour is summed five minutes after its end: for that long after midnight, yesterday is not complete. */
const OVER_AFTER_MS = 6 * 60_000;

/** The beginning of the UTC day this many days ago. All of a day ago can be summed. */
export function dayAgo(days: number): Date {
  const today = floorTo(DAY_MS, new Date(Date.now() - OVER_AFTER_MS));
  return new Date(today.getTime() - days * DAY_MS);
}

/**
 * Sums all usage up to the last hour but one. Waits, like a worker, for other tests' transactions on the same
 * server that are older than the end of the hour.
 */
export async function sumAllUsage(db: TestDatabase): Promise<void> {
  const deadlineMs = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    await sumClosedUsage(db.workerPool);
    const { rows } = await db.pool.query<{ done: boolean }>(
      `SELECT summed_before >= date_trunc('hour', now() - interval '5 minutes', 'UTC') AS done FROM usage_sum_state`,
    );
    if (rows[0]?.done === true) return;
    if (Date.now() > deadlineMs) throw new Error('the usage was not summed');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Every hour before this time has been summed. */
export async function readSummedBefore(db: TestDatabase): Promise<Date> {
  const { rows } = await db.pool.query<{ time: Date }>('SELECT summed_before AS time FROM usage_sum_state');
  return rows[0]?.time ?? new Date(Number.NaN);
}

/** Sums usage up to a time, as it would have been at that time. */
export async function sumUsageUntil(db: TestDatabase, time: Date): Promise<void> {
  await db.pool.query(`UPDATE usage_sum_state SET closing_before = $1, closing_xid = '0'`, [time]);
  while ((await readSummedBefore(db)) < time) await db.workerPool.query('SELECT ledger_sum_usage()');
  expect(await readSummedBefore(db)).toEqual(time);
}

/** Usage of two accounts over some days, with empty hours and days. */
export interface UsageHistory {
  db: TestDatabase;
  accountId: string;
  otherAccountId: string;
  apiKeyIds: string[];
  /** The charges of the account, oldest first. */
  chargeIds: string[];
  close(): Promise<void>;
}

export const MODELS = ['small', 'large'] as const;

export async function givenUsageHistory(): Promise<UsageHistory> {
  const db = await createTestDatabase();
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000_000n });
  const otherAccountId = await givenAccount(db.pool, { balanceNano: 1_000_000n });
  const apiKeyIds = [await givenApiKey(db.pool, accountId), await givenApiKey(db.pool, accountId)];
  const otherKeyId = await givenApiKey(db.pool, otherAccountId);
  const chargeIds: string[] = [];
  let number = 0;
  for (const day of [6, 5, 2, 1]) {
    for (const hour of [0, 7, 7, 7, 12, 23]) {
      number++;
      const at = new Date(dayAgo(day).getTime() + hour * HOUR_MS + number * 60_000);
      const modelId = MODELS[number % 3 === 0 ? 1 : 0];
      const used = {
        at,
        modelId,
        promptTokens: number,
        completionTokens: 2 * number,
        // Some upstreams report the kinds of tokens.
        ...(number % 2 === 0 ? { cachedTokens: number - 1, cacheWriteTokens: 1 } : {}),
        ...(number % 3 === 0 ? { reasoningTokens: number } : {}),
        costNano: BigInt(number),
      };
      chargeIds.push(
        await givenPastCharge(db.pool, { ...used, accountId, apiKeyId: apiKeyIds[number % 2] ?? '' }),
      );
      await givenPastCharge(db.pool, { ...used, accountId: otherAccountId, apiKeyId: otherKeyId });
    }
  }
  return {
    db,
    accountId,
    otherAccountId,
    apiKeyIds,
    chargeIds,
    async close() {
      expect((await verifyLedger(db.pool)).differences).toEqual([]);
      await db.drop();
    },
  };
}
