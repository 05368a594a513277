import type { Admission, AdmissionResult } from '../../src/admission';
import { claimOf, placeClaim, toText } from './claims';
import type { Applied } from './operation';
import { accountOf, withValue, type LedgerState } from './state';
import { accountDay, apiKeyMonth, availableOf } from './sums';

/** Places a hold if nothing speaks against it. */
export function admit(state: LedgerState, gatewayId: string, admission: Admission): Applied<AdmissionResult> {
  const refusal = findRefusal(state, gatewayId, admission);
  if (refusal) return { state, answer: refusal };
  const holds = withValue(state.holds, admission.holdId, { admission, gatewayId, admittedOn: state.today });
  return { state: placeClaim({ ...state, holds }, admission), answer: { outcome: 'admitted' } };
}

/** The first reason in the published order: lease, key, invite, Idempotency-Key, daily caps, month, balance. */
function findRefusal(
  state: LedgerState,
  gatewayId: string,
  admission: Admission,
): AdmissionResult | undefined {
  if (state.lapsedGateways.has(gatewayId)) return { outcome: 'lease_lapsed' };
  return (
    findAccessRefusal(state, admission) ??
    findClaimRefusal(state, admission) ??
    findLimitRefusal(state, admission)
  );
}

function findAccessRefusal(state: LedgerState, admission: Admission): AdmissionResult | undefined {
  const apiKey = state.apiKeys.get(admission.apiKeyId);
  if (apiKey?.accountId !== admission.accountId || apiKey.isRevoked) return { outcome: 'key_not_live' };
  const { cohortName, inviteStatus } = accountOf(state, admission.accountId);
  if (apiKey.version !== admission.apiKeyVersion) return { outcome: 'key_changed' };
  if (admission.cohortName !== undefined && admission.cohortName !== cohortName)
    return { outcome: 'key_changed' };
  if (apiKey.isExpired) return { outcome: 'key_expired' };
  if (inviteStatus !== 'active') return { outcome: 'no_access' };
  return undefined;
}

/** A key is spent exactly when a charge is recorded: until then it is in flight, after that it is answered or withheld. */
function findClaimRefusal(state: LedgerState, admission: Admission): AdmissionResult | undefined {
  const { apiKeyId, idempotency } = admission;
  const claim = idempotency && claimOf(state, apiKeyId, idempotency.key);
  if (!claim) return undefined;
  if (claim.fingerprint !== toText(idempotency.fingerprint)) return { outcome: 'idempotency_conflict' };
  switch (claim.state) {
    case 'in_flight':
      return { outcome: 'idempotency_in_progress' };
    case 'answered':
      return { outcome: 'replay', holdId: claim.holdId };
    case 'withheld':
      return { outcome: 'answer_withheld' };
  }
}

/** What is held counts as spent. A limit may be reached and not passed. */
function findLimitRefusal(state: LedgerState, admission: Admission): AdmissionResult | undefined {
  const { accountId, apiKeyId, amountNano } = admission;
  const account = accountOf(state, accountId);
  const day = accountDay(state, accountId, state.today);
  if (day.requests + 1 > account.dailyRequestCap) return { outcome: 'daily_request_cap' };
  if (day.spentNano + day.heldNano + amountNano > account.dailySpendCapNano)
    return { outcome: 'daily_spend_cap' };

  const limitNano = state.apiKeys.get(apiKeyId)?.monthlySpendLimitNano;
  const month = apiKeyMonth(state, apiKeyId, state.today);
  if (limitNano !== undefined && month.spentNano + month.heldNano + amountNano > limitNano)
    return { outcome: 'key_month_limit' };

  const availableNano = availableOf(state, accountId);
  if (amountNano > availableNano) return { outcome: 'insufficient_funds', availableNano };
  return undefined;
}
