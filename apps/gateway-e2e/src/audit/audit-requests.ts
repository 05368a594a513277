import { fromPublicId } from '@farebox/auth';
import { fromDecimalUsd } from '@farebox/money';
import { isBillingError, isReplay, type Attempt } from '../../test/chat-client';
import { describe, type Charge, type Finding, type ReviewRow, type RowsOfAttempt } from './evidence';
import { costNanoOf } from '../../test/breakable-service';
import type { Disturbance } from '../../test/restartable-process';

/** Compares what the client of one attempt received with the database. */
export function auditAttempt(attempt: Attempt, { charges, reviews }: RowsOfAttempt): Finding[] {
  const { result, request } = attempt;
  const findings: string[] = [];
  const find = (what: string): void => void findings.push(`${describe(attempt)}: ${what}`);
  const [charge] = charges;

  if (charges.length > 1) find(`charged ${String(charges.length)} times`);
  for (const { costNano, chargedNano, refundedNano } of charges) {
    if (costNano !== chargedNano)
      find(`its usage record says ${String(costNano)}, its entry ${String(chargedNano)}`);
    if (refundedNano > 0n && refundedNano !== chargedNano)
      find(`charged ${String(chargedNano)}, refunded ${String(refundedNano)}`);
    if (refundedNano > 0n && (hasPaidAnswer(attempt) || request.idempotencyKey !== undefined))
      find('refunded');
  }
  if (charge && reviews.some(({ reason }) => reason === 'gateway_lost')) find('charged, and swept');

  const expected = chargesExpected(attempt);
  if (expected === 'none' && charge) find(`charged ${String(charge.chargedNano)}, and nothing was due`);
  if (expected === 'one' && !charge) find('not charged');
  if (result.kind === 'answered' && !result.replayed && charge) {
    if (charge.id !== fromPublicId('chatcmpl', result.completionId)) find(`charged as ${charge.id}`);
    if (result.cost !== undefined && fromDecimalUsd(result.cost) !== charge.costNano)
      find(`charged ${String(charge.costNano)}`);
  }
  if (result.kind === 'answered' && !request.streamed && result.cost === undefined) find('no cost was said');
  if (result.kind === 'answered' && request.streamed && request.wantsUsage && result.cost === undefined)
    find('no cost was said');
  if (result.kind === 'silent') find('never answered');
  return findings;
}

/** Whether the client has what they paid for. */
function hasPaidAnswer({ result }: Attempt): boolean {
  return result.kind === 'answered' || (result.kind === 'failed_midway' && result.text !== '');
}

/** How often it must have been charged, according to its client. */
function chargesExpected({ result }: Attempt): 'none' | 'one' | 'at_most_one' {
  if (isReplay(result)) return 'none';
  if (isBillingError(result)) return 'at_most_one';
  switch (result.kind) {
    case 'answered':
      return 'one';
    case 'failed_midway':
      return result.text === '' ? 'none' : 'one';
    case 'refused':
    case 'not_connected':
      return 'none';
    case 'hung_up':
    case 'cut':
    case 'silent':
      return 'at_most_one';
  }
}

/**
 * A charge may still be running when its client gets an unknown outcome: until its call is abandoned and its
 * work has ended.
 */
const LONGEST_DOUBT_MS = 10_000;

/**
 * Whether a client whose charge could not be recorded has what they are owed: a review, or if the charge was
 * recorded after all, its answer or a refund.
 */
export function auditBillingError(
  attempt: Attempt,
  { charges, reviews }: RowsOfAttempt,
  crashes: readonly Disturbance[] = [],
): Finding[] {
  const { result, request, endedAtMs } = attempt;
  if (!isBillingError(result)) return [];
  const find = (what: string): Finding[] => [`${describe(attempt)}: ${what}`];
  const isKeyed = request.idempotencyKey !== undefined;
  const [charge] = charges;
  // A repeated request gets this while the review of the first one is open, which has the rows.
  if (!charge && isFreeByCrash(attempt, crashes)) return [];
  if (!charge) return reviews.length > 0 || isKeyed ? [] : find('neither charged nor in review');
  if (reviews.some(({ reason }) => reason === 'charge_failed')) return [];
  if (charge.chargedAtMs > endedAtMs + LONGEST_DOUBT_MS) return find('charged long after that');
  const isWithheld = result.kind === 'refused' && !isKeyed;
  return isWithheld && charge.refundedNano === 0n ? find('charged for an answer that was withheld') : [];
}

/**
 * Whether a crash of the database may have lost the hold: nothing was delivered then, and nothing can be
 * charged. A stream is delivered only once its hold is on the disk. A request sent after the crash cannot
 * have lost a hold by it.
 */
export function isFreeByCrash({ result, ...attempt }: Attempt, crashes: readonly Disturbance[]): boolean {
  if (result.kind !== 'refused') return false;
  if (result.code !== 'billing_error' && result.code !== 'service_unavailable') return false;
  return crashes.some(({ fromMs, goneAtMs }) => {
    return goneAtMs !== undefined && attempt.startedAtMs <= goneAtMs && fromMs <= attempt.endedAtMs;
  });
}

/**
 * Whether a gateway that was stopped meanwhile refused a stream after its upstream was asked: it did not see
 * in time that the hold is on the disk, and released it.
 */
export function isFreeByStop(
  { result, request, ...attempt }: Attempt,
  stops: readonly Disturbance[],
): boolean {
  if (!request.streamed || result.kind !== 'refused' || result.code !== 'service_unavailable') return false;
  return stops.some(({ fromMs, untilMs }) => fromMs <= attempt.endedAtMs && attempt.startedAtMs <= untilMs);
}

/** Whether an unfinished stream costs what was delivered of it, charged or in review. */
export function auditDelivered(
  attempt: Attempt,
  { charges, reviews }: RowsOfAttempt,
  countTokens: (text: string) => number,
): Finding[] {
  const { result, request } = attempt;
  // This model reports more than was delivered.
  if (request.model === 'tenfold') return [];
  const records = [...charges, ...reviews.filter(({ reason }) => reason === 'charge_failed')];
  return records.flatMap((record) => {
    const findings: Finding[] = [];
    const tokens = record.completionTokens ?? 0;
    if (
      costOfRecord(record) !==
      costNanoOf({ promptTokens: record.promptTokens ?? 0, completionTokens: tokens })
    )
      findings.push(`${describe(attempt)}: ${String(tokens)} tokens at ${String(costOfRecord(record))}`);
    if (!('text' in result)) return findings;
    const seen = countTokens(result.text);
    const isRight = result.kind === 'failed_midway' ? tokens === seen : tokens >= seen;
    if (!isRight)
      findings.push(`${describe(attempt)}: saw ${String(seen)} tokens, and ${String(tokens)} count`);
    return findings;
  });
}

function costOfRecord(record: Charge | ReviewRow): bigint | null {
  return 'measuredNano' in record ? record.measuredNano : record.costNano;
}
