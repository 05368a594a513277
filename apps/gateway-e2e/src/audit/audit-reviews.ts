import { isBillingError, type Attempt } from '../clients/attempt';
import type { Disturbance } from '../breakable/restartable-process';
import type { ReviewRow } from './books';
import { describe, type Finding } from './evidence';

/** How long a gateway may still be busy with a request whose client has gone: no wait within it is longer. */
const AFTERMATH_MS = 10_000;

interface Circumstances {
  ofGateway: readonly Disturbance[];
  ofDatabase: readonly Disturbance[];
  resolvedWithinMs: number;
}

/** Whether the reviews of an attempt have their reason, and came in time. */
export function auditReviews(
  attempt: Attempt,
  reviews: readonly ReviewRow[],
  circumstances: Circumstances,
): Finding[] {
  return reviews.flatMap(({ id, reason, createdAtMs }) => {
    const findings: Finding[] = [];
    if (!isReason(reason, attempt, circumstances))
      findings.push(`${describe(attempt)}: the review ${id} says ${reason}, and there was no cause for it`);
    const heldMs = createdAtMs - attempt.endedAtMs;
    if (reason === 'gateway_lost' && heldMs > circumstances.resolvedWithinMs + AFTERMATH_MS)
      findings.push(`${describe(attempt)}: swept after ${String(Math.round(heldMs / 1_000))} s`);
    return findings;
  });
}

function isReason(reason: string, attempt: Attempt, { ofGateway, ofDatabase }: Circumstances): boolean {
  switch (reason) {
    case 'gateway_lost':
      return wasDisturbed(attempt, ofGateway);
    case 'charge_failed':
      return mayBeUncharged(attempt) && wasDisturbed(attempt, [...ofGateway, ...ofDatabase]);
    case 'usage_over_hold':
    case 'usage_implausible':
      return attempt.request.model === 'tenfold';
    default:
      return false;
  }
}

function wasDisturbed({ startedAtMs, endedAtMs }: Attempt, disturbances: readonly Disturbance[]): boolean {
  return disturbances.some(
    ({ fromMs, untilMs }) => fromMs <= endedAtMs + AFTERMATH_MS && untilMs >= startedAtMs,
  );
}

/** Whether its client was told that the charge failed, or nothing at all. */
function mayBeUncharged({ told }: Attempt): boolean {
  return isBillingError(told) || told.kind === 'hung_up' || told.kind === 'cut';
}
