import { toPublicId } from '@farebox/auth';
import type { Upstream } from '@farebox/catalog';
import type { WrittenJson } from '@farebox/flow';
import type { BodyRoom } from '@farebox/http';
import type { Caller } from '../identity/api-keys';
import { beginAttempt } from '../upstream/upstream-attempts';
import type { TokenCounter } from '../tokens/token-counter';
import type { CacheMarks } from '../upstream/cache-marks';
import { imageHostsOf, refuseNearbyImages, type ImageHosts } from '../upstream/image-hosts';
import { isSameSpeech } from '../upstream/speech';
import { toUpstreamBody } from '../upstream/upstream-body';
import type { Hold, PaidRequest, Planner } from '../paid/terms';
import { LongAnswer } from '../upstream/long-answer';
import { ignoredHeaders, servePaid, type DeliveryDeps } from '../paid/paid-request';
import { countPrompt, countTexts, countUsage, wordsOf } from '../tokens/prompt-counts';
import { canBePrompt } from '../upstream/usage/sure-prompt';
import type { ChatClient, Completion } from './completion';
import { deliverStream } from './deliver-stream';
import { deliverWhole } from './deliver-whole';
import { deliverReplay } from './replay';
import {
  andThen,
  leastCost,
  planByCount,
  planCompletion,
  planInTurns,
  type Asked,
  type CompletionPlan,
} from './plan-completion';

export interface CompleteChatDeps extends DeliveryDeps {
  imageHosts: ImageHosts;
  cacheMarks: CacheMarks;
}

/** A paid request whose body was read. */
export interface ReadRequest extends PaidRequest {
  /** How the long strings of its body were written, if the body is long. */
  written: WrittenJson | undefined;
  /** Whether its body is too long to be handled at once. */
  isLong: boolean;
  /** The memory that its body takes. */
  room: BodyRoom;
}

/** A paid chat completion. Throws the client's error as long as nothing was sent. */
export function completeChat(
  deps: CompleteChatDeps,
  request: ReadRequest,
  asked: Asked,
  client: ChatClient,
): Promise<void> {
  const { body } = asked;
  const inTurn: InTurn = (work) => deps.turns.take(request.caller.accountId, work);
  const imageHosts = imageHostsOf(body);
  return servePaid<CompletionPlan>(deps, request, client, {
    ...chatPlanner(deps.counter, { ...asked, written: request.written }, request.isLong ? inTurn : undefined),
    streamed: body.stream === true,
    checkSlowly: imageHosts.length === 0 ? undefined : () => refuseNearbyImages(deps.imageHosts, imageHosts),
    replay: (answer) => deliverReplay(answer, client),
    deliver(caller, plan, hold) {
      const completion = toCompletion(deps, request, asked, caller, client, plan, hold);
      if (body.stream) return deliverStream(completion);
      return deliverWhole(completion).finally(() => {
        completion.longAnswer.leave();
      });
    },
  });
}

type InTurn = Completion['inTurn'];

/** `inTurn`: set for a long request, which is planned in turns of the event loop. */
export function chatPlanner(
  counter: TokenCounter,
  asked: Asked,
  inTurn: InTurn | undefined,
): Planner<CompletionPlan> {
  return {
    plan: (catalog, caller) =>
      inTurn ? inTurn(() => planInTurns(catalog, caller, asked)) : planCompletion(catalog, caller, asked),
    leastCost,
    async byCount(plan, accountId) {
      const count = await countPrompt(counter, plan, accountId);
      return count && planByCount(plan, count);
    },
  };
}

function toCompletion(
  { shutdown, now, log, upstreams, counter, turns, longAnswers, cacheMarks }: CompleteChatDeps,
  { requestId, startedAtMs, written, span }: ReadRequest,
  { body, ownNames }: Asked,
  { accountId }: Caller,
  client: ChatClient,
  plan: CompletionPlan,
  hold: Hold,
): Completion {
  /** The body that was sent last, and to which route. */
  let sent = plan.sent[0];
  let asked: Upstream | undefined;
  const nameOf = (field: string): string => ownNames?.get(field) ?? field;
  // Conversations are routed by the customer's own id, within their account only.
  const ownKey = body.prompt_cache_key ?? undefined;
  const markIn = (field: string): string =>
    cacheMarks(accountId, field === 'prompt_cache_key' ? ownKey : undefined);
  const inTurn: InTurn = (work) => turns.take(accountId, work);
  return {
    id: toPublicId('chatcmpl', hold.id),
    createdAt: Math.floor(Date.now() / 1_000),
    startedAtMs,
    accountId,
    request: body,
    plan,
    hold,
    client,
    countTexts: (texts) => countTexts(counter, plan, accountId, texts),
    words: wordsOf(counter, plan),
    countUsage: (texts) => countUsage(counter, { ...plan, prompt: sent.prompt }, accountId, texts),
    canBePrompt: (tokens) => canBePrompt(tokens, sent, plan.model),
    showsCache: () => asked !== undefined && asked.promptCache !== 'hidden',
    tellOmitted() {
      if (sent.omitted.length > 0)
        client.announce(ignoredHeaders([...plan.ignoredFields, ...sent.omitted.map(nameOf)]));
    },
    forgetBytes() {
      written?.forget();
    },
    inTurn,
    longAnswer: new LongAnswer(longAnswers, accountId),
    shutdown,
    now,
    toBody(upstream, upstreamModel, speech) {
      asked = upstream;
      const planned = plan.sent.find((one) => isSameSpeech(one.speech, speech));
      return andThen(planned ?? plan.sentAs(speech), (body) => {
        if (!body) return undefined;
        sent = body;
        return toUpstreamBody(sent, upstream, { upstreamModel, written, markIn, inTurn });
      });
    },
    beginAttempt(target) {
      const of = { log, upstreams, span, requestId, modelId: plan.model.id, operation: 'chat' } as const;
      const attempt = beginAttempt(of, target);
      hold.asked(target.route, attempt);
      return attempt;
    },
  };
}
