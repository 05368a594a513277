import { fromPublicId } from '@farebox/auth';
import { findReceipt, RECEIPT_STATES, type Receipt } from '@farebox/ledger';
import { fromDecimalUsd } from '@farebox/money';
import type pg from 'pg';
import type { Attempt } from '../../test/chat-client';
import { describe, type Books, type Charge, type Finding, type ReviewRow } from './evidence';

/** Equals the harness's connections: there are tens of thousands of receipts after a long run. */
const READ_AT_ONCE = 4;

/**
 * Reads the receipt of every request in the database, and compares it with the books and the clients'
 * records.
 */
export async function auditReceipts(
  pool: pg.Pool,
  attempts: readonly Attempt[],
  books: Books,
): Promise<{ findings: Finding[]; states: Map<string, number> }> {
  const known = await pool.query<{ id: string; accountId: string }>(
    `SELECT id, account_id AS "accountId" FROM hold
     UNION SELECT id, account_id FROM usage_record
     UNION SELECT id, account_id FROM billing_review
     UNION SELECT id, account_id FROM uncharged_request`,
  );
  const receipts = new Map<string, Receipt>();
  const findings: Finding[] = [];
  const unread = known.rows.values();
  const read = async (): Promise<void> => {
    for (const { id, accountId } of unread) {
      const receipt = await findReceipt(pool, accountId, id);
      if (receipt) receipts.set(id, receipt);
      else findings.push(`the request with the id ${id} has no receipt`);
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, read));

  const rows = new Map<string, RowsOfRequest>();
  const rowsOf = (id: string): RowsOfRequest => {
    const found = rows.get(id) ?? {};
    rows.set(id, found);
    return found;
  };
  for (const charge of books.charges) rowsOf(charge.id).charge = charge;
  for (const review of books.reviews) rowsOf(review.id).review = review;
  for (const [id, receipt] of receipts) {
    const wrong = contradictionIn(receipt, rows.get(id) ?? {});
    if (wrong !== undefined) findings.push(`the receipt of request ${receipt.requestId} says ${wrong}`);
  }
  for (const attempt of attempts) {
    const wrong = contradictionOf(attempt, receipts);
    if (wrong !== undefined) findings.push(`${describe(attempt)}: ${wrong}`);
  }
  return { findings, states: countStates(receipts.values()) };
}

export interface RowsOfRequest {
  charge?: Charge;
  review?: ReviewRow;
}

/** The contradiction between a receipt and the books, for a service without open holds. */
export function contradictionIn(receipt: Receipt, { charge, review }: RowsOfRequest): string | undefined {
  const { state } = receipt;
  if (!RECEIPT_STATES.includes(state)) return `${state}, which is not a state`;
  const isHeldByReview = review?.reason === 'charge_failed' && review.state === 'open';
  switch (state) {
    case 'running':
      return 'running, although everything has ended';
    case 'charged':
    case 'refunded': {
      if (!charge) return `${state}, and nothing was charged`;
      const { costNano } = receipt.measured;
      if (costNano !== charge.chargedNano)
        return `${String(costNano)} were charged, and it was ${String(charge.chargedNano)}`;
      if (receipt.refundedNano !== charge.refundedNano)
        return `${String(receipt.refundedNano)} were given back, and it was ${String(charge.refundedNano)}`;
      return isHeldByReview ? `${state}, and a review still reserves its cost` : undefined;
    }
    case 'in_review':
      if (charge) return 'in review, and it was charged';
      if (!isHeldByReview) return 'in review, and no review reserves anything for it';
      return receipt.measured.costNano === review.reservedNano
        ? undefined
        : `${String(receipt.measured.costNano)} are reserved, and it is ${String(review.reservedNano)}`;
    case 'released':
      if (charge) return 'released, and it was charged';
      return review === undefined || isHeldByReview
        ? 'released, without a review that explains it'
        : undefined;
    case 'refused':
    case 'failed':
      if (charge) return `${state}, and it was charged`;
      return review ? `${state}, and there is a review of it` : undefined;
  }
}

/** The contradiction between a client's result and the receipt of its completion. */
function contradictionOf({ result }: Attempt, receipts: ReadonlyMap<string, Receipt>): string | undefined {
  if (result.kind !== 'answered') return undefined;
  const receipt = receipts.get(fromPublicId('chatcmpl', result.completionId) ?? '');
  if (receipt?.state !== 'charged') return `its receipt says ${receipt?.state ?? 'nothing'}`;
  return result.cost === undefined || fromDecimalUsd(result.cost) === receipt.measured.costNano
    ? undefined
    : `its receipt says that it cost ${String(receipt.measured.costNano)}`;
}

function countStates(receipts: Iterable<Receipt>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { state } of receipts) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}
