import type { Attempt } from '../clients/attempt';
import { auditAttempt } from './audit-attempt';
import { auditBillingError } from './audit-billing-error';
import { auditDelivered } from './audit-delivered';
import { auditKey } from './audit-key';
import { auditMoney } from './audit-money';
import { auditReviews } from './audit-reviews';
import { auditUpstreamCalls } from './audit-upstream';
import type { Evidence, Finding } from './evidence';
import { groupBy } from './group-by';

/** Compares what every client was told with what the database says. Answers with everything that differs. */
export function audit(evidence: Evidence): Finding[] {
  const { attempts, unanswered, upstreamCalls, books, paidInNano } = evidence;
  const chargesOf = groupBy(books.charges, ({ requestId }) => requestId);
  const reviewsOf = groupBy(books.reviews, ({ requestId }) => requestId);
  const chargesOfAll = (of: readonly Attempt[]) =>
    of.flatMap(({ requestId }) => chargesOf.get(requestId) ?? []);
  const findings: Finding[] = [];

  for (const attempt of attempts) {
    const charges = chargesOf.get(attempt.requestId) ?? [];
    const reviews = reviewsOf.get(attempt.requestId) ?? [];
    const rows = { charges, reviews };
    findings.push(...auditAttempt(attempt, rows), ...auditBillingError(attempt, rows));
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
    findings.push(...auditUpstreamCalls(sendings, { calls, charges: charges.length }));
  }
  for (const { key, lastTold } of unanswered)
    findings.push(`the ${key} was never answered; the last word was ${JSON.stringify(lastTold)}`);

  const known = new Set(attempts.map(({ requestId }) => requestId));
  for (const { requestId } of [...books.charges, ...books.reviews])
    if (!known.has(requestId)) findings.push(`nobody has sent the request ${requestId}`);
  return [...findings, ...auditMoney(books, paidInNano)];
}
