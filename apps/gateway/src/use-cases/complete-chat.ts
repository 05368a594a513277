import type { ChatCompletionRequest } from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import { toPublicId, uuidV7 } from '@farebox/ids';
import type { LiveCatalog } from '../catalog/live-catalog';
import type { Caller } from '../identity/caller';
import type { RequestLimiter } from '../limiter/request-limiter';
import type { RouteTarget } from '../upstream/call-routes';
import type { UpstreamFailure } from '../upstream/failure';
import type { ChatClient } from './chat-client';
import type { Completion } from './completion';
import { deliverStream } from './deliver-stream';
import { deliverWhole } from './deliver-whole';
import { KEY_CHANGED, placeHold, type Hold, type HoldDeps } from './hold';
import { planCompletion, type CompletionPlan } from './plan-completion';

export interface CompleteChatDeps extends HoldDeps {
  catalog: LiveCatalog;
  limiter: RequestLimiter;
  /** Aborted when the process must end now. */
  shutdown: AbortSignal;
}

export interface ChatRequest {
  requestId: string;
  startedAtMs: number;
  caller: Caller;
  /** Identifies the caller anew, where his key has changed. Throws where it is no longer live. */
  identifyAgain(): Promise<Caller>;
  body: ChatCompletionRequest;
}

/**
 * The story of a paid completion: plan it, take a place, hold its maximum cost, call the model, deliver, charge.
 * Throws what the client is to be told while nothing was sent to him.
 */
export async function completeChat(
  deps: CompleteChatDeps,
  chat: ChatRequest,
  client: ChatClient,
): Promise<void> {
  const firstPlan = planCompletion(deps.catalog.current, chat.caller, chat.body);
  const place = await deps.limiter.take(chat.caller.apiKeyId);
  try {
    if (client.gone.aborted) return;
    client.announce(place.headers);
    const { plan, hold } = await admit(deps, chat, firstPlan);
    const completion = toCompletion(deps, chat, client, plan, hold);
    await (chat.body.stream ? deliverStream(completion) : deliverWhole(completion));
  } finally {
    place.leave();
  }
}

async function admit(
  deps: CompleteChatDeps,
  chat: ChatRequest,
  firstPlan: CompletionPlan,
): Promise<{ plan: CompletionPlan; hold: Hold }> {
  const { requestId, startedAtMs, body } = chat;
  const request = { holdId: uuidV7(), requestId, startedAtMs, streamed: body.stream === true };
  const hold = await placeHold(deps, chat.caller, firstPlan, request);
  if (hold !== KEY_CHANGED) return { plan: firstPlan, hold };

  // The key's own settings may have changed with it: everything is decided once more.
  const caller = await chat.identifyAgain();
  const plan = planCompletion(deps.catalog.current, caller, body);
  const secondHold = await placeHold(deps, caller, plan, request);
  if (secondHold === KEY_CHANGED) throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
  return { plan, hold: secondHold };
}

function toCompletion(
  { shutdown, now, log }: CompleteChatDeps,
  { requestId, startedAtMs, body }: ChatRequest,
  client: ChatClient,
  plan: CompletionPlan,
  hold: Hold,
): Completion {
  return {
    id: toPublicId('chatcmpl', hold.id),
    createdAt: Math.floor(startedAtMs / 1_000),
    startedAtMs,
    request: body,
    plan,
    hold,
    client,
    shutdown,
    now,
    noteFailure({ client: { upstream } }: RouteTarget, failure: UpstreamFailure) {
      const fields = {
        request_id: requestId,
        upstream_id: upstream.id,
        model: plan.model.id,
        reason: failure.kind,
      };
      const status = failure.status === undefined ? {} : { upstream_status: failure.status };
      // A secret or a model that the upstream does not know is for an operator to mend.
      const level = failure.kind === 'misconfigured' ? 'error' : 'warn';
      log[level](
        { event: 'upstream_failed', ...fields, ...status, error: failure.cause },
        'an upstream failed',
      );
    },
  };
}
