import type { UsageOutcome } from '@farebox/errors';
import type { Queryable } from '@farebox/database';
import { toNanoUsd, TOKEN_KINDS, type AmountsAsText, type NanoUsd, type TokenKind } from '@farebox/money';
import { SETTLEMENT_COLUMNS, toArray } from './columns';
import { fitToColumns, type FailedCharge } from './hold';

/**
 * `gateway_lost`: its gateway stopped; the hold was released. `usage_over_hold`: the measured cost exceeded the hold;
 * the hold was charged. `usage_implausible`: the report is impossible; the service's own count was charged.
 * `charge_failed`: the charge could not be recorded; the measured cost is reserved. `response_lost`: repeatedly
 * nothing of an account's responses was written, and their charges were refunded.
 */
export const REVIEW_REASONS = [
  'gateway_lost',
  'usage_over_hold',
  'usage_implausible',
  'charge_failed',
  'response_lost',
] as const;
export type ReviewReason = (typeof REVIEW_REASONS)[number];
export type ReviewState = 'open' | 'charged' | 'waived';
export type Resolution = 'charge' | 'waive';

/** A request whose charge needs an operator's decision. Has the id of its hold. */
export interface Review extends Record<TokenKind, number | null> {
  id: string;
  accountId: string;
  apiKeyId: string;
  modelId: string | null;
  requestId: string;
  reason: ReviewReason;
  state: ReviewState;
  heldNano: NanoUsd;
  /** Stays reserved while the review is open. */
  reservedNano: NanoUsd;
  measuredCostNano: NanoUsd | null;
  promptTokens: number | null;
  completionTokens: number | null;
  outcome: UsageOutcome | null;
  /** Whether the answer was a stream, whose measured part the customer has. */
  streamed: boolean | null;
  /** The service counted the tokens itself. */
  estimated: boolean | null;
  /** They could not be counted: they and the amount are an estimate. */
  isUncounted: boolean;
  /**
   * Requests of the same account, model and day that are counted together; the id and the tokens are the first one's.
   */
  requestCount: number;
  lastRequestId: string | null;
  createdAt: Date;
  resolvedAt: Date | null;
  resolvedBy: string | null;
  note: string | null;
}

export interface ReviewPage {
  /** Reviews older than this one. */
  afterId?: string | undefined;
  limit: number;
  state?: ReviewState | undefined;
  reason?: ReviewReason | undefined;
  accountId?: string | undefined;
}

/**
 * Turns a hold whose charge could not be recorded into a review: the measured amount stays reserved, the rest is
 * released. Returns whether this call did it; a hold that no longer exists stays as it was resolved.
 */
export async function openReview(
  pool: Queryable,
  { holdId, accountId, usage: measured }: FailedCharge,
): Promise<boolean> {
  const usage = fitToColumns(measured);
  const { rows } = await pool.query<{ opened: boolean }>(
    'SELECT ledger_open_charge_review(($1::ledger_settlement[])[1], $2) AS opened',
    [toArray(SETTLEMENT_COLUMNS, [{ holdId, accountId, usage }]), usage.isUncounted ?? false],
  );
  return rows[0]?.opened === true;
}

/** Counts a charge whose upstream reported impossible usage among those of its account, model and day. */
export async function countImplausibleUsage(
  pool: Queryable,
  { holdId, accountId }: { holdId: string; accountId: string },
): Promise<void> {
  await pool.query('SELECT ledger_count_implausible_usage($1, $2)', [holdId, accountId]);
}

/**
 * Resolves an open review, once: `charge` takes the reserved amount, `waive` releases it. A review that reserves
 * nothing (any but `charge_failed`) can only be waived, which closes it.
 */
export async function resolveReview(
  pool: Queryable,
  reviewId: string,
  { resolution, resolvedBy, note }: { resolution: Resolution; resolvedBy: string; note?: string | undefined },
): Promise<'resolved' | 'no_such_review' | 'resolved_before' | 'nothing_reserved'> {
  const { rows } = await pool.query<{ answer: Awaited<ReturnType<typeof resolveReview>> }>(
    'SELECT ledger_resolve_review($1, $2, $3, $4) AS answer',
    [reviewId, resolution === 'charge', resolvedBy, note ?? null],
  );
  const [row] = rows;
  if (!row) throw new Error('ledger_resolve_review answered no row');
  return row.answer;
}

/** Reviews, newest first. */
export async function listReviews(
  pool: Queryable,
  { afterId, limit, state, reason, accountId }: ReviewPage,
): Promise<Review[]> {
  const { rows } = await pool.query<ReviewRow>(
    `SELECT ${COLUMNS} FROM billing_review
     WHERE ($1::uuid IS NULL OR id < $1) AND ($2::review_state IS NULL OR state = $2)
       AND ($3::uuid IS NULL OR account_id = $3) AND ($4::review_reason IS NULL OR reason = $4)
     ORDER BY id DESC LIMIT $5`,
    [afterId ?? null, state ?? null, accountId ?? null, reason ?? null, limit],
  );
  return rows.map(fromRow);
}

export async function findReview(pool: Queryable, reviewId: string): Promise<Review | undefined> {
  const { rows } = await pool.query<ReviewRow>(`SELECT ${COLUMNS} FROM billing_review WHERE id = $1`, [
    reviewId,
  ]);
  return rows.map(fromRow)[0];
}

const COLUMNS = `id, account_id AS "accountId", api_key_id AS "apiKeyId", model_id AS "modelId", request_id AS "requestId",
  reason, state, held_nano::text AS "heldNano", reserved_nano::text AS "reservedNano",
  measured_cost_nano::text AS "measuredCostNano", prompt_tokens AS "promptTokens",
  completion_tokens AS "completionTokens",
  ${Object.entries(TOKEN_KINDS)
    .map(([kind, column]) => `${column} AS "${kind}"`)
    .join(', ')}, outcome, streamed, estimated, uncounted AS "isUncounted", request_count AS "requestCount",
  last_request_id AS "lastRequestId", created_at AS "createdAt", resolved_at AS "resolvedAt",
  resolved_by AS "resolvedBy", note`;

type ReviewRow = AmountsAsText<Omit<Review, 'measuredCostNano'>, 'heldNano' | 'reservedNano'> & {
  measuredCostNano: string | null;
};

function fromRow({ heldNano, reservedNano, measuredCostNano, ...row }: ReviewRow): Review {
  return {
    ...row,
    heldNano: toNanoUsd(BigInt(heldNano)),
    reservedNano: toNanoUsd(BigInt(reservedNano)),
    measuredCostNano: measuredCostNano === null ? null : toNanoUsd(BigInt(measuredCostNano)),
  };
}

/**
 * The suggested resolution of an open review: `charge` if output reached the customer, `waive` if the answer was
 * withheld or nothing is reserved. Null once it is resolved.
 */
export function proposeResolution({
  state,
  reason,
  streamed,
}: Pick<Review, 'state' | 'reason' | 'streamed'>): Resolution | null {
  if (state !== 'open') return null;
  return reason === 'charge_failed' && streamed === true ? 'charge' : 'waive';
}
