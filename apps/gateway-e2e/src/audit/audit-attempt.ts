import { fromPublicId } from '@farebox/auth';
import { fromDecimalUsd } from '@farebox/money';
import { isBillingError, isReplay, type Attempt } from '../clients/attempt';
import { describe, type Finding, type RowsOfAttempt } from './evidence';

/** Compares what the client of one attempt was told with what the database has of it. */
export function auditAttempt(attempt: Attempt, { charges, reviews }: RowsOfAttempt): Finding[] {
  const { told, request } = attempt;
  const findings: string[] = [];
  const find = (what: string): void => void findings.push(`${describe(attempt)}: ${what}`);
  const [charge] = charges;

  if (charges.length > 1) find(`charged ${String(charges.length)} times`);
  for (const { costNano, chargedNano, refundedNano } of charges) {
    if (costNano !== chargedNano)
      find(`its usage record says ${String(costNano)}, its entry ${String(chargedNano)}`);
    if (refundedNano > 0n && refundedNano !== chargedNano)
      find(`charged ${String(chargedNano)}, refunded ${String(refundedNano)}`);
    if (refundedNano > 0n && (mustStand(attempt) || request.idempotencyKey !== undefined)) find('refunded');
  }
  if (charge && reviews.some(({ reason }) => reason === 'gateway_lost')) find('charged, and swept');

  const expected = chargesExpected(attempt);
  if (expected === 'none' && charge) find(`charged ${String(charge.chargedNano)}, and nothing was due`);
  if (expected === 'one' && !charge) find('not charged');
  if (told.kind === 'answered' && !told.replayed && charge) {
    if (charge.id !== fromPublicId('chatcmpl', told.completionId)) find(`charged as ${charge.id}`);
    if (told.cost !== undefined && fromDecimalUsd(told.cost) !== charge.costNano)
      find(`charged ${String(charge.costNano)}`);
  }
  if (told.kind === 'answered' && !request.streamed && told.cost === undefined) find('no cost was said');
  if (told.kind === 'answered' && request.streamed && request.wantsUsage && told.cost === undefined)
    find('no cost was said');
  if (told.kind === 'silent') find('never answered');
  return findings;
}

/** Whether the client has what he paid for. */
function mustStand({ told }: Attempt): boolean {
  return told.kind === 'answered' || (told.kind === 'failed_midway' && told.text !== '');
}

/** How often it must have been charged, by what its client was told. */
function chargesExpected({ told }: Attempt): 'none' | 'one' | 'at_most_one' {
  if (isReplay(told)) return 'none';
  if (isBillingError(told)) return 'at_most_one';
  switch (told.kind) {
    case 'answered':
      return 'one';
    case 'failed_midway':
      return told.text === '' ? 'none' : 'one';
    case 'refused':
    case 'not_connected':
      return 'none';
    case 'hung_up':
    case 'cut':
    case 'silent':
      return 'at_most_one';
  }
}
