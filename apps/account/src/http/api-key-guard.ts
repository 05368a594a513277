import { allowsOrigin, WRONG_ORIGIN, type ApiKeyIdentity } from '@farebox/accounts';
import { isWellFormedApiKey, readBearer, type CredentialHeaders } from '@farebox/auth';
import { ApiError } from '@farebox/errors';

export type FindApiKey = (secret: string) => Promise<ApiKeyIdentity | undefined>;

const API_KEY_PREFIX = 'ak-';

/** The secret of an API key, if a request carries what is to be one. Throws `invalid_api_key` if it cannot be a key. */
export function readApiKeySecret(headers: CredentialHeaders): string | undefined {
  const bearer = readBearer(headers);
  if (bearer.kind !== 'token' || !bearer.token.startsWith(API_KEY_PREFIX)) return undefined;
  if (!isWellFormedApiKey(bearer.token)) throw new ApiError('invalid_api_key');
  return bearer.token;
}

/**
 * Throws, in this order: `invalid_api_key`, `expired_api_key`, `authentication_error` if the key is for pages of other
 * origins, `beta_access_required`.
 */
export function requireLiveKey(
  identity: ApiKeyIdentity | undefined,
  origin: string | undefined,
): ApiKeyIdentity {
  if (!identity || identity.status === 'revoked') throw new ApiError('invalid_api_key');
  if (identity.status === 'expired') throw new ApiError('expired_api_key');
  if (!allowsOrigin(identity, origin))
    throw new ApiError('authentication_error', { param: 'Origin', message: WRONG_ORIGIN });
  if (identity.inviteStatus !== 'active') throw new ApiError('beta_access_required');
  return identity;
}
