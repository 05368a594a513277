import { ApiError } from '@farebox/errors';
import {
  findUsageCursor,
  listUsage,
  type UsageCursor,
  type UsageFilter,
  type UsageRecord,
} from '@farebox/ledger';
import { requireKnownFilter, type UsageClients } from './require-known-filter';

export interface RequestPage extends UsageFilter {
  /** Charged at this time or later, and before that one: to the second, not widened. */
  start: Date | undefined;
  end: Date | undefined;
  afterId: string | undefined;
  limit: number;
}

/** A page of the account's charged requests, newest first. Throws `invalid_request_error`. */
export async function listRequests(
  accountId: string,
  clients: UsageClients,
  { start, end, afterId, limit, ...filter }: RequestPage,
): Promise<{ records: UsageRecord[]; hasMore: boolean }> {
  const after = afterId === undefined ? undefined : await requireCursor(accountId, clients, afterId);
  const page = { ...filter, from: start, to: end, after, limit };
  const found = await listUsage(clients.pool, accountId, page, clients.summedBefore);
  // Who has used a key or a model knows it.
  if (found.records.length === 0) await requireKnownFilter(accountId, clients, filter);
  return found;
}

async function requireCursor(accountId: string, { pool }: UsageClients, id: string): Promise<UsageCursor> {
  const cursor = await findUsageCursor(pool, accountId, id);
  if (cursor) return cursor;
  throw new ApiError('invalid_request_error', {
    param: 'after',
    message: "'after' must be the id of a request of yours.",
  });
}
