import { takeAttempt, type AttemptLimit } from '@farebox/accounts';
import { askForSignInMail } from '@farebox/outbox';
import type { Pool } from 'pg';

/** A mailbox is not to be flooded; an office behind one address is to get in on a Monday morning. */
export const LINKS_OF_ADDRESS: AttemptLimit = { burst: 5, everyMs: 300_000 };
export const LINKS_OF_NETWORK: AttemptLimit = { burst: 50, everyMs: 10_000 };

/**
 * Asks for a link to be mailed to an address, if it is an account's. Once this has answered, the wish is in the outbox and
 * outlives this process. Until then, and in what it answers, nothing depends on whose address it is: the worker looks
 * that up. Too many requests are passed over in silence, which would tell somebody apart otherwise.
 */
export async function requestLink(
  { email, network }: { email: string; network: string },
  pool: Pool,
): Promise<void> {
  const isPermitted =
    (await takeAttempt(pool, { what: 'links_of_network', who: network }, LINKS_OF_NETWORK)) &&
    (await takeAttempt(pool, { what: 'links_of_address', who: email }, LINKS_OF_ADDRESS));
  if (isPermitted) await askForSignInMail(pool, email);
}
