import type { ErrorCode, UnchargedOutcome, UsageOutcome } from '@farebox/errors';
import type { Queryable } from '@farebox/database';
import { byTokenKind, toNanoUsd, TOKEN_KINDS, type NanoUsd, type TokenKind } from '@farebox/money';
import { PURGED_BEFORE } from '../retention';
import type { ReviewReason, ReviewState } from '../reviews';

/**
 * The state of a request. `running`: its hold is open. `charged`, or `refunded` if the charge was given back.
 * `in_review`: its usage is measured, and the charge waits for a decision. `released`: its hold was released
 * without a charge, after the loss of its gateway or a waived review. `refused` and `failed`: it cost
 * nothing, and its client got an error.
 */
export const RECEIPT_STATES = [
  'running',
  'charged',
  'refunded',
  'in_review',
  'released',
  'refused',
  'failed',
] as const;
export type ReceiptState = (typeof RECEIPT_STATES)[number];

interface ReceiptOf<State extends ReceiptState> {
  state: State;
  /** The id of its hold, if it had one. */
  id: string;
  apiKeyId: string;
  /** Null if it named no model that the account can see. */
  modelId: string | null;
  requestId: string;
  review: ReceiptReview | undefined;
}

/** A review of this request; a review that counts several belongs only to the first. */
export interface ReceiptReview {
  reason: ReviewReason;
  state: ReviewState;
  createdAt: Date;
  resolvedAt: Date | null;
}

/** The measured usage of a request, and its prices. */
export interface Measured extends Record<TokenKind, number | undefined> {
  promptTokens: number;
  completionTokens: number;
  /** Images in the prompt, if any. */
  images: number | undefined;
  /** The charge: never more than the hold. */
  costNano: NanoUsd;
  priceVersionId: string;
  outcome: UsageOutcome;
  streamed: boolean;
  estimated: boolean;
  latencyMs: number;
  firstTokenMs: number | null;
}

export interface RunningReceipt extends ReceiptOf<'running'> {
  heldNano: NanoUsd;
  priceVersionId: string;
  heldSince: Date;
}

export interface ChargedReceipt extends ReceiptOf<'charged' | 'refunded'> {
  measured: Measured;
  refundedNano: NanoUsd;
  endedAt: Date;
}

export interface InReviewReceipt extends ReceiptOf<'in_review'> {
  /** Its cost is reserved until the review is resolved. */
  measured: Measured;
  endedAt: Date;
}

export interface ReleasedReceipt extends ReceiptOf<'released'> {
  endedAt: Date;
}

export interface UnchargedReceipt extends ReceiptOf<UnchargedOutcome> {
  /** The client's error; code and status are null if the client had left before. */
  errorCode: ErrorCode | null;
  errorMessage: string | null;
  errorParam: string | null;
  httpStatus: number | null;
  streamed: boolean;
  latencyMs: number;
  endedAt: Date;
}

export type Receipt = RunningReceipt | ChargedReceipt | InReviewReceipt | ReleasedReceipt | UnchargedReceipt;

/**
 * The state of a request in one statement. The transaction that makes the charge or the review also removes
 * the hold, so that a request is always in exactly one state. Undefined if the account has no such request,
 * made it with another API key than the given one, or if it has expired. A free request appears a moment
 * after its response.
 */
export async function findReceipt(
  pool: Queryable,
  accountId: string,
  id: string,
  apiKeyId?: string,
): Promise<Receipt | undefined> {
  const { rows } = await pool.query<ReceiptRow>({
    name: 'receipt',
    text: RECEIPT,
    values: [accountId, apiKeyId ?? null, id],
  });
  return rows[0] && toReceipt(rows[0]);
}

/** Newest requests of each kind to search for a client's request id. */
const MOST_NAMED = 10_000;

/**
 * The id of the newest request with this client-chosen request id. Such an id need not be unique, and has no
 * index, which every charge would pay for: the account's newest 10,000 requests are searched, newest first.
 */
export async function findRequestNamed(
  pool: Queryable,
  accountId: string,
  requestId: string,
  apiKeyId?: string,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'request_named',
    text: NAMED,
    values: [accountId, apiKeyId ?? null, requestId, MOST_NAMED],
  });
  return rows[0]?.id;
}

/** The rows of the account, or of its key, as the columns of a receipt. Each is found by its primary key. */
const RECEIPT = `
  SELECT wanted.id, coalesce(h.api_key_id, u.api_key_id, r.api_key_id, n.api_key_id) AS "apiKeyId",
         coalesce(h.model_id, u.model_id, r.model_id, n.model_id) AS "modelId",
         coalesce(h.request_id, u.request_id, r.request_id, n.request_id) AS "requestId",
         coalesce(h.price_version_id, u.price_version_id, r.price_version_id) AS "priceVersionId",
         h.amount_nano::text AS "heldNano", h.created_at AS "heldSince",
         u.cost_nano::text AS "costNano", f.amount_nano::text AS "refundedNano", r.reserved_nano::text AS "reservedNano",
         coalesce(u.prompt_tokens, r.prompt_tokens) AS "promptTokens",
         coalesce(u.completion_tokens, r.completion_tokens) AS "completionTokens",
         ${Object.entries(TOKEN_KINDS)
           .map(([kind, column]) => `coalesce(u.${column}, r.${column}) AS "${kind}"`)
           .join(', ')}, coalesce(u.images, r.images) AS images,
         coalesce(u.outcome, r.outcome) AS outcome, coalesce(u.streamed, r.streamed, n.streamed) AS streamed,
         coalesce(u.estimated, r.estimated) AS estimated,
         coalesce(u.latency_ms, r.latency_ms, n.latency_ms) AS "latencyMs",
         coalesce(u.first_token_ms, r.first_token_ms) AS "firstTokenMs",
         coalesce(u.created_at, r.created_at, n.created_at) AS "endedAt",
         r.reason, r.state AS "reviewState", r.created_at AS "reviewedAt", r.resolved_at AS "resolvedAt",
         n.outcome AS "unchargedOutcome", n.error_code AS "errorCode",
         n.error_message AS "errorMessage", n.error_param AS "errorParam", n.http_status AS "httpStatus"
  FROM (SELECT $3::uuid AS id) wanted
  LEFT JOIN hold h ON h.id = wanted.id AND h.account_id = $1 AND ($2::uuid IS NULL OR h.api_key_id = $2)
  LEFT JOIN usage_record u ON u.id = wanted.id AND u.account_id = $1 AND ($2::uuid IS NULL OR u.api_key_id = $2)
    AND u.created_at >= ${PURGED_BEFORE}
  LEFT JOIN billing_review r ON r.id = wanted.id AND r.account_id = $1 AND ($2::uuid IS NULL OR r.api_key_id = $2)
  LEFT JOIN uncharged_request n ON n.id = wanted.id AND n.account_id = $1 AND ($2::uuid IS NULL OR n.api_key_id = $2)
  LEFT JOIN LATERAL (SELECT e.amount_nano FROM ledger_entry e WHERE e.refunded_entry_id = u.id LIMIT 1) f ON true
  WHERE coalesce(h.id, u.id, r.id, n.id) IS NOT NULL`;

const newestOf = (table: string): string => `
  (SELECT id, created_at
   FROM (SELECT id, created_at, request_id, api_key_id FROM ${table} WHERE account_id = $1
         ORDER BY created_at DESC, id DESC LIMIT $4) newest
   WHERE request_id = $3 AND ($2::uuid IS NULL OR api_key_id = $2)
   ORDER BY created_at DESC, id DESC LIMIT 1)`;

// Holds are few, as are the reviews of an account; reviews with a usage record are found there.
const NAMED = `
  SELECT id FROM (
    (SELECT id, created_at FROM hold WHERE account_id = $1 AND request_id = $3 AND ($2::uuid IS NULL OR api_key_id = $2))
    UNION ALL ${newestOf('usage_record')}
    UNION ALL ${newestOf('uncharged_request')}
    UNION ALL
    (SELECT id, created_at
     FROM (SELECT id, created_at, request_id, api_key_id FROM billing_review WHERE account_id = $1
           ORDER BY id DESC LIMIT $4) newest
     WHERE request_id = $3 AND ($2::uuid IS NULL OR api_key_id = $2))
  ) named
  ORDER BY created_at DESC, id DESC LIMIT 1`;

interface ReceiptRow extends Record<TokenKind, number | null> {
  id: string;
  apiKeyId: string;
  modelId: string | null;
  requestId: string;
  priceVersionId: string | null;
  heldNano: string | null;
  heldSince: Date | null;
  costNano: string | null;
  refundedNano: string | null;
  reservedNano: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  images: number | null;
  outcome: UsageOutcome | null;
  streamed: boolean | null;
  estimated: boolean | null;
  latencyMs: number | null;
  firstTokenMs: number | null;
  endedAt: Date | null;
  reason: ReviewReason | null;
  reviewState: ReviewState | null;
  reviewedAt: Date | null;
  resolvedAt: Date | null;
  unchargedOutcome: UnchargedOutcome | null;
  errorCode: ErrorCode | null;
  errorMessage: string | null;
  errorParam: string | null;
  httpStatus: number | null;
}

/**
 * The first that exists: a charge after a review counts as charged, and a review of a charge does not change
 * that.
 */
function toReceipt(row: ReceiptRow): Receipt | undefined {
  const { id, apiKeyId, modelId, requestId } = row;
  const of = { id, apiKeyId, modelId, requestId, review: toReview(row) };
  const endedAt = row.endedAt ?? new Date(0);
  if (row.heldNano !== null) {
    return {
      ...of,
      state: 'running',
      heldNano: amountOf(row.heldNano),
      priceVersionId: row.priceVersionId ?? '',
      heldSince: row.heldSince ?? endedAt,
    };
  }
  if (row.costNano !== null) {
    const measured = toMeasured(row, row.costNano);
    const state = row.refundedNano === null ? 'charged' : 'refunded';
    return { ...of, state, measured, refundedNano: amountOf(row.refundedNano), endedAt };
  }
  if (row.reason === 'charge_failed' && row.reviewState === 'open')
    return { ...of, state: 'in_review', measured: toMeasured(row, row.reservedNano), endedAt };
  // A review that was charged has a usage record until that expires.
  if (row.reason === 'gateway_lost' || (row.reason === 'charge_failed' && row.reviewState === 'waived'))
    return { ...of, state: 'released', endedAt: row.resolvedAt ?? endedAt };
  if (row.unchargedOutcome === null) return undefined;
  const { errorCode, errorMessage, errorParam, httpStatus, streamed, latencyMs } = row;
  return {
    ...of,
    state: row.unchargedOutcome,
    ...{ errorCode, errorMessage, errorParam, httpStatus, endedAt },
    ...{ streamed: streamed ?? false, latencyMs: latencyMs ?? 0 },
  };
}

function toReview({ reason, reviewState, reviewedAt, resolvedAt }: ReceiptRow): ReceiptReview | undefined {
  if (reason === null || reviewState === null || reviewedAt === null) return undefined;
  return { reason, state: reviewState, createdAt: reviewedAt, resolvedAt };
}

function toMeasured(row: ReceiptRow, costNano: string | null): Measured {
  return {
    promptTokens: row.promptTokens ?? 0,
    completionTokens: row.completionTokens ?? 0,
    ...byTokenKind((kind) => row[kind] ?? undefined),
    images: row.images ?? undefined,
    costNano: amountOf(costNano),
    priceVersionId: row.priceVersionId ?? '',
    outcome: row.outcome ?? 'completed',
    streamed: row.streamed ?? false,
    estimated: row.estimated ?? false,
    latencyMs: row.latencyMs ?? 0,
    firstTokenMs: row.firstTokenMs,
  };
}

const amountOf = (text: string | null): NanoUsd => toNanoUsd(BigInt(text ?? 0));
