import type { Admission } from '../../src/admission';
import type { Applied } from './operation';
import { without, withValue, type Claim, type LedgerState } from './state';

/** Bytes as text, to compare them by. */
export function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Where a claim is found: an Idempotency-Key is an API key's own. */
function claimId(apiKeyId: string, key: string): string {
  return `${apiKeyId} ${key}`;
}

/** The claim on an Idempotency-Key. One that has had its time counts for nothing, whether it is still there or not. */
export function claimOf(state: LedgerState, apiKeyId: string, key: string): Claim | undefined {
  const claim = state.claims.get(claimId(apiKeyId, key));
  return claim?.expiry === 'passed' ? undefined : claim;
}

/** An admitted request takes its Idempotency-Key. */
export function placeClaim(state: LedgerState, admission: Admission): LedgerState {
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

/** A charge spends the key: for 24 hours a repetition gets the answer, or hears that there is none to get. */
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

/** A failed charge: a repetition hears so until an operator has decided. */
export function withholdClaim(state: LedgerState, admission: Admission): LedgerState {
  return changeClaim(state, admission, (claim) => ({ ...claim, state: 'withheld' }));
}

/** Nothing was charged: the key may be used again. */
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

export function forgetAnswers(state: LedgerState): Applied<'done'> {
  const claims = [...state.claims].filter(([, claim]) => claim.expiry !== 'passed');
  return { state: { ...state, claims: new Map(claims) }, answer: 'done' };
}

/** The claim of a request that is not settled yet is its own: nobody else can have taken the key. */
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
