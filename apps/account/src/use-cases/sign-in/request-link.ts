import { takeAttempt, type AttemptLimit } from '@farebox/auth';
import type { Pool } from 'pg';

/** A mailbox is not to be flooded; an office behind one address is to get in on a Monday morning. */
export const LINKS_OF_ADDRESS: AttemptLimit = { burst: 5, everyMs: 300_000 };
export const LINKS_OF_NETWORK: AttemptLimit = { burst: 50, everyMs: 10_000 };

export interface LinkRequestClients {
  pool: Pool;
  /** Looks the address up and sends the link, later. */
  deliver: (email: string) => void;
}

/**
 * Asks for a link to be sent to an address, if it is an account's. Until this answers, and in what it answers, nothing
 * depends on whether it is: the address has not been looked up yet. Too many requests are passed over in silence, which
 * would tell somebody apart otherwise.
 */
export async function requestLink(
  { email, network }: { email: string; network: string },
  { pool, deliver }: LinkRequestClients,
): Promise<void> {
  const isPermitted =
    (await takeAttempt(pool, { what: 'links_of_network', who: network }, LINKS_OF_NETWORK)) &&
    (await takeAttempt(pool, { what: 'links_of_address', who: email }, LINKS_OF_ADDRESS));
  if (isPermitted) deliver(email);
}
