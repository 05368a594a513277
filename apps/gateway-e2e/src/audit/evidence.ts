import type pg from 'pg';
import type { Attempt, ClientResult } from '../../test/chat-client';
import type { Disturbance } from '../../test/restartable-process';

/** An Idempotency-Key for which its client could not get an answer. */
export interface Unanswered {
  key: string;
  lastResult: ClientResult;
}

/** The records to compare. */
export interface Evidence {
  attempts: readonly Attempt[];
  unanswered: readonly Unanswered[];
  /** Number of upstream calls, by the name of the request. */
  upstreamCalls: ReadonlyMap<string, number>;
  books: Books;
  /** The customers' deposits, according to those who made them. */
  paidInNano: bigint;
  /** When each gateway was disturbed, by its number. */
  disturbances: readonly (readonly Disturbance[])[];
  /** When the database was away, or its connections were lost. */
  databaseDisturbances: readonly Disturbance[];
  /** After this time no request of a lost gateway may still be held. */
  resolvedWithinMs: number;
  /** Counts tokens as the models of the harness do. */
  countTokens: (text: string) => number;
}

/** One fault, as a sentence. */
export type Finding = string;

/** The rows of each attempt. */
export interface RowsOfAttempt {
  charges: readonly Charge[];
  reviews: readonly ReviewRow[];
}

/** Describes an attempt so that it can be found in the logs and in the database. */
export function describe({ requestId, request, gateway, startedAtMs, endedAtMs, result }: Attempt): string {
  const kind = `${request.streamed ? 'stream' : 'whole'} of ${request.model}`;
  const key = request.idempotencyKey === undefined ? '' : ' with an Idempotency-Key';
  const times = `${time(startedAtMs)} to ${time(endedAtMs)}`;
  return `request ${requestId} (${kind}${key}, gateway ${String(gateway)}, ${times}; result: ${summaryOf(result)})`;
}

function time(atMs: number): string {
  return Number.isFinite(atMs) ? new Date(atMs).toISOString().slice(11, 23) : 'never';
}

function summaryOf(result: Attempt['result']): string {
  switch (result.kind) {
    case 'answered':
      return `${result.replayed ? 'replayed' : 'answered'} ${result.completionId}, cost ${result.cost ?? 'not asked for'}`;
    case 'failed_midway':
      return `${result.code} after ${String(result.text.length)} characters${result.replayed ? ', replayed' : ''}`;
    case 'refused':
      return `${String(result.status)} ${result.code}`;
    case 'cut':
      return `cut after ${String(result.text.length)} characters`;
    case 'hung_up':
      return `hung up after ${String(result.text.length)} characters`;
    case 'not_connected':
    case 'silent':
      return result.kind;
  }
}

/** A charged request as the database has it. */
export interface Charge {
  /** The id of its hold. */
  id: string;
  requestId: string;
  chargedAtMs: number;
  promptTokens: number;
  completionTokens: number;
  /** According to its usage record. */
  costNano: bigint;
  /** According to its journal entry; 0 if there is none. */
  chargedNano: bigint;
  refundedNano: bigint;
}

export interface ReviewRow {
  id: string;
  requestId: string;
  reason: string;
  state: string;
  reservedNano: bigint;
  /** Null if nothing was measured. */
  measuredNano: bigint | null;
  promptTokens: number | null;
  completionTokens: number | null;
  createdAtMs: number;
}

/** The database's records at the end. */
export interface Books {
  charges: Charge[];
  reviews: ReviewRow[];
  /** The requests whose holds are still open. */
  heldRequestIds: string[];
  balanceNano: bigint;
  heldNano: bigint;
}

interface ChargeColumns extends Record<'id' | 'request_id' | 'cost' | 'charged' | 'refunded', string> {
  created_at: Date;
  prompt_tokens: number;
  completion_tokens: number;
}

interface ReviewColumns extends Record<'id' | 'request_id' | 'reason' | 'state' | 'reserved', string> {
  measured: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  created_at: Date;
}

export async function readBooks(pool: pg.Pool): Promise<Books> {
  const charges = await pool.query<ChargeColumns>(`
    SELECT u.id, u.request_id, u.created_at, u.prompt_tokens, u.completion_tokens, u.cost_nano::text AS cost, coalesce(c.amount_nano, 0)::text AS charged,
           coalesce(r.amount_nano, 0)::text AS refunded
    FROM usage_record u
    LEFT JOIN ledger_entry c ON c.id = u.id AND c.kind = 'charge'
    LEFT JOIN (SELECT refunded_entry_id, sum(amount_nano) AS amount_nano FROM ledger_entry
               WHERE kind = 'refund' GROUP BY 1) r ON r.refunded_entry_id = u.id`);
  const reviews = await pool.query<ReviewColumns>(`
    SELECT id, request_id, reason, state, reserved_nano::text AS reserved, measured_cost_nano::text AS measured,
           prompt_tokens, completion_tokens, created_at
    FROM billing_review`);
  const holds = await pool.query<{ request_id: string }>('SELECT request_id FROM hold');
  const funds = await pool.query<Record<'balance' | 'held', string>>(
    'SELECT sum(balance_nano)::text AS balance, sum(held_nano)::text AS held FROM account_funds',
  );
  return {
    charges: charges.rows.map((row) => ({
      id: row.id,
      requestId: row.request_id,
      chargedAtMs: row.created_at.getTime(),
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      costNano: BigInt(row.cost),
      chargedNano: BigInt(row.charged),
      refundedNano: BigInt(row.refunded),
    })),
    reviews: reviews.rows.map((row) => ({
      id: row.id,
      requestId: row.request_id,
      reason: row.reason,
      state: row.state,
      reservedNano: BigInt(row.reserved),
      measuredNano: row.measured === null ? null : BigInt(row.measured),
      promptTokens: row.prompt_tokens,
      completionTokens: row.completion_tokens,
      createdAtMs: row.created_at.getTime(),
    })),
    heldRequestIds: holds.rows.map((row) => row.request_id),
    balanceNano: BigInt(funds.rows[0]?.balance ?? 0),
    heldNano: BigInt(funds.rows[0]?.held ?? 0),
  };
}
