import type { Queryable } from '@farebox/database';
import { findRequestCursor, isCharged, listRequests, type ListedRequest } from './list-requests';
import {
  MOST_LOOKED_AT,
  UPSTREAM,
  type RequestSearch,
  type SearchedPage,
  type SearchedRequest,
} from './search-requests';

/** How many requests are read together if an upstream is looked for. */
const READ_TOGETHER = 1_000;

/**
 * A page of the requests of one account, and of one of its keys, newest first by their end, as the account itself sees
 * them: `listRequests`, whose limits apply. Undefined if the account has no request to continue after.
 */
export async function searchAccountRequests(
  db: Queryable,
  { accountId, apiKeyId }: { accountId: string; apiKeyId?: string | undefined },
  { outcome, modelId, upstreamId, from, to, afterId, limit }: RequestSearch,
): Promise<SearchedPage | undefined> {
  let after = afterId === undefined ? undefined : await findRequestCursor(db, accountId, afterId);
  if (afterId !== undefined && after === undefined) return undefined;
  const readTogether = upstreamId === undefined ? limit : READ_TOGETHER;
  const found: SearchedRequest[] = [];
  for (let looked = 0; ;) {
    const page = { apiKeyId, modelId, from, to, after, limit: readTogether };
    const { requests, hasMore, last } = await listRequests(db, accountId, outcome, page);
    const upstreams = await findUpstreams(db, requests);
    found.push(
      ...requests
        .map((request) => toSearched(accountId, request, upstreams.get(request.id) ?? null))
        .filter((request) => upstreamId === undefined || request.upstreamId === upstreamId),
    );
    if (found.length > limit) return { requests: found.slice(0, limit), nextAfterId: found[limit - 1]?.id };
    if (!hasMore) return { requests: found, nextAfterId: undefined };
    looked += requests.length;
    // A page that is not full has looked at as many as it may.
    if (upstreamId === undefined || requests.length < readTogether || looked >= MOST_LOOKED_AT)
      return { requests: found, nextAfterId: last?.id };
    after = last;
  }
}

async function findUpstreams(
  db: Queryable,
  requests: readonly ListedRequest[],
): Promise<Map<string, string | null>> {
  const { rows } = await db.query<{ id: string; upstreamId: string | null }>(
    `SELECT id, ${UPSTREAM} AS "upstreamId" FROM unnest($1::uuid[]) AS request (id)`,
    [requests.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, upstreamId }) => [id, upstreamId]));
}

function toSearched(accountId: string, request: ListedRequest, upstreamId: string | null): SearchedRequest {
  const { id, apiKeyId, modelId, requestId, outcome, streamed, latencyMs, createdAt } = request;
  return {
    ...{ id, accountId, apiKeyId, modelId, requestId, outcome, streamed, latencyMs, createdAt, upstreamId },
    ...(isCharged(request)
      ? {
          errorCode: null,
          costNano: request.costNano,
          promptTokens: request.promptTokens,
          completionTokens: request.completionTokens,
        }
      : { errorCode: request.errorCode, costNano: null, promptTokens: null, completionTokens: null }),
  };
}
