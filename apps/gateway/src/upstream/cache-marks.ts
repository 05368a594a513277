import { createHmac, hkdfSync } from 'node:crypto';
import type { KeyPepper } from '@farebox/config';

/**
 * Says whose a request is, to a server that keeps the prompts of customers apart by it: the same for all requests of an
 * account, and for those of one conversation if the client has a key of its own for that. Nobody can tell the account from
 * it, nor make the mark of another account: it is an HMAC under a secret of the gateways.
 */
export type CacheMarks = (accountId: string, ownKey?: string) => string;

/** Under a key that is derived from the newest pepper: with another one, what was cached is cached once more. */
export function createCacheMarks([newest]: readonly KeyPepper[]): CacheMarks {
  if (!newest) throw new RangeError('at least one pepper is needed');
  const key = Buffer.from(hkdfSync('sha256', newest.secret, '', 'farebox prompt cache', 32));
  // All ids of accounts are of one length: none is the beginning of another's.
  return (accountId, ownKey = '') =>
    createHmac('sha256', key).update(accountId).update(ownKey).digest('base64url');
}
