import { toNanoUsd } from '@farebox/money';
import type { Admission, AdmissionResult } from '../../src/hold';
import type { Applied } from './operation';
import {
  accountDay,
  accountOf,
  apiKeyMonth,
  availableOf,
  without,
  withValue,
  type Account,
  type ApiKey,
  type Claim,
  type LedgerState,
} from './state';

/** Places a hold unless there is a reason to refuse. */
export function admit(state: LedgerState, gatewayId: string, admission: Admission): Applied<AdmissionResult> {
  const refusal = findRefusal(state, gatewayId, admission);
  if (refusal) return { state, answer: refusal };
  const holds = withValue(state.holds, admission.holdId, { admission, gatewayId, admittedOn: state.today });
  return { state: placeClaim({ ...state, holds }, admission), answer: { outcome: 'admitted' } };
}

/**
 * The first reason in the published order: lease, key, invite, Idempotency-Key, daily caps, allowance for
 * abandoned requests, monthly limit, balance.
 */
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
  if (admission.cohortName !== cohortName) return { outcome: 'key_changed' };
  if (apiKey.isExpired) return { outcome: 'key_expired' };
  if (inviteStatus !== 'active') return { outcome: 'no_access' };
  return undefined;
}

/** An Idempotency-Key is in flight until a charge is recorded, then answered or withheld. */
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

/**
 * Held amounts count as spent, and running requests as abandoned. A limit may be reached but not exceeded.
 */
function findLimitRefusal(state: LedgerState, admission: Admission): AdmissionResult | undefined {
  const { accountId, apiKeyId, amountNano } = admission;
  const account = accountOf(state, accountId);
  const day = accountDay(state, accountId, state.today);
  if (day.requests + 1 > account.dailyRequestCap) return { outcome: 'daily_request_cap' };
  const leftOf = (limitNano: bigint, { spentNano, heldNano }: { spentNano: bigint; heldNano: bigint }) => {
    const leftNano = limitNano - spentNano - heldNano;
    return toNanoUsd(leftNano > 0n ? leftNano : 0n);
  };
  if (day.spentNano + day.heldNano + amountNano > account.dailySpendCapNano)
    return { outcome: 'daily_spend_cap', leftNano: leftOf(account.dailySpendCapNano, day) };

  const { abandonedRequests, abandonedNano, runningNano } = day;
  const { dailyAbandonedRequests, dailyAbandonmentNano } = account;
  if (abandonedRequests + 1 > dailyAbandonedRequests) return { outcome: 'abandonment_cap' };
  if (abandonedNano > 0n && abandonedNano >= dailyAbandonmentNano) return { outcome: 'abandonment_cap' };
  if (abandonedNano + runningNano + amountNano > dailyAbandonmentNano) {
    const atRisk = { spentNano: abandonedNano, heldNano: runningNano };
    return { outcome: 'abandonment_at_risk', leftNano: leftOf(dailyAbandonmentNano, atRisk) };
  }

  const limitNano = state.apiKeys.get(apiKeyId)?.monthlySpendLimitNano;
  const month = apiKeyMonth(state, apiKeyId, state.today);
  if (limitNano !== undefined && month.spentNano + month.heldNano + amountNano > limitNano)
    return { outcome: 'key_month_limit', leftNano: leftOf(limitNano, month) };

  const availableNano = availableOf(state, accountId);
  if (amountNano > availableNano) return { outcome: 'insufficient_funds', availableNano };
  return undefined;
}

/** Changes of access rights. The ledger does not make them, but obeys them from the next admission on. */
export function changeApiKey(
  state: LedgerState,
  apiKeyId: string,
  change: (apiKey: ApiKey) => Partial<ApiKey>,
): Applied<'done'> {
  const apiKey = state.apiKeys.get(apiKeyId);
  if (!apiKey) throw new Error(`the model has no API key ${apiKeyId}`);
  const apiKeys = withValue(state.apiKeys, apiKeyId, { ...apiKey, ...change(apiKey) });
  return { state: { ...state, apiKeys }, answer: 'done' };
}

export function changeAccount(
  state: LedgerState,
  accountId: string,
  change: Partial<Pick<Account, 'inviteStatus' | 'cohortName'>>,
): Applied<'done'> {
  const account = { ...accountOf(state, accountId), ...change };
  return { state: { ...state, accounts: withValue(state.accounts, accountId, account) }, answer: 'done' };
}

/** Bytes as text, for comparisons. */
export function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** The key of a claim: Idempotency-Keys belong to an API key. */
function claimId(apiKeyId: string, key: string): string {
  return `${apiKeyId} ${key}`;
}

/** The claim on an Idempotency-Key. An expired one has no effect, whether or not it was purged. */
export function claimOf(state: LedgerState, apiKeyId: string, key: string): Claim | undefined {
  const claim = state.claims.get(claimId(apiKeyId, key));
  return claim?.expiry === 'passed' ? undefined : claim;
}

/** An admitted request takes its Idempotency-Key. */
function placeClaim(state: LedgerState, admission: Admission): LedgerState {
  const { holdId, apiKeyId, idempotency } = admission;
  if (!idempotency) return state;
  const { key, fingerprint } = idempotency;
  const claim: Claim = {
    apiKeyId,
    key,
    holdId,
    fingerprint: toText(fingerprint),
    state: 'in_flight',
    expiry: 'none',
  };
  return { ...state, claims: withValue(state.claims, claimId(apiKeyId, key), claim) };
}

/** A charge uses the key up: for 24 hours a repetition gets the answer, or an error that it is withheld. */
export function spendClaim(
  state: LedgerState,
  admission: Admission,
  answer: Uint8Array | undefined,
): LedgerState {
  return changeClaim(state, admission, (claim) =>
    answer
      ? { ...claim, state: 'answered', answer: toText(answer), expiry: 'running' }
      : { ...claim, state: 'withheld', expiry: 'running' },
  );
}

/** After a failed charge a repetition gets an error until an operator has decided. */
export function withholdClaim(state: LedgerState, admission: Admission): LedgerState {
  return changeClaim(state, admission, (claim) => ({ ...claim, state: 'withheld' }));
}

/** Nothing was charged, so the key may be used again. */
export function freeClaim(state: LedgerState, { apiKeyId, idempotency }: Admission): LedgerState {
  if (!idempotency) return state;
  return { ...state, claims: without(state.claims, claimId(apiKeyId, idempotency.key)) };
}

export function expireAnswers(state: LedgerState): Applied<'done'> {
  const claims = [...state.claims].map(([id, claim]): [string, Claim] => [
    id,
    claim.expiry === 'running' ? { ...claim, expiry: 'passed' } : claim,
  ]);
  return { state: { ...state, claims: new Map(claims) }, answer: 'done' };
}

export function purgeKeptAnswers(state: LedgerState): Applied<'done'> {
  const claims = [...state.claims].filter(([, claim]) => claim.expiry !== 'passed');
  return { state: { ...state, claims: new Map(claims) }, answer: 'done' };
}

/** Until a request is settled its claim is its own, because no other request can take the key. */
function changeClaim(
  state: LedgerState,
  { apiKeyId, idempotency }: Admission,
  change: (claim: Claim) => Claim,
): LedgerState {
  const id = idempotency && claimId(apiKeyId, idempotency.key);
  const claim = id === undefined ? undefined : state.claims.get(id);
  if (id === undefined || !claim) return state;
  return { ...state, claims: withValue(state.claims, id, change(claim)) };
}
