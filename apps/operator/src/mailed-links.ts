import { takeAttempt, type AttemptLimit } from '@farebox/accounts';
import { askForOperatorMail } from '@farebox/mail/queue';
import type { Pool } from 'pg';

/** There are few operators: this keeps a mailbox from being flooded, and the outbox from strangers. */
const LINKS_OF_ADDRESS: AttemptLimit = { burst: 5, everyMs: 300_000 };
const LINKS_OF_NETWORK: AttemptLimit = { burst: 20, everyMs: 30_000 };

/**
 * Asks for a link to be mailed to an address, whose owner the worker looks up. Excess requests are ignored silently,
 * since an error would reveal the address.
 */
export async function askForMailedLink(pool: Pool, address: string, network: string): Promise<void> {
  const isPermitted =
    (await takeAttempt(pool, { what: 'operator_links_of_network', who: network }, LINKS_OF_NETWORK)) &&
    (await takeAttempt(pool, { what: 'operator_links_of_address', who: address }, LINKS_OF_ADDRESS));
  if (isPermitted) await askForOperatorMail(pool, address);
}
