import { uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import type { UsageOutcome } from '@farebox/errors';
import { toNanoUsd, type NanoUsd } from '@farebox/money';

/** A charge that was not refunded yet. */
export interface RefundableCharge {
  /** The id of the request. */
  id: string;
  accountId: string;
  modelId: string;
  costNano: NanoUsd;
  createdAt: Date;
}

/** Requests by their ids, or those of an account that were charged in a time. */
export type ChargesToRefund =
  | { ids: readonly string[] }
  | {
      accountId: string;
      from: Date;
      to: Date;
      outcome: UsageOutcome | undefined;
      modelId: string | undefined;
    };

/** At most `limit` charges, oldest first. Free, refunded, and purged ones are left out. */
export async function listRefundable(
  db: Queryable,
  charges: ChargesToRefund,
  limit: number,
): Promise<RefundableCharge[]> {
  const byId = 'ids' in charges;
  const { rows } = await db.query<Omit<RefundableCharge, 'costNano'> & { costNano: string }>(
    `SELECT u.id, u.account_id AS "accountId", u.model_id AS "modelId", u.cost_nano::text AS "costNano",
            u.created_at AS "createdAt"
     FROM usage_record u
     WHERE ${
       byId
         ? 'u.id = ANY ($1::uuid[])'
         : `u.account_id = $1 AND u.created_at >= $3 AND u.created_at < $4
            AND ($5::usage_outcome IS NULL OR u.outcome = $5) AND ($6::text IS NULL OR u.model_id = $6)`
     }
       AND u.cost_nano > 0 AND NOT EXISTS (SELECT FROM ledger_entry e WHERE e.refunded_entry_id = u.id)
     ORDER BY u.created_at, u.id LIMIT $2`,
    byId
      ? [charges.ids, limit]
      : [
          charges.accountId,
          limit,
          charges.from,
          charges.to,
          charges.outcome ?? null,
          charges.modelId ?? null,
        ],
  );
  return rows.map((row) => ({ ...row, costNano: toNanoUsd(BigInt(row.costNano)) }));
}

/**
 * Gives a charge back, once: to the balance, the day's spend and the key's month. Returns whether this call did it.
 */
export async function refundCharge(
  pool: Queryable,
  chargeId: string,
  refundId: string = uuidV7(),
): Promise<boolean> {
  const { rows } = await pool.query<{ refunded: boolean }>('SELECT ledger_refund($1, $2) AS refunded', [
    refundId,
    chargeId,
  ]);
  return rows[0]?.refunded === true;
}
