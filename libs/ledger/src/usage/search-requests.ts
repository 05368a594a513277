import type { Queryable } from '@farebox/database';
import type { ErrorCode, UnchargedOutcome, UsageOutcome } from '@farebox/errors';
import { toNanoUsd, type NanoUsd } from '@farebox/money';
import { PURGED_BEFORE } from '../retention';
import { FIRST_ID, firstIdOf, LAST_ID } from './ids-of-times';
import type { OutcomeFilter } from './list-requests';

/** Which requests an operator looks for, from `from` until before `to`. */
export interface RequestSearch {
  outcome: OutcomeFilter;
  modelId?: string | undefined;
  /** The upstream that was asked last. It is not recorded for requests that cost nothing, unless their client left. */
  upstreamId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** The id of the request to continue after. */
  afterId?: string | undefined;
  limit: number;
}

export interface SearchedRequest {
  id: string;
  accountId: string;
  apiKeyId: string;
  modelId: string | null;
  requestId: string;
  outcome: UsageOutcome | UnchargedOutcome;
  errorCode: ErrorCode | null;
  /** Null if it was not charged. */
  costNano: NanoUsd | null;
  promptTokens: number | null;
  completionTokens: number | null;
  streamed: boolean;
  latencyMs: number;
  /** The end of the request. */
  createdAt: Date;
  upstreamId: string | null;
}

export interface SearchedPage {
  requests: SearchedRequest[];
  /** To continue after; it may have no place on this page. Undefined if this is the last one. */
  nextAfterId: string | undefined;
}

/** How many requests a page looks at, each with its route, in search of something rare. */
export const MOST_LOOKED_AT = 20_000;

/**
 * A page of the requests of all accounts, newest first by their admission, which is the time in their ids: the primary
 * keys have this order, so that a charge writes no further index for it. A page of something rare may have fewer requests
 * than `limit`, or none, although there may be more: it ends after `MOST_LOOKED_AT`.
 */
export async function searchRequests(
  db: Queryable,
  search: RequestSearch,
  mostLookedAt = MOST_LOOKED_AT,
): Promise<SearchedPage> {
  const { modelId, upstreamId, limit } = search;
  const outcome = isOneOutcome(search.outcome) ? search.outcome : null;
  const values = [...rangeOf(search), mostLookedAt];
  const { rows } = await db.query<Omit<SearchedRequest, 'costNano'> & { costNano: string | null }>(
    `SELECT id, account_id AS "accountId", api_key_id AS "apiKeyId", model_id AS "modelId",
            request_id AS "requestId", outcome, error_code AS "errorCode", cost_nano::text AS "costNano",
            prompt_tokens AS "promptTokens", completion_tokens AS "completionTokens", streamed,
            latency_ms AS "latencyMs", created_at AS "createdAt", ${UPSTREAM} AS "upstreamId"
     FROM (${lookedAt(search.outcome)}) request
     WHERE ($4::text IS NULL OR model_id = $4) AND ($5::text IS NULL OR outcome = $5)
       AND ($6::text IS NULL OR ${UPSTREAM} = $6)
       AND (cost_nano IS NULL OR created_at >= ${PURGED_BEFORE})
     ORDER BY id DESC LIMIT $7`,
    [...values, modelId ?? null, outcome, upstreamId ?? null, limit + 1],
  );
  const requests = rows.slice(0, limit).map(({ costNano, ...request }) => ({
    ...request,
    costNano: costNano === null ? null : toNanoUsd(BigInt(costNano)),
  }));
  if (rows.length > limit) return { requests, nextAfterId: requests.at(-1)?.id };
  const { rows: ends } = await db.query<{ id: string }>(
    `SELECT id FROM (${lookedAt(search.outcome)}) request ORDER BY id DESC OFFSET $3 - 1`,
    values,
  );
  return { requests, nextAfterId: ends[0]?.id };
}

const isOneOutcome = (outcome: OutcomeFilter): outcome is UsageOutcome | UnchargedOutcome =>
  outcome !== 'all' && outcome !== 'charged';

const isUncharged = (outcome: OutcomeFilter): boolean => outcome === 'refused' || outcome === 'failed';

const COMMON = 'id, account_id, api_key_id, model_id, request_id, outcome::text AS outcome';
const TIMES = 'streamed, latency_ms, created_at';

const CHARGED = `SELECT ${COMMON}, NULL::text AS error_code, cost_nano, prompt_tokens, completion_tokens, ${TIMES}
  FROM usage_record`;
const UNCHARGED = `SELECT ${COMMON}, error_code, NULL::bigint AS cost_nano, NULL::int AS prompt_tokens,
         NULL::int AS completion_tokens, ${TIMES}
  FROM uncharged_request`;

/**
 * The newest requests of the range, of those that can have this outcome. The condition is outside of the union: only so
 * does PostgreSQL merge the indexes of its parts instead of sorting them.
 */
function lookedAt(outcome: OutcomeFilter): string {
  const of =
    outcome === 'all' ? `${CHARGED} UNION ALL ${UNCHARGED}` : isUncharged(outcome) ? UNCHARGED : CHARGED;
  return `SELECT * FROM (${of}) each WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3`;
}

/** Columns looked up by primary key for each row `request`: a page needs only those of its own rows. */
export const UPSTREAM = `coalesce((SELECT r.upstream_id FROM usage_route r WHERE r.id = request.id),
                           (SELECT a.upstream_id FROM abandoned_request a WHERE a.id = request.id))`;

/** The ids of a range of time, from the first until before the second. */
function rangeOf({ from, to, afterId }: RequestSearch): [from: string, to: string] {
  const end = to === undefined ? LAST_ID : firstIdOf(to);
  return [
    from === undefined ? FIRST_ID : firstIdOf(from),
    afterId !== undefined && afterId < end ? afterId : end,
  ];
}
