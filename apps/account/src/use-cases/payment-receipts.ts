import { findReceipt, listReceipts, type PaymentReceipt } from '@farebox/billing';
import { ApiError } from '@farebox/errors';
import { requireCursor } from './account';
import type { Sources } from './sources';

/** A page of the account's receipts, plus one if there are more. Throws for an invalid cursor. */
export async function listOwnReceipts(
  accountId: string,
  { pool }: Sources,
  { limit, afterNumber }: { limit: number; afterNumber: string | undefined },
): Promise<PaymentReceipt[]> {
  const owns = async (owner: string, number: string) =>
    (await findReceipt(pool, owner, number)) !== undefined;
  await requireCursor(accountId, afterNumber, owns, 'number of a receipt');
  return listReceipts(pool, accountId, { limit: limit + 1, afterNumber });
}

/** One receipt of the account. Throws the error of a missing one, also for another account's. */
export async function findOwnReceipt(
  accountId: string,
  { pool }: Sources,
  number: string,
): Promise<PaymentReceipt> {
  const receipt = await findReceipt(pool, accountId, number);
  if (!receipt) throw paymentReceiptNotFound();
  return receipt;
}

/** The same error for a missing receipt, another account's receipt, and a malformed number. */
export function paymentReceiptNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'receipt_number',
    message: 'There is no such receipt.',
  });
}
