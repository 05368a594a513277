import { USUAL_DIALECT, type Model, type TokenUsage, type Upstream } from '@farebox/catalog';
import type { ChatCompletionChunk, ChatCompletionRequest } from '@farebox/api';
import type { ApiError } from '@farebox/errors';
import { Turns } from '@farebox/flow';
import { ZERO_NANO, toNanoUsd, toPicoUsd } from '@farebox/money';
import { toChunk, toWhole } from '../src/wires/chat/chat-wire';
import { NO_WORDS } from '../src/tokens/single-token-words';
import { USUAL_SPEECH } from '../src/upstream/speech';
import { toSentBody } from '../src/upstream/upstream-body';
import type { UpstreamClient } from '../src/upstream/upstream-client';
import type { UpstreamFailure } from '../src/upstream/failure';
import { LongAnswer } from '../src/upstream/long-answer';
import type { ChatClient, Completion } from '../src/chat/completion';
import type { Charge } from '../src/paid/charged-usage';
import { withHold } from '../src/paid/end-hold';
import type { Hold } from '../src/paid/terms';
import type { AnswerToKeep } from '../src/paid/kept-answers';

export const givenUpstream: Upstream = {
  id: 'u',
  baseUrl: 'http://u.example/v1',
  apiKeyEnv: undefined,
  maxTokensField: 'max_tokens',
  wire: 'chat',
  dialect: USUAL_DIALECT,
  promptCache: 'hidden',
  connectTimeoutMs: 1,
  firstByteTimeoutMs: 1,
  idleTimeoutMs: 1,
  totalTimeoutMs: 1,
};

export const givenModel: Model = {
  id: 'small',
  kind: 'chat',
  ownedBy: 'farebox',
  routes: [],
  contextWindow: 1_000,
  maxOutputTokens: 10,
  defaultMaxOutputTokens: undefined,
  tokenizer: undefined,
  modalities: ['text'],
  imageTokens: undefined,
  fileTokens: undefined,
  extraFields: [],
  promptOverhead: { prompt: 16, message: 8, tools: 0 },
  visibility: { to: 'public' },
  price: { id: 'price', inputPricePico: toPicoUsd(1n), outputPricePico: toPicoUsd(1n) },
  createdAt: 0,
};

/** The recorded effects of a completion. */
interface Seen {
  charged: Charge[];
  /** Answers to keep; undefined for an answer that was too long. */
  kept: (AnswerToKeep | undefined)[];
  released: number;
  /** The upstreams' usage for aborted requests. */
  abandoned: TokenUsage[];
  /** The upstreams' whole work on streams that were aborted and charged. */
  unpaid: TokenUsage[];
  refunded: number;
  /** Non-streamed answers. */
  whole: string[];
  chunks: ChatCompletionChunk[];
  /** The last chunk of each stream that ended. */
  ended: (ChatCompletionChunk | undefined)[];
  failed: ApiError[];
  failures: UpstreamFailure[];
}

export interface GivenCompletion {
  completion: Completion;
  seen: Seen;
  /** Aborted when the customer leaves. */
  going: AbortController;
  shutdown: AbortController;
}

export interface GivenCompletionOptions {
  /** Tried in this order. */
  routes: readonly UpstreamClient[];
  /** In bytes, if the request has an Idempotency-Key. */
  longestKept?: number | undefined;
  wantsUsage?: boolean;
  /** Awaited before a charge is recorded. */
  charging?: () => Promise<void>;
  /** Resolves when the hold is durable; by default it is durable from the beginning. */
  durable?: Promise<void>;
  /** Signals that the database has lost the hold. */
  lost?: AbortSignal;
  /** Signals that the account was suspended. */
  barred?: AbortSignal;
  /** Milliseconds since its upstream was asked. */
  askedForMs?: number;
  /** Replaces a customer who reads everything at once. */
  client?: Partial<ChatClient>;
}

/** A paid completion with a customer and a ledger that record their calls. */
export function givenCompletion(options: GivenCompletionOptions): GivenCompletion {
  const { routes, wantsUsage = false } = options;
  const going = new AbortController();
  const shutdown = new AbortController();
  const seen: Seen = {
    charged: [],
    kept: [],
    released: 0,
    abandoned: [],
    unpaid: [],
    refunded: 0,
    whole: [],
    chunks: [],
    ended: [],
    failed: [],
    failures: [],
  };
  const request: ChatCompletionRequest = {
    model: givenModel.id,
    messages: [{ role: 'user', content: 'Hello' }],
    ...(wantsUsage ? { stream_options: { include_usage: true } } : {}),
  };
  const sent = toSentBody({ request, extraFields: {}, maxOutputTokens: 10 }, USUAL_SPEECH);
  const completion: Completion = {
    id: 'chatcmpl-1',
    createdAt: 0,
    startedAtMs: 0,
    accountId: 'a',
    request,
    plan: {
      model: givenModel,
      targets: routes.map((client) => ({
        route: { upstreamId: 'u', upstreamModel: 'm', weight: 1, priority: 0 },
        client,
      })),
      sent: [sent],
      sentAs: () => sent,
      prompt: sent.prompt,
      choices: 1,
      maxOutputTokens: 10,
      maximumCostNano: toNanoUsd(1n),
      mostTokens: 20,
      ignoredFields: [],
    },
    hold: holdOf(seen, options),
    client: { ...clientOf(seen, going.signal, wantsUsage), ...options.client },
    countTexts: (texts) => Promise.resolve(texts.join('').length),
    words: NO_WORDS,
    countUsage: (texts) => Promise.resolve({ promptTokens: 5, completionTokens: texts.join('').length }),
    canBePrompt: () => true,
    showsCache: () => true,
    tellOmitted: () => undefined,
    forgetBytes: () => undefined,
    inTurn: (work) => work(),
    longAnswer: new LongAnswer(new Turns({ atOnce: 1 }), 'a'),
    shutdown: shutdown.signal,
    now: () => 0,
    toBody: () => '{}',
    beginAttempt: () => ({
      answered: () => undefined,
      failed: (failure) => seen.failures.push(failure),
      left: () => undefined,
      close: () => undefined,
    }),
  };
  return { completion, seen, going, shutdown };
}

/** Delivers it in the scope of its hold, as a request does. */
export function settled(
  deliver: (completion: Completion) => Promise<void>,
  completion: Completion,
): Promise<void> {
  return withHold(completion.hold, () => deliver(completion));
}

function holdOf(
  seen: Seen,
  { longestKept, charging, durable, lost, barred, askedForMs = 0 }: GivenCompletionOptions,
): Hold {
  let isOpen = true;
  return {
    id: 'hold',
    lost: lost ?? new AbortController().signal,
    barred: barred ?? new AbortController().signal,
    durable: () => durable,
    isOpen: () => isOpen,
    wasReleased: () => seen.released + seen.abandoned.length > 0,
    longestKept,
    keepsItems: false,
    asked: () => undefined,
    askedForMs: () => askedForMs,
    costOf: () => ZERO_NANO,
    async charge(charge, toAnswer) {
      isOpen = false;
      await charging?.();
      seen.charged.push(charge);
      seen.kept.push(longestKept === undefined ? undefined : toAnswer());
      return ZERO_NANO;
    },
    release() {
      isOpen = false;
      seen.released++;
      return Promise.resolve();
    },
    abandon(spent) {
      isOpen = false;
      seen.abandoned.push(spent);
      return Promise.resolve();
    },
    noteUnpaid(worked) {
      seen.unpaid.push(worked);
      return Promise.resolve();
    },
    refund() {
      if (seen.kept.at(-1) === undefined || longestKept === undefined) seen.refunded++;
      return Promise.resolve();
    },
  };
}

function clientOf(seen: Seen, gone: AbortSignal, wantsUsage: boolean): ChatClient {
  return {
    gone,
    announce: () => undefined,
    sendWhole(json) {
      seen.whole.push(typeof json === 'string' ? json : Buffer.concat(json).toString());
      return Promise.resolve(true);
    },
    toWhole,
    sendChunk(of, choices, onDelivered) {
      seen.chunks.push(toChunk(of, [...choices], wantsUsage ? null : undefined));
      onDelivered();
      return true;
    },
    onDrained: () => undefined,
    flushed: () => Promise.resolve(),
    endStream: (of, usage) => seen.ended.push(wantsUsage ? toChunk(of, [], usage) : undefined),
    failStream: (error) => seen.failed.push(error),
  };
}
