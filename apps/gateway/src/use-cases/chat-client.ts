import type { ChatCompletionChunk } from '@farebox/contracts';
import type { ApiError } from '@farebox/errors';
import type { StopSignal } from './stop-signal';

/** The customer's end of a completion, as the use case sees it. */
export interface ChatClient {
  /** Aborted when the customer has gone before the answer was written. */
  readonly gone: StopSignal;
  /** Headers of the answer that are known before it. */
  announce(headers: readonly (readonly [name: string, value: string])[]): void;
  /** Sends the JSON of an answer in one piece. Answers whether all of it was written. */
  sendWhole(json: string): Promise<boolean>;
  /**
   * Sends one event of a stream, and the headers before the first. `onDelivered` is called when it was written.
   * Answers false where the customer reads slower than that: `onDrained` says when there is room again.
   */
  sendChunk(chunk: ChatCompletionChunk, onDelivered: () => void): boolean;
  onDrained(listener: () => void): void;
  /** Resolves when everything sent so far was written, or the customer has gone. */
  flushed(): Promise<void>;
  /** Ends a complete stream: a last event where there is one, and `[DONE]`. */
  endStream(lastChunk: ChatCompletionChunk | undefined): void;
  /** Ends a failed stream: one error event, and the connection is cut. */
  failStream(error: ApiError): void;
}
