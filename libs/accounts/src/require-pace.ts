import { ApiError } from '@farebox/errors';

const DAY_MS = 86_400_000;

/**
 * Of things that leave a row behind for good, an account makes at most so many in 24 hours. `earlier` is when the one
 * was made that is so many back, where there is one. Throws `rate_limit_error` with the time until it is a day old.
 */
export function requirePace(
  earlier: Date | undefined,
  now: Date,
  { mostADay, plural }: { mostADay: number; plural: string },
): void {
  if (!earlier) return;
  const waitMs = earlier.getTime() + DAY_MS - now.getTime();
  if (waitMs <= 0) return;
  throw new ApiError('rate_limit_error', {
    message: `An account makes at most ${String(mostADay)} ${plural} in 24 hours.`,
    retryAfterSeconds: waitMs / 1_000,
  });
}
