import type { Books } from './books';
import type { Finding } from './evidence';

/** Whether all of the money is there, and none of it held but for what reviews reserve. */
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
