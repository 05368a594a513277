import type { UnchargedOutcome, UsageOutcome } from '@farebox/errors';
import type { Queryable } from '@farebox/database';
import { listUsage, type UsagePage } from './list-usage';
import { findUnchargedRequest, readUnchargedRequests, type UnchargedRequest } from './uncharged-requests';
import { findUsageCursor, findUsageRecord, type UsageCursor, type UsageRecord } from './usage-records';

/** A request of the account, charged or not; only a charged one has `costNano`. */
export type ListedRequest = UsageRecord | UnchargedRequest;

export function isCharged(request: ListedRequest): request is UsageRecord {
  return 'costNano' in request;
}

/** Charged requests, one outcome, or all. */
export type OutcomeFilter = 'charged' | 'all' | UsageOutcome | UnchargedOutcome;

export interface RequestList {
  requests: ListedRequest[];
  hasMore: boolean;
  /** Where the next page begins. It is not on this page if the last requests read had other outcomes. */
  last: UsageCursor | undefined;
}

/** Limit of requests to read in search of one outcome before a page ends. */
const MOST_RECORDS_READ = 10_000;
const LONGEST_READ = 1_000;

/**
 * A page of an account's requests, newest first by their end. For charged ones the limits of `listUsage`
 * apply. A page of a rare outcome among many charged requests may have fewer than `limit` requests, or none,
 * although there are more.
 */
export async function listRequests(
  pool: Queryable,
  accountId: string,
  outcome: OutcomeFilter,
  page: UsagePage,
): Promise<RequestList> {
  switch (outcome) {
    case 'charged': {
      const { records, hasMore } = await listUsage(pool, accountId, page);
      return toList(records, hasMore);
    }
    case 'failed':
    case 'refused': {
      const found = await readUnchargedRequests(pool, accountId, {
        ...page,
        outcome,
        limit: page.limit + 1,
      });
      return toList(found.slice(0, page.limit), found.length > page.limit);
    }
    case 'all':
      return listAll(pool, accountId, page);
    case 'completed':
    case 'client_gone':
    case 'upstream_failed':
    case 'upstream_timeout':
    case 'shutdown':
    case 'suspended':
      return listChargedOf(pool, accountId, outcome, page);
  }
}

function toList(requests: ListedRequest[], hasMore: boolean): RequestList {
  const last = requests.at(-1);
  return { requests, hasMore, last: last && cursorOf(last) };
}

async function listAll(pool: Queryable, accountId: string, page: UsagePage): Promise<RequestList> {
  const [charged, uncharged] = await Promise.all([
    listUsage(pool, accountId, page),
    readUnchargedRequests(pool, accountId, { ...page, limit: page.limit + 1 }),
  ]);
  const merged = [...charged.records, ...uncharged].sort(byNewest);
  // A page of charged requests may be short although there are more: everything older than its last one is
  // incomplete.
  const lastCharged = charged.hasMore ? charged.records.at(-1) : undefined;
  const known = lastCharged ? merged.filter((one) => byNewest(one, lastCharged) <= 0) : merged;
  const shown = known.slice(0, page.limit);
  return toList(shown, charged.hasMore || shown.length < merged.length);
}

/** The order of the keyset and the database: UUIDs compare like their texts. */
function byNewest(a: ListedRequest, b: ListedRequest): number {
  if (a.createdAtMicros !== b.createdAtMicros) return b.createdAtMicros - a.createdAtMicros;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}

async function listChargedOf(
  pool: Queryable,
  accountId: string,
  outcome: UsageOutcome,
  page: UsagePage,
): Promise<RequestList> {
  const found: UsageRecord[] = [];
  let { after } = page;
  let read = 0;
  for (let limit = page.limit + 1; ; limit = Math.min(2 * limit, LONGEST_READ)) {
    const { records, hasMore } = await listUsage(pool, accountId, { ...page, after, limit });
    found.push(...records.filter((record) => record.outcome === outcome));
    if (found.length > page.limit) return toList(found.slice(0, page.limit), true);
    const last = records.at(-1);
    if (!hasMore || last === undefined) return toList(found, false);
    read += records.length;
    if (read >= MOST_RECORDS_READ) return { requests: found, hasMore: true, last: cursorOf(last) };
    after = cursorOf(last);
  }
}

function cursorOf({ id, createdAt, createdAtMicros }: ListedRequest): UsageCursor {
  const micros = String(createdAtMicros % 1_000).padStart(3, '0');
  return { id, createdAt, createdAtText: createdAt.toISOString().replace('Z', `${micros}Z`) };
}

const EXPORTED_TOGETHER = 500;

/**
 * All requests of a range, newest first, in parts that are read one after the other: each by a statement of its own, so
 * that no snapshot or lock lasts until the reader has taken the rest.
 */
export async function* readRequests(
  pool: Queryable,
  accountId: string,
  outcome: OutcomeFilter,
  range: Omit<UsagePage, 'limit'>,
): AsyncGenerator<ListedRequest[]> {
  let { after } = range;
  for (;;) {
    const page = { ...range, after, limit: EXPORTED_TOGETHER };
    const { requests, hasMore, last } = await listRequests(pool, accountId, outcome, page);
    yield requests;
    if (!hasMore) return;
    after = last;
  }
}

/** One request of an account, charged or not; undefined if it does not exist or was purged. */
export async function findRequest(
  pool: Queryable,
  accountId: string,
  id: string,
): Promise<ListedRequest | undefined> {
  return (await findUsageRecord(pool, accountId, id)) ?? (await findUnchargedRequest(pool, accountId, id));
}

/** The position of an account's request in the list; undefined if it does not exist. */
export async function findRequestCursor(
  pool: Queryable,
  accountId: string,
  id: string,
): Promise<UsageCursor | undefined> {
  return (
    (await findUsageCursor(pool, accountId, id)) ?? findUsageCursor(pool, accountId, id, 'uncharged_request')
  );
}
