import type { Queryable } from '@farebox/database';
import { type NanoUsd, toNanoUsd } from '@farebox/money';

export type DisputeState = 'open' | 'won' | 'lost';

/** A payment that the payer's bank has taken back. */
export interface Dispute {
  id: string;
  accountId: string;
  /** The reference of the payment: `wire-17`, or `stripe:cs_…`. */
  payment: string;
  /** Stripe's id, or what the operator gave. */
  reference: string;
  isOfStripe: boolean;
  amountNano: NanoUsd;
  /** The part that the balance has covered so far. The rest is owed. */
  takenNano: NanoUsd;
  state: DisputeState;
  /** `stripe`, or the operator who opened it. */
  madeBy: string;
  openedAt: Date;
  closedAt: Date | null;
}

type DisputeRow = Omit<Dispute, 'amountNano' | 'takenNano'> & { amountNano: string; takenNano: string };

const DISPUTE = `
  SELECT d.id, d.account_id AS "accountId", f.reference AS payment,
         regexp_replace(d.reference, '^(stripe|dispute):', '') AS reference, d.reference LIKE 'stripe:%' AS "isOfStripe",
         d.amount_nano::text AS "amountNano", r.taken_nano::text AS "takenNano", d.state, r.made_by AS "madeBy",
         d.opened_at AS "openedAt", d.closed_at AS "closedAt"
  FROM dispute d JOIN funding f ON f.id = d.funding_id JOIN reversal r ON r.reference = d.reference`;

const toDispute = (row: DisputeRow): Dispute => ({
  ...row,
  amountNano: toNanoUsd(BigInt(row.amountNano)),
  takenNano: toNanoUsd(BigInt(row.takenNano)),
});

/** Disputes, newest first, starting after `afterId`. */
export async function listDisputes(
  db: Queryable,
  {
    limit,
    afterId = null,
    state = null,
    accountId = null,
  }: {
    limit: number;
    afterId?: string | null | undefined;
    state?: DisputeState | null | undefined;
    accountId?: string | null | undefined;
  },
): Promise<Dispute[]> {
  const { rows } = await db.query<DisputeRow>(
    `${DISPUTE}
     WHERE ($2::uuid IS NULL OR d.id < $2) AND ($3::dispute_state IS NULL OR d.state = $3)
       AND ($4::uuid IS NULL OR d.account_id = $4)
     ORDER BY d.id DESC LIMIT $1`,
    [limit, afterId, state, accountId],
  );
  return rows.map(toDispute);
}

/** Undefined if there is none. */
export async function findDispute(db: Queryable, id: string): Promise<Dispute | undefined> {
  const { rows } = await db.query<DisputeRow>(`${DISPUTE} WHERE d.id = $1`, [id]);
  return rows.map(toDispute)[0];
}

/** The disputes that nobody has decided yet, of one account or of all. */
export async function countOpenDisputes(
  db: Queryable,
  accountId: string | null = null,
): Promise<{ count: number; amountNano: NanoUsd }> {
  const { rows } = await db.query<{ count: number; amount: string }>(
    `SELECT count(*)::int AS count, coalesce(sum(amount_nano), 0)::text AS amount FROM dispute
     WHERE state = 'open' AND ($1::uuid IS NULL OR account_id = $1)`,
    [accountId],
  );
  const [row] = rows;
  return { count: row?.count ?? 0, amountNano: toNanoUsd(BigInt(row?.amount ?? 0)) };
}

/** A payment as it was credited. */
export interface CreditedPayment {
  fundingId: string;
  accountId: string;
  /** `manual` if an operator credited it. */
  method: string;
  amountNano: NanoUsd;
}

/** The payment of a reference; undefined if there is none. */
export async function findPayment(db: Queryable, reference: string): Promise<CreditedPayment | undefined> {
  const { rows } = await db.query<Omit<CreditedPayment, 'amountNano'> & { amountNano: string }>(
    `SELECT id AS "fundingId", account_id AS "accountId", method, amount_nano::text AS "amountNano"
     FROM funding WHERE reference = $1`,
    [reference],
  );
  const [row] = rows;
  return row && { ...row, amountNano: toNanoUsd(BigInt(row.amountNano)) };
}

/** A dispute that an operator tells of. */
export interface ToldDispute {
  /** A payment that an operator credited. */
  fundingId: string;
  amountNano: NanoUsd;
  /** Identifies the dispute: a second one with the same reference changes nothing. */
  reference: string;
  madeBy: string;
}

/**
 * Opens a dispute and takes its amount. `created` says whether this call did it, `takenNano` how much of it the balance
 * has covered: with a rest, the account is suspended. Undefined if it is more than is left of the payment, or if the
 * reference was used for another payment or amount.
 */
export async function openDispute(
  db: Queryable,
  { fundingId, amountNano, reference, madeBy }: ToldDispute,
): Promise<{ disputeId: string; created: boolean; takenNano: NanoUsd } | undefined> {
  const { rows } = await orRefused(
    db.query<{ disputeId: string; created: boolean; taken: string }>(
      `SELECT dispute_id AS "disputeId", created, taken_nano::text AS taken FROM dispute_open_by_hand($1, $2, $3, $4)`,
      [fundingId, amountNano, reference, madeBy],
    ),
  );
  const [row] = rows;
  return row && { ...row, takenNano: toNanoUsd(BigInt(row.taken)) };
}

/**
 * Closes a dispute; a won one gives its amount back. Returns whether this call changed it; undefined for one that is won
 * at Stripe's word alone.
 */
export async function closeDispute(
  db: Queryable,
  { disputeId, state, madeBy }: { disputeId: string; state: 'won' | 'lost'; madeBy: string },
): Promise<boolean | undefined> {
  const { rows } = await orRefused(
    db.query<{ changed: boolean }>('SELECT dispute_close_by_hand($1, $2::dispute_state, $3) AS changed', [
      disputeId,
      state,
      madeBy,
    ]),
  );
  return rows[0]?.changed;
}

const REFUSALS: readonly unknown[] = ['FB001', 'FB003'];

/** No row if the database refuses it. */
async function orRefused<Row>(asked: Promise<{ rows: Row[] }>): Promise<{ rows: Row[] }> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && 'code' in error && REFUSALS.includes(error.code)) return { rows: [] };
    throw error;
  }
}
