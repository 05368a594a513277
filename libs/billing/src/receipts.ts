import type { Queryable } from '@farebox/database';
import { type NanoUsd, toNanoUsd } from '@farebox/money';
import type { Buyer, Seller } from './parties';

/** The receipt of a top-up. */
export interface PaymentReceipt {
  /** `REC-2026-000042`. */
  number: string;
  /** The id of the top-up and of its ledger entry. */
  fundingId: string;
  /** `card`, or `manual` if the operator credited it. */
  method: string;
  amountNano: NanoUsd;
  paidAt: Date;
  /** Name, e-mail and billing details of the account, and the operator, at the time of issue. */
  accountName: string;
  accountEmail: string;
  buyer: Buyer | null;
  seller: Seller | null;
  issuedAt: Date;
}

type ReceiptRow = Omit<PaymentReceipt, 'amountNano'> & { amountNano: string };

const RECEIPT = `
  SELECT r.number, r.funding_id AS "fundingId", f.method, f.amount_nano::text AS "amountNano", f.created_at AS "paidAt",
         r.account_name AS "accountName", r.account_email AS "accountEmail", r.buyer, r.seller, r.issued_at AS "issuedAt"
  FROM receipt r JOIN funding f ON f.id = r.funding_id`;

const toReceipt = (row: ReceiptRow): PaymentReceipt => ({
  ...row,
  amountNano: toNanoUsd(BigInt(row.amountNano)),
});

/**
 * An account's receipts, newest first, starting after the receipt `afterNumber`. A number of another account
 * gives an empty page.
 */
export async function listReceipts(
  pool: Queryable,
  accountId: string,
  { afterNumber, limit }: { afterNumber?: string | undefined; limit: number },
): Promise<PaymentReceipt[]> {
  const { rows } = await pool.query<ReceiptRow>(
    `${RECEIPT}
     WHERE r.account_id = $1
       AND ($2::text IS NULL OR (r.year, r.sequence) < (SELECT year, sequence FROM receipt WHERE account_id = $1 AND number = $2))
     ORDER BY r.year DESC, r.sequence DESC LIMIT $3`,
    [accountId, afterNumber ?? null, limit],
  );
  return rows.map(toReceipt);
}

/** One receipt of an account; `undefined` if the account has none with this number. */
export async function findReceipt(
  pool: Queryable,
  accountId: string,
  number: string,
): Promise<PaymentReceipt | undefined> {
  const { rows } = await pool.query<ReceiptRow>(`${RECEIPT} WHERE r.account_id = $1 AND r.number = $2`, [
    accountId,
    number,
  ]);
  return rows.map(toReceipt)[0];
}

/** The numbers of the receipts of an account's top-ups, by the id of the top-up. */
export async function receiptNumbersOf(
  pool: Queryable,
  accountId: string,
  fundingIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ id: string; number: string }>(
    'SELECT funding_id AS id, number FROM receipt WHERE account_id = $1 AND funding_id = ANY ($2)',
    [accountId, fundingIds],
  );
  return new Map(rows.map(({ id, number }) => [id, number]));
}
