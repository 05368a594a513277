import { spendSignInLink, takeAttempt, type AttemptLimit, type SignedIn } from '@farebox/accounts';
import { ApiError } from '@farebox/errors';
import type { Pool } from 'pg';

const MS_PER_SECOND = 1_000;

/** A token has 256 bits: this keeps the database free of guessing, and no guess from being right. */
export const SIGN_INS_OF_NETWORK: AttemptLimit = { burst: 100, everyMs: 1_000 };

/**
 * Signs in with the token of a link. Throws `authentication_error`, the same for a link that is not known, was used or
 * has had its time, and `rate_limit_error`, before the token is looked at.
 */
export async function spendLink(
  { token, network, userAgent }: { token: string; network: string; userAgent: string | null },
  pool: Pool,
): Promise<SignedIn> {
  const subject = { what: 'sign_ins_of_network', who: network };
  if (!(await takeAttempt(pool, subject, SIGN_INS_OF_NETWORK))) {
    throw new ApiError('rate_limit_error', {
      message: 'Too many attempts to sign in came from this network. Wait before the next one.',
      retryAfterSeconds: SIGN_INS_OF_NETWORK.everyMs / MS_PER_SECOND,
    });
  }
  const signedIn = await spendSignInLink(pool, token, userAgent);
  if (!signedIn) {
    throw new ApiError('authentication_error', {
      message: 'The link is not known, was used or has had its time. Ask for a new one.',
    });
  }
  return signedIn;
}
