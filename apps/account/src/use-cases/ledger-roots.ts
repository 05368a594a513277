import { ApiError } from '@farebox/errors';
import { findProof, listRoots, ownsEntry, type EntryProof, type SignedRoot } from '@farebox/ledger';
import type { Sources } from './sources';

export interface RootPage {
  limit: number;
  /** The last day of the page before. */
  after: string | undefined;
}

/** A page of the roots of the ledger, which are public, plus one if there are more. */
export async function listPublicRoots(
  { limit, after }: RootPage,
  { pool }: Pick<Sources, 'pool'>,
): Promise<SignedRoot[]> {
  return listRoots(pool, { before: after, limit: limit + 1 });
}

/** The proof of an entry of the account. Throws the error of a missing one, also for another account's. */
export async function readOwnProof(
  accountId: string,
  { pool }: Sources,
  entryId: string | undefined,
): Promise<EntryProof> {
  if (entryId === undefined || !(await ownsEntry(pool, accountId, entryId)))
    throw noProof('There is no such transaction.');
  const proof = await findProof(pool, accountId, entryId);
  if (!proof) throw noProof('There is no proof yet: the day of this transaction has no root.');
  return proof;
}

function noProof(message: string): ApiError {
  return new ApiError('invalid_request_error', { status: 404, param: 'transaction_id', message });
}
