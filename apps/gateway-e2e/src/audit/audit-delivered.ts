import { costNanoOf } from '../breakable/catalog';
import type { Attempt } from '../clients/attempt';
import type { Charge, ReviewRow } from './books';
import { describe, type Finding, type RowsOfAttempt } from './evidence';

/** Whether a stream that did not come to its end costs what was delivered of it: what was charged, or is in review. */
export function auditDelivered(
  attempt: Attempt,
  { charges, reviews }: RowsOfAttempt,
  countTokens: (text: string) => number,
): Finding[] {
  const { told, request } = attempt;
  // More is reported of this one than was delivered.
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
    if (!('text' in told)) return findings;
    const seen = countTokens(told.text);
    const isRight = told.kind === 'failed_midway' ? tokens === seen : tokens >= seen;
    if (!isRight)
      findings.push(`${describe(attempt)}: saw ${String(seen)} tokens, and ${String(tokens)} count`);
    return findings;
  });
}

function costOfRecord(record: Charge | ReviewRow): bigint | null {
  return 'measuredNano' in record ? record.measuredNano : record.costNano;
}
