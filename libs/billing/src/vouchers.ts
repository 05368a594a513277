import {
  createVoucherCode,
  fromTypedVoucherCode,
  hashToken,
  hintOf,
  toShownCode,
  uuidV7,
} from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import { type NanoUsd, toNanoUsd } from '@farebox/money';

/** `expired` and `open` by the database's clock. */
export type VoucherState = 'open' | 'redeemed' | 'revoked' | 'expired';

/** A code that is worth an amount, once. */
export interface Voucher {
  id: string;
  /** The vouchers that were made together. */
  batchId: string;
  /** The last four characters of its code. */
  hint: string;
  amountNano: NanoUsd;
  /** How many of the batch an account may redeem; null: any number. */
  mostPerAccount: number | null;
  note: string | null;
  state: VoucherState;
  createdBy: string;
  createdAt: Date;
  expiresAt: Date;
  /** The account that redeemed it. */
  accountId: string | null;
  redeemedAt: Date | null;
}

/** Vouchers that are made together. */
export interface NewVouchers {
  count: number;
  amountNano: NanoUsd;
  mostPerAccount: number | null;
  note: string | null;
  createdBy: string;
  expiresAt: Date;
}

/** Makes vouchers. Their codes are returned only here: the database has their hashes. */
export async function createVouchers(
  db: Queryable,
  { count, amountNano, mostPerAccount, note, createdBy, expiresAt }: NewVouchers,
): Promise<{ batchId: string; vouchers: { id: string; code: string }[] }> {
  const batchId = uuidV7();
  const made = Array.from({ length: count }, () => ({ id: uuidV7(), code: createVoucherCode() }));
  await db.query(
    `INSERT INTO voucher (id, batch_id, code_sha256, hint, amount_nano, most_per_account, note, created_by, expires_at)
     SELECT made.id, $1::uuid, made.code_sha256, made.hint, $2::bigint, $3::int, $4::text, $5::text, $6::timestamptz
     FROM unnest($7::uuid[], $8::bytea[], $9::text[]) AS made(id, code_sha256, hint)`,
    [
      ...[batchId, amountNano, mostPerAccount, note, createdBy, expiresAt],
      made.map(({ id }) => id),
      made.map(({ code }) => hashToken(code)),
      made.map(({ code }) => hintOf(code)),
    ],
  );
  return { batchId, vouchers: made.map(({ id, code }) => ({ id, code: toShownCode(code) })) };
}

const STATE = `CASE WHEN v.funding_id IS NOT NULL THEN 'redeemed' WHEN v.revoked_at IS NOT NULL THEN 'revoked'
                    WHEN v.expires_at <= now() THEN 'expired' ELSE 'open' END`;

/** Vouchers, newest first, starting after `afterId`. */
export async function listVouchers(
  db: Queryable,
  {
    limit,
    afterId = null,
    state = null,
    batchId = null,
    accountId = null,
  }: {
    limit: number;
    afterId?: string | null | undefined;
    state?: VoucherState | null | undefined;
    batchId?: string | null | undefined;
    /** Only those that this account redeemed. */
    accountId?: string | null | undefined;
  },
): Promise<Voucher[]> {
  const { rows } = await db.query<Omit<Voucher, 'amountNano'> & { amountNano: string }>(
    `SELECT v.id, v.batch_id AS "batchId", v.hint, v.amount_nano::text AS "amountNano",
            v.most_per_account AS "mostPerAccount", v.note, ${STATE} AS state, v.created_by AS "createdBy",
            v.created_at AS "createdAt", v.expires_at AS "expiresAt", f.account_id AS "accountId",
            f.created_at AS "redeemedAt"
     FROM voucher v LEFT JOIN funding f ON f.id = v.funding_id
     WHERE ($2::uuid IS NULL OR v.id < $2) AND ($3::text IS NULL OR ${STATE} = $3)
       AND ($4::uuid IS NULL OR v.batch_id = $4) AND ($5::uuid IS NULL OR f.account_id = $5)
     ORDER BY v.id DESC LIMIT $1`,
    [limit, afterId, state, batchId, accountId],
  );
  return rows.map((row) => ({ ...row, amountNano: toNanoUsd(BigInt(row.amountNano)) }));
}

/** Revokes one voucher, or all of a batch, that nobody has redeemed. Returns how many there are, and how many it revoked. */
export async function revokeVouchers(
  db: Queryable,
  { voucherId = null, batchId = null }: { voucherId?: string | null; batchId?: string | null },
): Promise<{ found: number; redeemed: number; revoked: number }> {
  const { rows } = await db.query<{ found: number; redeemed: number; revoked: number }>(
    `WITH named AS (
       SELECT id, funding_id, revoked_at FROM voucher WHERE id = $1 OR batch_id = $2 ORDER BY id FOR UPDATE
     ), revoked AS (
       UPDATE voucher v SET revoked_at = now() FROM named n
       WHERE v.id = n.id AND n.funding_id IS NULL AND n.revoked_at IS NULL RETURNING v.id
     )
     SELECT count(*)::int AS found, count(funding_id)::int AS redeemed, (SELECT count(*)::int FROM revoked) AS revoked
     FROM named`,
    [voucherId, batchId],
  );
  return rows[0] ?? { found: 0, redeemed: 0, revoked: 0 };
}

/**
 * `refused`: the same for a code that is mistyped, unknown, expired, revoked, or redeemed by another account. `limited`:
 * the account has had as many vouchers of this kind as it may.
 */
export type Redemption =
  | { outcome: 'redeemed'; fundingId: string; amountNano: NanoUsd; redeemedAt: Date }
  | { outcome: 'refused' | 'limited' };

/** Redeems a code, as somebody typed it, for an account: once. Again, it returns the same. */
export async function redeemVoucher(db: Queryable, accountId: string, typed: string): Promise<Redemption> {
  const code = fromTypedVoucherCode(typed);
  if (code === undefined) return { outcome: 'refused' };
  const { rows } = await db.query<
    | { outcome: 'redeemed'; fundingId: string; amountNano: string; redeemedAt: Date }
    | { outcome: 'refused' | 'limited' }
  >(
    `SELECT outcome, funding_id AS "fundingId", amount_nano::text AS "amountNano", redeemed_at AS "redeemedAt"
     FROM voucher_redeem($1, $2)`,
    [accountId, hashToken(code)],
  );
  const [row] = rows;
  if (!row) throw new Error('the database answered no row');
  if (row.outcome !== 'redeemed') return { outcome: row.outcome };
  return { ...row, amountNano: toNanoUsd(BigInt(row.amountNano)) };
}
