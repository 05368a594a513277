import { toPublicId } from '@farebox/auth';
import { MOST_IGNORED_NAMES } from '@farebox/contracts';
import { ApiError, toApiError, type ErrorCode } from '@farebox/errors';
import type { WrittenStrings } from '@farebox/http';
import type { IdempotencyClaim, Turns } from '@farebox/ledger';
import { inSpan, type Span } from '@farebox/observability';
import type { Caller } from '../identity/api-keys';
import type { RequestLimiter } from '../limiter/process-limiter';
import { beginAttempt, type UpstreamMeter } from '../telemetry/upstream-attempts';
import { refuseNearbyImages, type ImageHosts } from '../upstream/image-hosts';
import type { RequestProgress } from '../uncharged/request-progress';
import { admitCompletion, type AdmissionDeps } from './admit-completion';
import type { ChatClient, Completion, StopSignal } from './completion';
import { deliverStream } from './deliver-stream';
import { deliverWhole } from './deliver-whole';
import { withHold, type Hold } from './hold';
import { deliverReplay } from './kept-answers';
import { planCompletion, type Asked, type CompletionPlan } from './plan-completion';
import { countTexts, countUsage } from './prompt';

export interface CompleteChatDeps extends AdmissionDeps {
  limiter: RequestLimiter;
  upstreams: UpstreamMeter;
  imageHosts: ImageHosts;
  /** In which long answers are read. */
  turns: Turns;
  /** Aborted when the process must end now. */
  shutdown: StopSignal;
}

export interface ChatRequest extends Asked {
  requestId: string;
  startedAtMs: number;
  caller: Caller;
  /** Identifies the caller anew if their key has changed. Throws if it is no longer live. */
  identifyAgain(): Promise<Caller>;
  /** How its long strings were written, if it is long. */
  written: WrittenStrings | undefined;
  /** What makes it repeatable, if the client wants that. */
  idempotency: IdempotencyClaim | undefined;
  span: Span;
  /** Is told of the hold, or that there is none since the request was charged before. */
  progress: RequestProgress;
}

/**
 * The story of a paid completion: plan it, take a permit, hold its maximum cost, call the model, deliver, charge. One
 * that was charged before is answered with what was kept. Throws what the client is to be told while nothing was sent
 * to them.
 */
export async function completeChat(
  deps: CompleteChatDeps,
  chat: ChatRequest,
  client: ChatClient,
): Promise<void> {
  const { body } = chat;
  const { caller, plan: firstPlan } = await planFirst(deps, chat);
  const permit = await deps.limiter.take(caller.apiKeyId);
  try {
    if (client.gone.aborted) return;
    client.announce(permit.headers);
    client.announce(ignoredHeaders(firstPlan));
    // After the request limit: it takes time.
    await refuseNearbyImages(deps.imageHosts, body);
    const admitted = await inSpan(
      chat.span,
      'admit',
      () => admitCompletion(deps, { ...chat, caller }, firstPlan),
      codeOf,
    );
    if (admitted.outcome === 'replay') {
      chat.progress.isReplay = true;
      await deliverReplay(admitted.answer, client);
      return;
    }
    chat.progress.hold = admitted.hold;
    await withHold(admitted.hold, async (hold) => {
      const completion = toCompletion(deps, chat, client, admitted.plan, hold);
      await (body.stream ? deliverStream(completion) : deliverWhole(completion));
    });
  } finally {
    permit.release();
  }
}

const codeOf = (thrown: unknown): string => toApiError(thrown).code;

/** Names what was left out of the request; a name that no header could have is not told. */
function ignoredHeaders({ ignoredFields }: CompletionPlan): [name: string, value: string][] {
  if (ignoredFields.length === 0) return [];
  const names = ignoredFields.filter((name) => /^[\w.$:-]{1,100}$/.test(name)).slice(0, MOST_IGNORED_NAMES);
  return names.length === 0 ? [] : [['X-Ignored-Fields', names.join(', ')]];
}

/** What a caller who is remembered may not use, they may use since: it is refused only on what the database says now. */
async function planFirst(
  { catalog }: AdmissionDeps,
  chat: ChatRequest,
): Promise<{ caller: Caller; plan: CompletionPlan }> {
  const planFor = (by: Caller): CompletionPlan => planCompletion(catalog.current, by, chat);
  try {
    return { caller: chat.caller, plan: planFor(chat.caller) };
  } catch (error) {
    if (!(error instanceof ApiError && CALLERS_REFUSALS.has(error.code))) throw error;
    const current = await chat.identifyAgain();
    return { caller: current, plan: planFor(current) };
  }
}

/** Those that depend on the key's policy and on its account's cohort. */
const CALLERS_REFUSALS = new Set<ErrorCode>(['model_not_allowed', 'model_not_found']);

function toCompletion(
  { shutdown, now, log, upstreams, counter, turns }: CompleteChatDeps,
  { requestId, startedAtMs, caller, body, written, span }: ChatRequest,
  client: ChatClient,
  plan: CompletionPlan,
  hold: Hold,
): Completion {
  return {
    id: toPublicId('chatcmpl', hold.id),
    createdAt: Math.floor(Date.now() / 1_000),
    startedAtMs,
    accountId: caller.accountId,
    request: body,
    written,
    plan,
    hold,
    client,
    countTexts: (texts) => countTexts(counter, plan, caller.accountId, texts),
    countUsage: (texts) => countUsage(counter, plan, caller.accountId, texts),
    inTurn: (work) => turns.take(caller.accountId, work),
    shutdown,
    now,
    beginAttempt: (target) =>
      beginAttempt({ log, upstreams, span, requestId, modelId: plan.model.id }, target),
  };
}
