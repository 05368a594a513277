import type { TokenUsage } from '@farebox/catalog';
import type { ChatCompletionChunk, ChatCompletionRequest, CompletionUsage } from '@farebox/api';
import type { ApiError } from '@farebox/errors';
import type { WrittenStrings } from '@farebox/flow';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { TokenWords } from '../tokens/single-token-words';
import type { Choice } from '../upstream/answers';
import type { CountedUsage, CountTexts } from '../tokens/prompt-counts';
import type { Hold, PaidClient } from '../paid/terms';
import type { RoutedRequest } from '../upstream/upstream-calls';
import type { CompletionPlan } from './plan-completion';

/** A completion that is paid for in advance and is to be delivered. */
export interface Completion extends RoutedRequest {
  /** `chatcmpl-…`, the same over a whole stream. */
  id: string;
  /** Unix seconds. */
  createdAt: number;
  startedAtMs: number;
  request: ChatCompletionRequest;
  plan: CompletionPlan;
  hold: Hold;
  client: ChatClient;
  /** Counts the tokens of texts that the upstream wrote, so that no more of them is passed on than was asked for. */
  countTexts: CountTexts;
  /** Some of the words that are one token by that count. */
  words: TokenWords;
  /** Counts what the upstream did not report: the prompt, and these texts that it wrote. Never rejects: see `isUncounted`. */
  countUsage: (texts: readonly string[]) => Promise<CountedUsage>;
  /** Whether what the upstream that was asked last was sent can be so few tokens. */
  canBePrompt: (tokens: number) => boolean;
  /** Whether the customer may see what the upstream that was asked last had cached: others may have sent it. */
  showsCache: () => boolean;
  /** Names to the customer what the upstream that was asked last was not sent, since it does not take it. */
  tellOmitted: () => void;
  /** Does long work of the event loop's when it is this account's turn: one piece of it is done at a time. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  now: () => number;
}

/** What every part of a response says of it. `created` is in Unix seconds. */
export type AnswerIdentity = Pick<ChatCompletionChunk, 'id' | 'created' | 'model'>;

/** The customer's end of a completion. How a response is written is known there alone. */
export interface ChatClient extends PaidClient {
  /** Writes a response that is not streamed down, exactly as it is sent and kept: a long one in pieces, in turns. */
  toWhole(
    of: AnswerIdentity,
    choices: readonly Choice[],
    usage: CompletionUsage,
    written?: WrittenStrings,
  ): string | Promise<Buffer[]>;
  /**
   * Sends one event of a stream, and the headers before the first. `onDelivered` is called when their connection has taken it.
   * Answers false if the customer reads slower than that: `onDrained` says when there is room again.
   */
  sendChunk(of: AnswerIdentity, choices: ChatCompletionChunk['choices'], onDelivered: () => void): boolean;
  onDrained(listener: () => void): void;
  /** Resolves when everything sent so far was written, or the customer has gone. */
  flushed(): Promise<void>;
  /** Ends a complete stream, with its usage if the customer is to see it there. */
  endStream(of: AnswerIdentity, usage: CompletionUsage): void;
  /** Ends a failed stream: one error event, and the connection is cut. */
  failStream(error: ApiError): void;
}

/** The usage as the customer sees it. Clients read the details without a look: if nothing was reported, there are none. */
export function toCompletionUsage(tokens: TokenUsage, costNano: NanoUsd): CompletionUsage {
  const { promptTokens, completionTokens } = tokens;
  const { cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = tokens;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
    cost: toDecimalUsd(costNano),
  };
}
