import { isBillingError, type Attempt } from '../clients/attempt';
import { describe, type Finding, type RowsOfAttempt } from './evidence';

/**
 * Whether a client who was told that his charge could not be recorded was told the truth. The outcome of a commit may
 * have been in doubt then, so that he was charged before; afterwards he is charged by nobody but who resolves a review.
 */
export function auditBillingError(attempt: Attempt, { charges, reviews }: RowsOfAttempt): Finding[] {
  if (!isBillingError(attempt.told)) return [];
  const isResolved = reviews.some(({ reason, state }) => reason === 'charge_failed' && state === 'charged');
  const [charge] = charges;
  if (charge && !isResolved && charge.chargedAtMs > attempt.endedAtMs)
    return [`${describe(attempt)}: charged after that`];
  // Whoever repeats a request is told so while the review of the first one is open: that one has the rows.
  const isKeyed = attempt.request.idempotencyKey !== undefined;
  if (!charge && reviews.length === 0 && !isKeyed)
    return [`${describe(attempt)}: neither charged nor in review`];
  return [];
}
