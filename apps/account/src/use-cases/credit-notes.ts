import { type CreditNote, findCreditNote, listCreditNotes } from '@farebox/billing';
import { ApiError } from '@farebox/errors';
import { requireCursor } from './account';
import type { Sources } from './sources';

/** A page of the account's credit notes, plus one if there are more. Throws for an invalid cursor. */
export async function listOwnCreditNotes(
  accountId: string,
  { pool }: Sources,
  { limit, afterNumber }: { limit: number; afterNumber: string | undefined },
): Promise<CreditNote[]> {
  const owns = async (owner: string, number: string) =>
    (await findCreditNote(pool, owner, number)) !== undefined;
  await requireCursor(accountId, afterNumber, owns, 'number of a credit note');
  return listCreditNotes(pool, accountId, { limit: limit + 1, afterNumber });
}

/** One credit note of the account. Throws the error of a missing one, also for another account's. */
export async function findOwnCreditNote(
  accountId: string,
  { pool }: Sources,
  number: string,
): Promise<CreditNote> {
  const note = await findCreditNote(pool, accountId, number);
  if (!note) throw creditNoteNotFound();
  return note;
}

/** The same error for a missing credit note, another account's, and a malformed number. */
export function creditNoteNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'credit_note_number',
    message: 'There is no such credit note.',
  });
}
