import { isBillingError, type Attempt } from '../clients/attempt';
import { describe, type Finding, type RowsOfAttempt } from './evidence';

/**
 * A charge may be under way when its client is told that its outcome is not known: until its call is given up, and for as
 * long as it takes to end what works on it.
 */
const LONGEST_DOUBT_MS = 10_000;

/**
 * Whether a client who was told that his charge could not be recorded has what he is entitled to: a review, or where the
 * charge was recorded after all, its answer or his money.
 */
export function auditBillingError(attempt: Attempt, { charges, reviews }: RowsOfAttempt): Finding[] {
  const { told, request, endedAtMs } = attempt;
  if (!isBillingError(told)) return [];
  const find = (what: string): Finding[] => [`${describe(attempt)}: ${what}`];
  const isKeyed = request.idempotencyKey !== undefined;
  const [charge] = charges;
  // Whoever repeats a request is told so while the review of the first one is open: that one has the rows.
  if (!charge) return reviews.length > 0 || isKeyed ? [] : find('neither charged nor in review');
  if (reviews.some(({ reason }) => reason === 'charge_failed')) return [];
  if (charge.chargedAtMs > endedAtMs + LONGEST_DOUBT_MS) return find('charged long after that');
  const isWithheld = told.kind === 'refused' && !isKeyed;
  return isWithheld && charge.refundedNano === 0n ? find('charged for an answer that was withheld') : [];
}
