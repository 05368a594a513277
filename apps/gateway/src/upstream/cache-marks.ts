import { createHmac, hkdfSync } from 'node:crypto';
import type { KeyPepper } from '@farebox/config';

/**
 * Identifies the account to a server that separates the prompts of customers by it: the same mark for all
 * requests of an account, or of one conversation if the client sends a key for it. The mark is an HMAC under
 * a secret of the gateways, so that nobody can derive the account from it or forge the mark of another one.
 */
export type CacheMarks = (accountId: string, ownKey?: string) => string;

/** Uses a key derived from the newest pepper: a new pepper means that prompts are cached again. */
export function createCacheMarks([newest]: readonly KeyPepper[]): CacheMarks {
  if (!newest) throw new RangeError('at least one pepper is needed');
  const key = Buffer.from(hkdfSync('sha256', newest.secret, '', 'farebox prompt cache', 32));
  // All account ids have one length, so none is the prefix of another.
  return (accountId, ownKey = '') =>
    createHmac('sha256', key).update(accountId).update(ownKey).digest('base64url');
}
