import { isReplay, type Attempt } from '../clients/attempt';
import type { Charge } from './books';
import { describe, type Finding } from './evidence';

/** Compares all attempts under one Idempotency-Key with each other and with what was charged for them. */
export function auditKey(attempts: readonly Attempt[], charges: readonly Charge[]): Finding[] {
  const [first] = attempts;
  if (!first) return [];
  const findings: string[] = [];
  const find = (attempt: Attempt, what: string): void => void findings.push(`${describe(attempt)}: ${what}`);

  if (charges.length > 1) {
    const each = attempts.map(describe).join('; ');
    findings.push(`${String(charges.length)} charges under one Idempotency-Key: ${each}`);
  }
  const spent = attempts.find(({ told }) => told.kind === 'answered' || isReplay(told));
  if (spent && charges.length === 0) find(spent, 'nothing was charged under its Idempotency-Key');

  let reference: Attempt | undefined;
  for (const attempt of attempts) {
    if (attempt.told.kind !== 'answered') continue;
    reference ??= attempt;
    if (reference.told.kind !== 'answered') continue;
    const { completionId, content, cost } = reference.told;
    const isSame =
      attempt.told.completionId === completionId &&
      attempt.told.content === content &&
      attempt.told.cost === cost;
    if (!isSame) find(attempt, `answered otherwise than ${describe(reference)}`);
  }
  return findings;
}
