import {
  boundCounted,
  boundPrompt,
  leastPromptTokens,
  maximumCost,
  outputTokensFor,
  type Model,
  type Prompt,
  type TokenCount,
  estimatePromptTokens,
} from '@farebox/catalog';
import type { ChatCompletionRequest, CountTokensRequest, UnknownFields } from '@farebox/api';
import type { NanoUsd } from '@farebox/money';
import type { ServedCatalog } from '../upstream/live-catalog';
import type { Caller } from '../identity/api-keys';
import { coverOf } from '../upstream/body-prompt';
import type { AskedOfServers } from '../upstream/messages-body';
import { isSameSpeech, USUAL_SPEECH, type Speech } from '../upstream/speech';
import { toSentBody, toSentBodyInTurns, type SentBody } from '../upstream/upstream-body';
import { promptOverflow } from '../upstream/context-overflow';
import { drawFor } from '../upstream/affinity';
import { targetsOf, type RouteTarget } from '../upstream/failed-calls';
import { RefusalError } from '../refusals';
import type { PaidPlan, QuotedRequest } from '../paid/terms';
import { requireModel } from '../paid/require-model';
import type { TokenCounter } from '../tokens/token-counter';
import { countPrompt, exactTokens } from '../tokens/prompt-counts';

/** Everything that is decided about a completion before money is requested. */
export interface CompletionPlan extends PaidPlan {
  /** The body for each wire that a server of the model speaks. */
  sent: readonly [SentBody, ...SentBody[]];
  /**
   * The body for a server that speaks another wire, in turns of the event loop if the request is long; undefined if the
   * hold does not cover it.
   */
  sentAs: (speech: Speech) => OrPromise<SentBody | undefined>;
  /** No smaller than that of any of the bodies. */
  prompt: Prompt;
  choices: number;
  /** For one choice. */
  maxOutputTokens: number;
}

export type OrPromise<Value> = Value | Promise<Value>;

/** Without a promise if there is none: most requests are short. */
export function andThen<Value, Result>(
  value: OrPromise<Value>,
  next: (value: Value) => Result,
): Result | Promise<Awaited<Result>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<Result>>) : next(value);
}

/** The request. */
export interface Asked {
  body: ChatCompletionRequest;
  /** The long strings of its body, as they were written. */
  written?: AskedOfServers['written'];
  /** Data sent beside the request. */
  unknown: UnknownFields;
  /** The client's body, which a server of the Messages API gets unchanged. */
  original?: CountTokensRequest;
  reasoningSummary?: AskedOfServers['reasoningSummary'];
  customTools?: AskedOfServers['customTools'];
  clientTools?: AskedOfServers['clientTools'];
  /** The client's names of fields that have other names in chat. */
  ownNames?: ReadonlyMap<string | null, string>;
}

/** As JSON. They are options, not prompts. */
const MOST_EXTRA_BYTES = 65_536;

/**
 * Plans with cheap data: the bytes of the prompt bound its tokens. Throws `model_not_found`, `model_not_allowed` or
 * `invalid_request_error`.
 */
export function planCompletion(catalog: ServedCatalog, caller: Caller, asked: Asked): CompletionPlan {
  const begun = beginPlan(catalog, caller, asked);
  return endPlan(begun, sentTo(begun.targets, begun.asked), toSentBody);
}

/** `planCompletion` for a long request, in turns of the event loop. */
export async function planInTurns(
  catalog: ServedCatalog,
  caller: Caller,
  asked: Asked,
): Promise<CompletionPlan> {
  const begun = beginPlan(catalog, caller, asked);
  return endPlan(begun, await sentInTurns(begun.targets, begun.asked), toSentBodyInTurns);
}

/** A plan before the bodies for its servers are known. */
interface BegunPlan {
  model: Model;
  targets: RouteTarget[];
  asked: AskedOfServers;
  ignoredFields: readonly string[];
}

function beginPlan(
  catalog: ServedCatalog,
  caller: Caller,
  { body: request, written, unknown, original, reasoningSummary, customTools, clientTools }: Asked,
): BegunPlan {
  const model = requireModel(catalog, caller, request.model, 'chat');

  const extraFields = extraFieldsOf(model, unknown);
  const maxOutputTokens = outputTokensFor(model, requestedOutputTokens(request));
  const draw = model.routes.length > 1 ? drawFor(caller.accountId, request, written) : undefined;
  const targets = targetsOf(model, catalog.clients, draw);
  const asked = {
    request,
    written,
    original,
    reasoningSummary,
    customTools,
    clientTools,
    extraFields,
    maxOutputTokens,
  };
  return { model, targets, asked, ignoredFields: ignoredOf(unknown, extraFields) };
}

function endPlan(
  { model, targets, asked, ignoredFields }: BegunPlan,
  sent: [SentBody, ...SentBody[]],
  translate: (asked: AskedOfServers, speech: Speech) => OrPromise<SentBody>,
): CompletionPlan {
  const { request, extraFields, maxOutputTokens } = asked;
  const prompt = withExtraTokens(withOtherWords(promptOfAll(sent, asked), asked), model, extraFields);
  refuseUnfit(model, prompt);
  const { tokensBound, isOverContext, leastTokens } = boundPrompt(prompt, model);
  if (isOverContext) throw promptOverflow(model, leastTokens);

  const choices = request.n ?? 1;
  return {
    model,
    targets,
    sent,
    sentAs: (speech) =>
      andThen(translate(asked, speech), (body) => (isWithin(body.prompt, prompt, model) ? body : undefined)),
    prompt,
    choices,
    maxOutputTokens,
    maximumCostNano: maximumCost(model.price, {
      promptTokensBound: tokensBound,
      maxOutputTokens,
      n: choices,
      images: prompt.images,
    }),
    mostTokens: tokensBound + maxOutputTokens * choices,
    images: prompt.images,
    ignoredFields,
  };
}

/** Extra tokens held for a server that uses another wire: its tools, and the template around them. */
const OTHER_WORDS_TOKENS = 64;
const OTHER_WORDS_TOKENS_PER_TOOL = 8;
/** The same for a custom tool that is sent as a function, and for each message, which may be a call of it. */
const OTHER_WORDS_TOKENS_PER_CUSTOM_TOOL = 192;
const OTHER_WORDS_TOKENS_PER_CUSTOM_CALL = 16;
/** A function tool that the client runs is as long as three custom tools. */
const CUSTOM_TOOLS_PER_CLIENT_TOOL = 3;

function withOtherWords(prompt: Prompt, { request, customTools, clientTools }: AskedOfServers): Prompt {
  const { tools, messages } = request;
  if (!tools?.length) return prompt;
  let more = OTHER_WORDS_TOKENS + tools.length * OTHER_WORDS_TOKENS_PER_TOOL;
  const own = (customTools?.size ?? 0) + (clientTools?.tools.size ?? 0) * CUSTOM_TOOLS_PER_CLIENT_TOOL;
  if (own > 0)
    more += own * OTHER_WORDS_TOKENS_PER_CUSTOM_TOOL + messages.length * OTHER_WORDS_TOKENS_PER_CUSTOM_CALL;
  return { ...prompt, extraTokens: prompt.extraTokens + more };
}

function isWithin(prompt: Prompt, held: Prompt, model: Model): boolean {
  return boundPrompt(prompt, model).tokensBound <= boundPrompt(held, model).tokensBound;
}

const NONE: readonly string[] = [];

/** Most requests have no unknown field. */
function ignoredOf({ own, inner }: UnknownFields, taken: AskedOfServers['extraFields']): readonly string[] {
  if (own.size === 0 && inner.length === 0) return NONE;
  return [...[...own.keys()].filter((name) => !Object.hasOwn(taken, name)), ...inner];
}

export function extraFieldsOf(model: Model, { own }: UnknownFields): Record<string, unknown> {
  if (own.size === 0) return {};
  const allowed = model.extraFields.filter(({ name }) => own.get(name) != null);
  return Object.fromEntries(allowed.map(({ name }) => [name, own.get(name)]));
}

/** The bodies for the servers of a model: one for all that speak the same wire. */
export function sentTo(targets: readonly RouteTarget[], asked: AskedOfServers): [SentBody, ...SentBody[]] {
  const [first, ...others] = speechesOf(targets);
  return [toSentBody(asked, first), ...others.map((speech) => toSentBody(asked, speech))];
}

/** `sentTo` for a long request, in turns of the event loop. */
export async function sentInTurns(
  targets: readonly RouteTarget[],
  asked: AskedOfServers,
): Promise<[SentBody, ...SentBody[]]> {
  const [first, ...others] = speechesOf(targets);
  const sent: [SentBody, ...SentBody[]] = [await toSentBodyInTurns(asked, first)];
  for (const speech of others) sent.push(await toSentBodyInTurns(asked, speech));
  return sent;
}

function speechesOf(targets: readonly RouteTarget[]): [Speech, ...Speech[]] {
  const [first, ...others] = targets.map(({ client, route }) => client.speechOf(route.upstreamModel));
  const speeches: [Speech, ...Speech[]] = [first ?? USUAL_SPEECH];
  for (const speech of others) if (!speeches.some((one) => isSameSpeech(one, speech))) speeches.push(speech);
  return speeches;
}

export function promptOfAll(
  [first, ...others]: readonly [SentBody, ...SentBody[]],
  { written }: Pick<AskedOfServers, 'written'>,
): Prompt {
  return coverOf([first.prompt, ...others.map(({ prompt }) => prompt)], written);
}

/** Includes the limited output that other vendors' fields can add beside their text. */
function withExtraTokens(prompt: Prompt, model: Model, extraFields: AskedOfServers['extraFields']): Prompt {
  const names = Object.keys(extraFields);
  if (names.length === 0) return prompt;
  if (Buffer.byteLength(JSON.stringify(extraFields)) > MOST_EXTRA_BYTES) {
    throw new RefusalError('model_policy', 'invalid_request_error', {
      param: names[0] ?? null,
      message: `${names.join(', ')}: at most ${String(MOST_EXTRA_BYTES)} bytes in all.`,
    });
  }
  const extraTokens = model.extraFields
    .filter(({ name }) => Object.hasOwn(extraFields, name))
    .reduce((sum, { promptTokens }) => sum + promptTokens, 0);
  return { ...prompt, extraTokens: prompt.extraTokens + extraTokens };
}

/**
 * The same plan with the count of the model's tokenizer, which costs less. Throws `invalid_request_error` if the
 * prompt exceeds the context window.
 */
export function planByCount(plan: CompletionPlan, count: TokenCount): CompletionPlan {
  const { model, prompt, maxOutputTokens, choices: n } = plan;
  const { tokensBound, isOverContext, leastTokens } = boundCounted(prompt, model, count);
  if (isOverContext) throw promptOverflow(model, leastTokens);
  const bounds = { promptTokensBound: tokensBound, maxOutputTokens, n, images: prompt.images };
  return {
    ...plan,
    maximumCostNano: maximumCost(model.price, bounds),
    mostTokens: tokensBound + maxOutputTokens * n,
    // The count does not cover other texts.
    sentAs: (speech) =>
      andThen(plan.sentAs(speech), (body) =>
        body && isWithin(coverOf([prompt, body.prompt]), prompt, model) ? body : undefined,
      ),
  };
}

/** The lowest maximum cost that any count of the prompt could give. */
export function leastCost({ model, prompt, maxOutputTokens, choices: n }: CompletionPlan): NanoUsd {
  const promptTokensBound = leastPromptTokens(prompt);
  return maximumCost(model.price, { promptTokensBound, maxOutputTokens, n, images: prompt.images });
}

function requestedOutputTokens({
  max_completion_tokens,
  max_tokens,
}: ChatCompletionRequest): number | undefined {
  return max_completion_tokens ?? max_tokens ?? undefined;
}

function refuseUnfit(model: Model, { images, files }: Prompt): void {
  if (images + files === 0) return;
  for (const [modality, attached] of [
    ['image', images],
    ['file', files],
  ] as const) {
    if (attached === 0 || model.modalities.includes(modality)) continue;
    throw new RefusalError('model_policy', 'invalid_request_error', {
      param: 'messages',
      message: `This model does not take ${modality}s.`,
    });
  }
}

/** As in a quote. */
export async function countCompletion(
  counter: TokenCounter,
  plan: CompletionPlan,
  accountId: string,
): Promise<QuotedRequest> {
  const { model, prompt } = plan;
  const count = await countPrompt(counter, plan, accountId);
  const counted = exactTokens(count);
  const smaller = count && planByCount(plan, count);
  return {
    ...plan,
    images: plan.images ?? 0,
    countedCostNano: smaller?.maximumCostNano,
    countedTokens: smaller?.mostTokens,
    promptTokensBound: boundPrompt(prompt, model).tokensBound,
    promptTokensCounted: counted === undefined ? undefined : estimatePromptTokens(prompt, model, counted),
  };
}
