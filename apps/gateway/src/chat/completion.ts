import type { TokenUsage } from '@farebox/catalog';
import type { ChatCompletionChunk, ChatCompletionRequest, CompletionUsage } from '@farebox/api';
import type { ApiError } from '@farebox/errors';
import type { WrittenJson } from '@farebox/flow';
import { byTokenColumnOf, toDecimalUsd, type NanoUsd, type TokenKind } from '@farebox/money';
import type { TokenWords } from '../tokens/single-token-words';
import type { Choice, ChunkChoice } from '../upstream/answers';
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
  /** Counts the tokens of texts that the upstream wrote, so that no more than the limit is passed on. */
  countTexts: CountTexts;
  /** Some of the words that this tokenizer counts as one token. */
  words: TokenWords;
  /**
   * Counts the prompt and these upstream texts if the upstream reported no usage. Never rejects: see `isUncounted`.
   */
  countUsage: (texts: readonly string[]) => Promise<CountedUsage>;
  /** Whether the body sent to the last upstream can be this few tokens. */
  canBePrompt: (tokens: number) => boolean;
  /** Whether the customer may see what the last upstream had cached: earlier requests to it may be from others. */
  showsCache: () => boolean;
  /** Names to the customer the fields that the last upstream does not take and was not sent. */
  tellOmitted: () => void;
  /** No other upstream is asked: frees the bytes of the request's body. */
  forgetBytes: () => void;
  /** Does long work on the event loop in this account's turn, one piece at a time. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  now: () => number;
}

/** The fields that every part of a response has. `created` is in Unix seconds. */
export type AnswerIdentity = Pick<ChatCompletionChunk, 'id' | 'created' | 'model'>;

/** The customer's end of a completion. Only this knows how a response is written. */
export interface ChatClient extends PaidClient {
  /**
   * Serializes a response that is not streamed, exactly as it is sent and kept. A long one is written in pieces, in
   * turns.
   */
  toWhole(
    of: AnswerIdentity,
    choices: readonly Choice[],
    usage: CompletionUsage,
    written?: WrittenJson,
  ): string | Buffer[] | Promise<Buffer[]>;
  /**
   * Sends one event of a stream, preceded by the headers if it is the first. `onDelivered` is called when the
   * customer's connection has taken it. Returns false if the customer reads more slowly; `onDrained` then reports
   * when there is room again.
   */
  sendChunk(of: AnswerIdentity, choices: readonly ChunkChoice[], onDelivered: () => void): boolean;
  onDrained(listener: () => void): void;
  /** Resolves when everything sent so far was written, or the customer has left. */
  flushed(): Promise<void>;
  /** Ends a complete stream, with its usage if the customer asked for it. */
  endStream(of: AnswerIdentity, usage: CompletionUsage): void;
  /** Ends a failed stream: one error event, and the connection is cut. */
  failStream(error: ApiError): void;
}

/**
 * The usage as the customer sees it. Clients read the details unchecked, so they are zero if nothing was reported.
 */
export function toCompletionUsage(tokens: TokenUsage, costNano: NanoUsd): CompletionUsage {
  const { promptTokens, completionTokens } = tokens;
  const countOf = (kind: TokenKind): number => tokens[kind] ?? 0;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: byTokenColumnOf('prompt', countOf),
    completion_tokens_details: byTokenColumnOf('completion', countOf),
    cost: toDecimalUsd(costNano),
  };
}
