import { ApiError } from '@farebox/errors';

/** Throws `invalid_request_error` for a cursor that is none of the account's: `noun` says what it must be. */
export async function requireCursor(
  accountId: string,
  after: string | undefined,
  owns: (accountId: string, after: string) => Promise<boolean>,
  noun: string,
): Promise<void> {
  if (after === undefined || (await owns(accountId, after))) return;
  throw new ApiError('invalid_request_error', {
    param: 'after',
    message: `'after' must be the ${noun} of yours.`,
  });
}
