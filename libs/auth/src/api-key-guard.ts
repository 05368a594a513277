import { ApiError } from '@farebox/errors';
import { API_KEY_PREFIX, type CredentialHeaders, isWellFormedApiKey, readBearer } from './credentials';

/** The API key of a request, if it has one. Throws `invalid_api_key` if it is malformed. */
export function readApiKeySecret(headers: CredentialHeaders): string | undefined {
  const bearer = readBearer(headers);
  if (bearer.kind !== 'token' || !bearer.token.startsWith(API_KEY_PREFIX)) return undefined;
  if (!isWellFormedApiKey(bearer.token)) throw new ApiError('invalid_api_key');
  return bearer.token;
}

/** The fields of an API key that a guard reads. */
interface GuardedKey {
  status: 'active' | 'expired' | 'revoked';
  /** Pages that may use it, and nobody else may; null: any program may. */
  allowedOrigins: readonly string[] | null;
}

/** Whether a key may be used from the origin of a request: always, unless it is for web pages. */
export function allowsOrigin(
  { allowedOrigins }: Pick<GuardedKey, 'allowedOrigins'>,
  origin: string | undefined,
): boolean {
  return allowedOrigins === null || (origin !== undefined && allowedOrigins.includes(origin));
}

/**
 * Throws, in this order: `invalid_api_key`, `expired_api_key`, `authentication_error` if the key is for pages of other
 * origins.
 */
export function requireLiveKey<Key extends GuardedKey>(
  found: Key | undefined,
  origin: string | undefined,
): Key {
  if (!found || found.status === 'revoked') throw new ApiError('invalid_api_key');
  if (found.status === 'expired') throw new ApiError('expired_api_key');
  if (!allowsOrigin(found, origin)) {
    throw new ApiError('authentication_error', {
      param: 'Origin',
      message:
        'This API key is only for web pages of its allowed origins. The request came from none of them.',
    });
  }
  return found;
}

/** Throws `beta_access_required` for a credential of an account that has no access. */
export function requireAccess({ inviteStatus }: { inviteStatus: string }): void {
  if (inviteStatus !== 'active') throw new ApiError('beta_access_required');
}
