import type pg from 'pg';
import { hoursToRead } from './hours-to-read';
import { findHoursWithUsage } from './hours-with-usage';
import { readSummedBefore, type SummedBefore } from './sum-usage';
import type { UsageFilter } from './usage-query';
import {
  readUsageRecords,
  readUsageRecordsOfHours,
  type UsageCursor,
  type UsageRecord,
} from './usage-records';
import { ceilTo, floorTo, HOUR_MS } from './usage-time';

type Queryable = Pick<pg.Pool, 'query'>;

export interface UsagePage extends UsageFilter {
  /** Charged at this time or later. */
  from?: Date | undefined;
  /** Charged before this time. */
  to?: Date | undefined;
  /** Records older than this one. */
  after?: UsageCursor | undefined;
  limit: number;
}

/** Of a key or a model, a page ends where so many records have been read for it and there is one to show. */
const MOST_RECORDS_READ = 5_000;
/** They mostly hold a page, and are found sooner than all that a seldom used key or model may need. */
const FIRST_HOURS = 6;

/**
 * A page of an account's charged requests, newest first by the time of the charge, and whether there are more. It has
 * `limit` records where there are that many; of a key or a model that is seldom used it may have less while there are
 * more, but never none. What was charged before requests were forgotten is not shown.
 */
export async function listUsage(
  pool: Queryable,
  accountId: string,
  page: UsagePage,
  summedBefore: SummedBefore = () => readSummedBefore(pool),
): Promise<{ records: UsageRecord[]; hasMore: boolean }> {
  const isFiltered = page.apiKeyId !== undefined || page.modelId !== undefined;
  const wanted = page.limit + 1;
  const found = isFiltered
    ? await readByHours(pool, accountId, page, wanted, summedBefore)
    : { records: await readUsageRecords(pool, accountId, { ...page, limit: wanted }), isCut: false };
  const shown = Math.min(page.limit, found.isCut ? found.records.length - 1 : found.records.length);
  return { records: found.records.slice(0, shown), hasMore: found.records.length > shown };
}

/**
 * Reads the hours in which the counts say that there is something, newest first. `isCut`: it ended before it had what
 * is wanted or had seen everything; it has two records at least then, of which the last says that there are more.
 */
async function readByHours(
  pool: Queryable,
  accountId: string,
  page: UsagePage,
  wanted: number,
  summedBefore: SummedBefore,
): Promise<{ records: UsageRecord[]; isCut: boolean }> {
  const { apiKeyId, modelId, from, to, after } = page;
  const records: UsageRecord[] = [];
  const range = { from: from && floorTo(HOUR_MS, from), to: newestHourEnd(to, after) };
  let budget = MOST_RECORDS_READ;
  let count = FIRST_HOURS;
  for (;;) {
    const filter = { apiKeyId, modelId };
    const hours = await findHoursWithUsage(pool, accountId, filter, { ...range, count }, summedBefore);
    let next = 0;
    while (next < hours.length) {
      const left = hours.slice(next);
      const taken = left.slice(0, hoursToRead(left, { wanted: wanted - records.length, budget }));
      const limit = wanted - records.length;
      const options = { hours: taken.map(({ hour }) => hour), from, to, after, apiKeyId, modelId, limit };
      records.push(...(await readUsageRecordsOfHours(pool, accountId, options)));
      if (records.length >= wanted) return { records, isCut: false };
      budget -= taken.reduce((sum, { all }) => sum + all, 0);
      next += taken.length;
      if (budget <= 0 && records.length >= 2) return { records, isCut: true };
    }
    const oldest = hours.at(-1);
    if (oldest === undefined || hours.length < count) return { records, isCut: false };
    range.to = oldest.hour;
    // One request in each; the first and the last may be cut off by the range and have nothing left in it.
    count = wanted + 2;
  }
}

/** The end of the newest hour that a page can have records of. */
function newestHourEnd(to: Date | undefined, after: UsageCursor | undefined): Date {
  const ends = [
    to && ceilTo(HOUR_MS, to),
    after && new Date(floorTo(HOUR_MS, after.createdAt).getTime() + HOUR_MS),
  ];
  return ends.reduce<Date>((earliest, end) => (end && end < earliest ? end : earliest), LATEST);
}

const LATEST = new Date('9999-12-31T23:00:00Z');
