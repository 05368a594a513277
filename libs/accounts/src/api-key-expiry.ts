import { ApiError } from '@farebox/errors';

const MS_PER_SECOND = 1_000;

/** When a key expires, and from when that was counted. */
export interface ApiKeyExpiry {
  expiresAt: Date | null;
  lifetimeStartsAt: Date;
}

/** Throws `invalid_request_error` for an expiry that is not in the future by the database's clock. */
export function requireFuture(expiresAt: Date | null | undefined, now: Date): void {
  if (expiresAt && expiresAt.getTime() <= now.getTime()) {
    throw new ApiError('invalid_request_error', {
      param: 'expires_at',
      message: "'expires_at' must be a time in the future.",
    });
  }
}

/**
 * When a key expires after its secret was replaced: when its owner says (`null`: never). Where he says nothing, a key
 * that has not expired keeps its expiry, and an expired one gets its former lifetime again, from now on and rounded
 * up to a whole second. The lifetime is the one that its owner gave: a rotation in the middle of it does not shorten it.
 */
export function expiryAfterRotation(
  { expiresAt, lifetimeStartsAt }: ApiKeyExpiry,
  requested: Date | null | undefined,
  now: Date,
): ApiKeyExpiry {
  if (requested !== undefined) return { expiresAt: requested, lifetimeStartsAt: now };
  if (expiresAt === null || expiresAt.getTime() > now.getTime()) return { expiresAt, lifetimeStartsAt };
  const lifetimeMs = expiresAt.getTime() - lifetimeStartsAt.getTime();
  const expiresAtMs = Math.ceil((now.getTime() + lifetimeMs) / MS_PER_SECOND) * MS_PER_SECOND;
  return { expiresAt: new Date(expiresAtMs), lifetimeStartsAt: new Date(expiresAtMs - lifetimeMs) };
}
