import type { ApiKeyIdentity } from '@farebox/accounts';
import { isWellFormedApiKey, readBearer, type CredentialHeaders } from '@farebox/auth';
import { RefusalError } from '../use-cases/preconditions';

/** Whoever holds the key of a request, with access to the service. */
export type Caller = ApiKeyIdentity;

const API_KEY_PREFIX = 'ak-';

/**
 * The secret that a request carries. Throws `authentication_error` where there is none or it is of the wrong kind, and
 * `invalid_api_key` where it cannot be a key, without a look-up.
 */
export function readApiKeySecret(headers: CredentialHeaders): string {
  const bearer = readBearer(headers);
  if (bearer.kind !== 'token' || !bearer.token.startsWith(API_KEY_PREFIX))
    throw new RefusalError('credential', 'authentication_error');
  if (!isWellFormedApiKey(bearer.token)) throw new RefusalError('credential', 'invalid_api_key');
  return bearer.token;
}

/** Throws `invalid_api_key` or `expired_api_key` where the key is not live. */
export function requireLive(identity: ApiKeyIdentity | undefined): ApiKeyIdentity {
  if (!identity || identity.status === 'revoked') throw new RefusalError('credential', 'invalid_api_key');
  if (identity.status === 'expired') throw new RefusalError('credential', 'expired_api_key');
  return identity;
}

/** Throws `beta_access_required` where the account has no access. */
export function requireInvite(identity: ApiKeyIdentity): Caller {
  if (identity.inviteStatus !== 'active') throw new RefusalError('invite', 'beta_access_required');
  return identity;
}
