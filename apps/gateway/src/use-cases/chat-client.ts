import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from '@farebox/contracts';
import type { TokenUsage } from '@farebox/catalog';
import type { ApiError } from '@farebox/errors';
import type { NanoUsd } from '@farebox/money';
import type { StopSignal } from './stop-signal';

/** What every part of an answer says of it. `created` is in Unix seconds. */
export type AnswerIdentity = Pick<ChatCompletionChunk, 'id' | 'created' | 'model'>;

/** The customer's end of a completion, as the use case sees it. How an answer is written is known here alone. */
export interface ChatClient {
  /** Aborted when the customer has gone before the answer was written. */
  readonly gone: StopSignal;
  /** Headers of the answer that are known before it. */
  announce(headers: readonly (readonly [name: string, value: string])[]): void;
  /** What the customer is told of their usage. */
  toUsage(tokens: TokenUsage, costNano: NanoUsd): CompletionUsage;
  /** Writes an answer in one piece down, exactly as it is sent and kept. */
  toWhole(of: AnswerIdentity, choices: ChatCompletion['choices'], usage: CompletionUsage): string;
  /** Sends what `toWhole` wrote. Answers whether all of it was written. */
  sendWhole(json: string): Promise<boolean>;
  /**
   * Sends one event of a stream, and the headers before the first. `onDelivered` is called when it was written.
   * Answers false where the customer reads slower than that: `onDrained` says when there is room again.
   */
  sendChunk(of: AnswerIdentity, choices: ChatCompletionChunk['choices'], onDelivered: () => void): boolean;
  onDrained(listener: () => void): void;
  /** Resolves when everything sent so far was written, or the customer has gone. */
  flushed(): Promise<void>;
  /** Ends a complete stream: the usage if the customer asked for it, and `[DONE]`. */
  endStream(of: AnswerIdentity, usage: CompletionUsage): void;
  /** Ends a failed stream: one error event, and the connection is cut. */
  failStream(error: ApiError): void;
}
