import { ApiError } from '@farebox/errors';
import { uuidV7 } from '@farebox/ids';
import type { LiveCatalog } from '../catalog/live-catalog';
import type { TokenCounter } from '../token-counts/token-counter';
import type { Caller } from '../identity/caller';
import type { ChatRequest } from './complete-chat';
import { placeHold, type Hold, type HoldDeps, type HoldRequest, type Placement } from './hold';
import type { KeptAnswer } from './kept-answer';
import { leastCost, planByCount, planCompletion, type CompletionPlan } from './plan-completion';
import { countPrompt } from './prompt-count';
import { readKeptAnswer } from './read-kept-answer';

export interface AdmissionDeps extends HoldDeps {
  counter: TokenCounter;
  catalog: LiveCatalog;
}

export type AdmittedCompletion =
  { outcome: 'placed'; plan: CompletionPlan; hold: Hold } | { outcome: 'replay'; answer: KeptAnswer };

/** The key may have changed once, and the kept answer been forgotten once, while the request was looked at. */
const MAX_TRIES = 3;

/**
 * Holds the maximum cost of a completion, or finds the answer that it was given before. Throws what the client is to
 * be told of a refusal.
 */
export async function admitCompletion(
  deps: AdmissionDeps,
  chat: ChatRequest,
  firstPlan: CompletionPlan,
): Promise<AdmittedCompletion> {
  const { requestId, startedAtMs, body, idempotency, span } = chat;
  const streamed = body.stream === true;
  const request = { holdId: uuidV7(), requestId, startedAtMs, streamed, idempotency, span };
  let { caller } = chat;
  let plan = firstPlan;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { placement, plan: placed } = await placeWithin(deps, caller, plan, request);
    if (placement.outcome === 'placed') return { ...placement, plan: placed };
    if (placement.outcome === 'key_changed') {
      // The key's own settings may have changed with it: everything is decided once more.
      const current = await chat.identifyAgain();
      plan = planCompletion(deps.catalog.current, current, body);
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
 * Holds what the prompt's bytes cost at most. Only if there is no room for that is the prompt counted, and the smaller cost
 * asked for. Throws the refusal if it has no room either.
 */
async function placeWithin(
  deps: AdmissionDeps,
  caller: Caller,
  plan: CompletionPlan,
  request: HoldRequest,
): Promise<{ placement: Exclude<Placement, { outcome: 'no_room' }>; plan: CompletionPlan }> {
  const placement = await placeHold(deps, caller, plan, request);
  if (placement.outcome !== 'no_room') return { placement, plan };
  const { error, availableNano } = placement;
  if (availableNano !== undefined && availableNano < leastCost(plan)) throw error;
  const count = await countPrompt(deps.counter, plan, caller.accountId);
  if (!count) throw error;
  const counted = planByCount(plan, count);
  if (counted.maximumCostNano >= plan.maximumCostNano) throw error;
  const again = await placeHold(deps, caller, counted, request);
  if (again.outcome === 'no_room') throw again.error;
  return { placement: again, plan: counted };
}
