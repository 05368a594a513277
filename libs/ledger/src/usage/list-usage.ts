import type { Queryable } from '@farebox/database';
import { HOUR_MS } from '@farebox/flow';
import type pg from 'pg';
import { PURGED_BEFORE } from '../retention';
import type { UsageFilter } from './read-usage';
import {
  readUsageRecords,
  readUsageRecordsOfHours,
  type UsageCursor,
  type UsageRecord,
} from './usage-records';
import { ANY_KEY, ceilTo, floorTo, SUMMED_BEFORE } from './usage-sums';

export interface UsagePage extends UsageFilter {
  /** Charged at this time or later. */
  from?: Date | undefined;
  /** Charged before this time. */
  to?: Date | undefined;
  /** Records older than this one. */
  after?: UsageCursor | undefined;
  limit: number;
}

/** With a key or a model, a page ends once this many records were read and at least one matches. */
const MOST_RECORDS_READ = 5_000;
/** Usually enough for a page, and found faster than all hours that a rarely used key or model needs. */
const FIRST_HOURS = 6;

/**
 * A page of an account's charged requests, newest first by the time of the charge, and whether there are
 * more. It has `limit` records if there are that many; for a rarely used key or model it may have fewer
 * although there are more, but at least one. Requests from before the purge are not shown.
 */
export async function listUsage(
  pool: Queryable,
  accountId: string,
  page: UsagePage,
): Promise<{ records: UsageRecord[]; hasMore: boolean }> {
  const isFiltered = page.apiKeyId !== undefined || page.modelId !== undefined;
  const wanted = page.limit + 1;
  const found = isFiltered
    ? await readByHours(pool, accountId, page, wanted)
    : { records: await readUsageRecords(pool, accountId, { ...page, limit: wanted }), isCut: false };
  const shown = Math.min(page.limit, found.isCut ? found.records.length - 1 : found.records.length);
  return { records: found.records.slice(0, shown), hasMore: found.records.length > shown };
}

/**
 * Reads the hours with matching counts, newest first. `isCut`: it stopped before it had enough or had read
 * everything; it then has at least two records, the last of which shows that there are more.
 */
async function readByHours(
  pool: Queryable,
  accountId: string,
  page: UsagePage,
  wanted: number,
): Promise<{ records: UsageRecord[]; isCut: boolean }> {
  const { apiKeyId, modelId, from, to, after } = page;
  const records: UsageRecord[] = [];
  const range = { from: from && floorTo(HOUR_MS, from), to: newestHourEnd(to, after) };
  let budget = MOST_RECORDS_READ;
  let count = FIRST_HOURS;
  for (;;) {
    const filter = { apiKeyId, modelId };
    const hours = await findHoursWithUsage(pool, accountId, filter, { ...range, count });
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
    // One request in each; the range may cut off the first and the last hour and leave nothing of them.
    count = wanted + 2;
  }
}

/** The end of the newest hour with possible records of a page. */
export function newestHourEnd(to: Date | undefined, after: UsageCursor | undefined): Date {
  const ends = [
    to && ceilTo(HOUR_MS, to),
    after && new Date(floorTo(HOUR_MS, after.createdAt).getTime() + HOUR_MS),
  ];
  return ends.reduce<Date>((earliest, end) => (end && end < earliest ? end : earliest), LATEST);
}

const LATEST = new Date('9999-12-31T23:00:00Z');

/** An hour with requests of a key or a model. */
export interface HourWithUsage {
  /** The beginning of the hour. */
  hour: Date;
  /** Requests of the key, the model, or both. */
  matching: number;
  /** All requests of the account. */
  all: number;
}

interface Row {
  hour: Date;
  matching: string;
  all: string;
}

/**
 * The newest hours of a range in which the account has requests of a key, a model, or both; newest first, at
 * most `count`. Reads counts and sums, so that other hours cost nothing. Hours with purged requests are
 * excluded.
 */
async function findHoursWithUsage(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { apiKeyId, modelId }: UsageFilter,
  { from, to, count }: { from: Date | undefined; to: Date; count: number },
): Promise<HourWithUsage[]> {
  const isOfBoth = apiKeyId !== undefined && modelId !== undefined;
  // Only a few hours are not summed yet. Hours by both key and model are only in the counts.
  const countedFrom = isOfBoth ? `timestamptz '-infinity'` : SUMMED_BEFORE;
  const { rows } = await pool.query<Row>({
    name: `hours_with_usage${apiKeyId === undefined ? '' : '_of_key'}${modelId === undefined ? '' : '_of_model'}`,
    text: `SELECT m.hour, m.matching::text,
            coalesce(s.requests,
                     (SELECT sum(requests) FROM usage_hour h WHERE h.account_id = $1 AND h.hour = m.hour))::text AS "all"
     FROM (
       (SELECT hour, sum(requests) AS matching FROM usage_hour
        WHERE account_id = $1 AND hour >= greatest($3, ${countedFrom}, ${PURGED_BEFORE}) AND hour < $4
          AND ${apiKeyId === undefined ? '$5::uuid IS NULL' : 'api_key_id = $5'}
          AND ${modelId === undefined ? '$6::text IS NULL' : 'model_id = $6'}
        GROUP BY hour ORDER BY hour DESC LIMIT $2)
       UNION ALL
       (SELECT starts_at, requests FROM usage_sum
        WHERE account_id = $1 AND grain = $7::usage_grain AND api_key_id = $8 AND model_id = $9
          AND starts_at >= greatest($3, ${PURGED_BEFORE}) AND starts_at < least(${countedFrom}, $4)
        ORDER BY starts_at DESC LIMIT $2)
     ) m
     LEFT JOIN usage_sum s ON s.account_id = $1 AND s.grain = 'hour' AND s.api_key_id = '${ANY_KEY}'
                          AND s.model_id = '' AND s.starts_at = m.hour
     ORDER BY m.hour DESC LIMIT $2`,
    values: [
      ...[accountId, count, from ?? null, to, apiKeyId ?? null, modelId ?? null],
      ...[
        apiKeyId === undefined ? 'hour_model' : 'hour_key',
        apiKeyId ?? ANY_KEY,
        isOfBoth ? '' : (modelId ?? ''),
      ],
    ],
  });
  return rows.map(({ hour, matching, all }) => ({ hour, matching: Number(matching), all: Number(all) }));
}

/**
 * How many of these hours to read together: until they contain `wanted` matching requests, or up to the one
 * that exceeds `budget` requests of any kind, but at least one. That hour would be read next anyway.
 */
export function hoursToRead(
  hours: readonly HourWithUsage[],
  { wanted, budget }: { wanted: number; budget: number },
): number {
  let matching = 0;
  let all = 0;
  for (const [index, hour] of hours.entries()) {
    all += hour.all;
    matching += hour.matching;
    if (matching >= wanted || all >= budget) return index + 1;
  }
  return hours.length;
}
