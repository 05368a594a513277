import { ApiError } from '@farebox/errors';
import { claimOfItems, type AdmissionResult, type LimitDecision } from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import type { LiveCatalog } from '../upstream/live-catalog';
import type { Caller } from '../identity/api-keys';
import { limitPolicyError, mayFitIfSmaller } from '../limiter/limit-policies';
import { toRefusalError, toStoreError } from '../refusals';
import type { TokenCounter } from '../tokens/token-counter';
import { PlacedHold, type HoldDeps, type HoldRequest } from './hold';
import type { Hold, PaidPlan, PaidRequest, PaidWork, Planner } from './terms';
import { readKeptAnswer, type KeptAnswer } from './kept-answers';
import { isNoRoom, type NoRoom, type NoRoomError } from './no-room';

export interface AdmissionDeps extends HoldDeps {
  counter: TokenCounter;
  catalog: LiveCatalog;
  /** The error if there is no room for a request. */
  noRoomError: NoRoomError;
}

export type Admitted<Plan> =
  /** `limits` are those of the policies that apply to `caller`, if there are any. */
  | { outcome: 'placed'; plan: Plan; hold: Hold; caller: Caller; limits: LimitDecision | undefined }
  | { outcome: 'replay'; answer: KeptAnswer };

/** While the request was looked at, the key may have changed once, and the kept response been purged once. */
const MAX_TRIES = 3;

/**
 * Holds the maximum cost of a request, or finds the response that it was given before. Throws the client's error for
 * a refusal.
 */
export async function admitRequest<Plan extends PaidPlan>(
  deps: AdmissionDeps,
  paid: PaidRequest,
  work: Pick<PaidWork<Plan>, 'streamed' | keyof Planner<Plan>>,
  firstPlan: Plan,
): Promise<Admitted<Plan>> {
  const { id: holdId, requestId, startedAtMs, idempotency, keepsItems = false, span } = paid;
  const { streamed } = work;
  const request = { holdId, requestId, startedAtMs, streamed, idempotency, keepsItems, span };
  let { caller } = paid;
  let plan = firstPlan;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { placement, plan: placed } = await placeWithin(deps, caller, work, plan, request, paid.permit);
    if (placement.outcome === 'placed') {
      const { hold, limits } = placement;
      return { outcome: 'placed', hold, caller, limits, plan: placed };
    }
    if (placement.outcome === 'key_changed') {
      // The key's own settings may have changed too, so everything is decided again.
      const current = await paid.identifyAgain();
      plan = await work.plan(deps.catalog.current, current);
      caller = current;
    } else {
      const key = idempotency?.key ?? '';
      const { accountId, apiKeyId } = caller;
      const claim = { accountId, apiKeyId, key, holdId: placement.holdId };
      const answer = await readKeptAnswer(deps, claim, requestId);
      if (answer) return { outcome: 'replay', answer };
    }
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}

/**
 * Holds the maximum cost by the prompt's bytes. Only if there is no room for that, it counts the prompt and asks for
 * the smaller cost. Throws the refusal if there is no room for it either.
 */
async function placeWithin<Plan extends PaidPlan>(
  deps: AdmissionDeps,
  caller: Caller,
  planner: Planner<Plan>,
  plan: Plan,
  request: HoldRequest,
  permit: PaidRequest['permit'],
): Promise<{ placement: Exclude<Placement, { outcome: 'no_room' }>; plan: Plan }> {
  const placement = await placeHold(deps, caller, plan, request);
  if (placement.outcome !== 'no_room') return { placement, plan };
  const { refused } = placement;
  const refuse = async (result: NoRoom, { maximumCostNano, model }: Plan): Promise<ApiError> => {
    if (result.outcome !== 'limit_policy') return deps.noRoomError(caller, result, maximumCostNano);
    const { window } = await permit;
    return limitPolicyError(caller, result.limits, { modelId: model.id, window });
  };
  if (!mayFit(refused, planner.leastCost(plan))) throw await refuse(refused, plan);
  const counted = await planner.byCount(plan, caller.accountId);
  if (!counted || !isSmaller(counted, plan)) throw await refuse(refused, plan);
  const again = await placeHold(deps, caller, counted, request);
  if (again.outcome === 'no_room') throw await refuse(again.refused, counted);
  return { placement: again, plan: counted };
}

function mayFit(refused: NoRoom, leastCostNano: NanoUsd): boolean {
  if (refused.outcome === 'limit_policy') return mayFitIfSmaller(refused.limits);
  return refused.outcome !== 'insufficient_funds' || refused.availableNano >= leastCostNano;
}

function isSmaller(counted: PaidPlan, plan: PaidPlan): boolean {
  return counted.maximumCostNano < plan.maximumCostNano || counted.mostTokens < plan.mostTokens;
}

type Placement =
  | { outcome: 'placed'; hold: Hold; limits: LimitDecision | undefined }
  /** The caller's key was changed since it was identified, so it must be identified again. */
  | { outcome: 'key_changed' }
  /** There is no room for the plan's maximum cost, but there may be for a smaller cost. */
  | { outcome: 'no_room'; refused: NoRoom }
  /** The request was charged before; its response is kept under that hold. */
  | { outcome: 'replay'; holdId: string };

/** Places a hold over the maximum cost of a plan. Throws the client's error for any other refusal. */
async function placeHold(
  deps: HoldDeps,
  caller: Caller,
  plan: PaidPlan,
  request: HoldRequest,
): Promise<Placement> {
  const { ledger } = deps;
  let result: AdmissionResult;
  try {
    result = await ledger.admit({
      holdId: request.holdId,
      accountId: caller.accountId,
      apiKeyId: caller.apiKeyId,
      apiKeyVersion: caller.version,
      cohortName: caller.cohortName,
      amountNano: plan.maximumCostNano,
      mostTokens: plan.mostTokens,
      modelId: plan.model.id,
      priceVersionId: plan.model.price.id,
      requestId: request.requestId,
      idempotency: request.idempotency ?? (request.keepsItems ? claimOfItems(request.holdId) : undefined),
    });
  } catch (cause) {
    throw toStoreError(cause);
  }
  if (result.outcome === 'admitted') {
    return { outcome: 'placed', hold: new PlacedHold(deps, caller, plan, request), limits: result.limits };
  }
  if (result.outcome === 'key_changed' || result.outcome === 'replay') return result;
  if (isNoRoom(result)) return { outcome: 'no_room', refused: result };
  throw toRefusalError(caller, result, plan.maximumCostNano, Date.now());
}
