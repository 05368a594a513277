import type pg from 'pg';

/** A charged request as the database has it. */
export interface Charge {
  /** Of its hold. */
  id: string;
  requestId: string;
  chargedAtMs: number;
  promptTokens: number;
  completionTokens: number;
  /** By its usage record. */
  costNano: bigint;
  /** By its entry in the journal; 0 where there is none. */
  chargedNano: bigint;
  refundedNano: bigint;
}

export interface ReviewRow {
  id: string;
  requestId: string;
  reason: string;
  state: string;
  reservedNano: bigint;
  /** Null where nothing was measured. */
  measuredNano: bigint | null;
  promptTokens: number | null;
  completionTokens: number | null;
  createdAtMs: number;
}

/** What the database says when all is over. */
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
