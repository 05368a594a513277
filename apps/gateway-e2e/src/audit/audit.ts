import { hasSoundUpstream, isBillingError, isReplay, type Attempt } from '../../test/chat-client';
import {
  auditAttempt,
  auditBillingError,
  auditDelivered,
  isFreeByCrash,
  isFreeByStop,
} from './audit-requests';
import { describe, type Books, type Charge, type Evidence, type Finding, type ReviewRow } from './evidence';
import type { Disturbance } from '../../test/restartable-process';

/** Compares what every client received with the database. Returns all differences. */
export function audit(evidence: Evidence): Finding[] {
  const { attempts, unanswered, upstreamCalls, books, paidInNano } = evidence;
  const chargesOf = groupBy(books.charges, ({ requestId }) => requestId);
  const reviewsOf = groupBy(books.reviews, ({ requestId }) => requestId);
  const chargesOfAll = (of: readonly Attempt[]) =>
    of.flatMap(({ requestId }) => chargesOf.get(requestId) ?? []);
  const findings: Finding[] = [];
  const crashes = evidence.databaseDisturbances;

  for (const attempt of attempts) {
    const charges = chargesOf.get(attempt.requestId) ?? [];
    const reviews = reviewsOf.get(attempt.requestId) ?? [];
    const rows = { charges, reviews };
    findings.push(...auditAttempt(attempt, rows), ...auditBillingError(attempt, rows, crashes));
    findings.push(...auditDelivered(attempt, rows, evidence.countTokens));
    findings.push(
      ...auditReviews(attempt, reviews, {
        ofGateway: evidence.disturbances[attempt.gateway] ?? [],
        ofDatabase: evidence.databaseDisturbances,
        resolvedWithinMs: evidence.resolvedWithinMs,
      }),
    );
  }
  for (const [name, sendings] of groupBy(attempts, ({ request }) => request.name)) {
    const charges = chargesOfAll(sendings);
    if (sendings[0]?.request.idempotencyKey !== undefined) findings.push(...auditKey(sendings, charges));
    const calls = upstreamCalls.get(name) ?? 0;
    const hadAsked = (attempt: Attempt): boolean =>
      isFreeByCrash(attempt, crashes) || isFreeByStop(attempt, evidence.disturbances[attempt.gateway] ?? []);
    findings.push(...auditUpstreamCalls(sendings, { calls, charges: charges.length }, hadAsked));
  }
  for (const { key, lastResult } of unanswered)
    findings.push(`the ${key} was never answered; the last word was ${JSON.stringify(lastResult)}`);

  const known = new Set(attempts.map(({ requestId }) => requestId));
  for (const { requestId } of [...books.charges, ...books.reviews])
    if (!known.has(requestId)) findings.push(`nobody has sent the request ${requestId}`);
  return [...findings, ...auditMoney(books, paidInNano)];
}

/** Whether all money is accounted for, and none is held except by reviews. */
export function auditMoney(
  { charges, reviews, heldRequestIds, balanceNano, heldNano }: Books,
  paidInNano: bigint,
): Finding[] {
  const findings: string[] = [];
  const spentNano = charges.reduce((sum, charge) => sum + charge.chargedNano - charge.refundedNano, 0n);
  if (paidInNano - spentNano !== balanceNano) {
    findings.push(
      `paid in ${String(paidInNano)}, spent ${String(spentNano)}, and the balances are ${String(balanceNano)}`,
    );
  }
  for (const requestId of heldRequestIds) findings.push(`request ${requestId} is still held`);
  const reservedNano = reviews.reduce((sum, review) => sum + review.reservedNano, 0n);
  if (heldNano !== reservedNano)
    findings.push(`${String(heldNano)} nano-dollars are held, and reviews reserve ${String(reservedNano)}`);
  return findings;
}

/** Compares all attempts under one Idempotency-Key with each other and with their charges. */
export function auditKey(attempts: readonly Attempt[], charges: readonly Charge[]): Finding[] {
  const [first] = attempts;
  if (!first) return [];
  const findings: string[] = [];
  const find = (attempt: Attempt, what: string): void => void findings.push(`${describe(attempt)}: ${what}`);

  if (charges.length > 1) {
    const each = attempts.map(describe).join('; ');
    findings.push(`${String(charges.length)} charges under one Idempotency-Key: ${each}`);
  }
  const spent = attempts.find(({ result }) => result.kind === 'answered' || isReplay(result));
  if (spent && charges.length === 0) find(spent, 'nothing was charged under its Idempotency-Key');

  let reference: Attempt | undefined;
  for (const attempt of attempts) {
    if (attempt.result.kind !== 'answered') continue;
    reference ??= attempt;
    if (reference.result.kind !== 'answered') continue;
    const { completionId, content, cost } = reference.result;
    const isSame =
      attempt.result.completionId === completionId &&
      attempt.result.content === content &&
      attempt.result.cost === cost;
    if (!isSame) find(attempt, `answered differently from ${describe(reference)}`);
  }
  return findings;
}

/** Refusals that can follow a call to a sound upstream: a gateway that was stopped is late. */
const MAY_FOLLOW_A_CALL: ReadonlySet<string> = new Set(['billing_error', 'upstream_timeout']);

/** Compares the number of upstream calls for a request with the results of its attempts. */
export function auditUpstreamCalls(
  attempts: readonly Attempt[],
  { calls, charges }: { calls: number; charges: number },
  /** Whether an attempt reached the upstream although its result seems to rule that out. */
  hadAsked: (attempt: Attempt) => boolean = () => false,
): Finding[] {
  const [first] = attempts;
  if (!first) return [];
  const findings: string[] = [];
  const mayHaveAsked = attempts.filter((attempt) => !hasAskedNobody(attempt) || hadAsked(attempt)).length;
  if (calls > mayHaveAsked) {
    findings.push(
      `${describe(first)}: its ${String(attempts.length)} sendings made ${String(calls)} calls of the upstream, at most ${String(mayHaveAsked)} were due`,
    );
  }
  if (calls < charges)
    findings.push(
      `${describe(first)}: ${String(charges)} charges for ${String(calls)} calls of the upstream`,
    );
  return findings;
}

/** Whether an attempt's result shows that it cannot have reached the upstream. */
function hasAskedNobody({ result, request }: Attempt): boolean {
  if (result.kind === 'not_connected' || isReplay(result)) return true;
  return result.kind === 'refused' && !MAY_FOLLOW_A_CALL.has(result.code) && hasSoundUpstream(request);
}

/** How long a gateway may still work on a request whose client has left: no wait within it is longer. */
const AFTERMATH_MS = 10_000;

interface Circumstances {
  ofGateway: readonly Disturbance[];
  ofDatabase: readonly Disturbance[];
  resolvedWithinMs: number;
}

/** Whether the reviews of an attempt have a valid reason, and came in time. */
export function auditReviews(
  attempt: Attempt,
  reviews: readonly ReviewRow[],
  circumstances: Circumstances,
): Finding[] {
  return reviews.flatMap(({ id, reason, createdAtMs }) => {
    const findings: Finding[] = [];
    if (!isReason(reason, attempt, circumstances))
      findings.push(`${describe(attempt)}: the review ${id} says ${reason} without a cause`);
    const heldMs = createdAtMs - attempt.endedAtMs;
    if (reason === 'gateway_lost' && heldMs > circumstances.resolvedWithinMs + AFTERMATH_MS)
      findings.push(`${describe(attempt)}: swept after ${String(Math.round(heldMs / 1_000))} s`);
    return findings;
  });
}

function isReason(reason: string, attempt: Attempt, { ofGateway, ofDatabase }: Circumstances): boolean {
  switch (reason) {
    case 'gateway_lost':
      return wasDisturbed({ ...attempt, endedAtMs: busyUntilMs(attempt, ofDatabase) }, ofGateway);
    case 'charge_failed':
      return mayBeUncharged(attempt) && wasDisturbed(attempt, [...ofGateway, ...ofDatabase]);
    case 'usage_over_hold':
    case 'usage_implausible':
      return attempt.request.model === 'tenfold';
    // Nothing of its response could be written: its client or its gateway's connection was gone.
    case 'response_lost':
      return true;
    default:
      return false;
  }
}

/**
 * A gateway is not done with a request while its database is away: it keeps a pending charge until the
 * database is back.
 */
function busyUntilMs(attempt: Attempt, ofDatabase: readonly Disturbance[]): number {
  const away = ofDatabase.filter((one) => wasDisturbed(attempt, [one]));
  return Math.max(attempt.endedAtMs, ...away.map(({ untilMs }) => untilMs));
}

function wasDisturbed({ startedAtMs, endedAtMs }: Attempt, disturbances: readonly Disturbance[]): boolean {
  return disturbances.some(
    ({ fromMs, untilMs }) => fromMs <= endedAtMs + AFTERMATH_MS && untilMs >= startedAtMs,
  );
}

/** Whether its client got a failed charge, or nothing at all. */
function mayBeUncharged({ result }: Attempt): boolean {
  return isBillingError(result) || result.kind === 'hung_up' || result.kind === 'cut';
}

/** Groups items by key; each group keeps its order. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
