import { ApiError } from '@farebox/errors';

const MS_PER_SECOND = 1_000;

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
 * up to a whole second.
 */
export function expiryAfterRotation(
  key: { expiresAt: Date | null; secretIssuedAt: Date },
  requested: Date | null | undefined,
  now: Date,
): Date | null {
  if (requested !== undefined) return requested;
  if (key.expiresAt === null || key.expiresAt.getTime() > now.getTime()) return key.expiresAt;
  const lifetimeMs = key.expiresAt.getTime() - key.secretIssuedAt.getTime();
  return new Date(Math.ceil((now.getTime() + lifetimeMs) / MS_PER_SECOND) * MS_PER_SECOND);
}
