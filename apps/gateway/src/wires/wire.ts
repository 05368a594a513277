import type { ChatCompletionRequest, CompletionUsage, MessagesRequest, UnknownFields } from '@farebox/api';
import type { ApiError } from '@farebox/errors';
import type { WrittenJson } from '@farebox/flow';
import type { KeyHeaders } from '../identity/api-keys';
import type { Choice, ChunkChoice } from '../upstream/answers';
import type { ClientTools } from '../upstream/client-tools';
import type { CustomTools } from '../upstream/custom-tools';
import type { ReasoningSummary } from '../upstream/messages-body';
import type { AnswerIdentity } from '../chat/completion';

/**
 * How the clients of one endpoint write requests and read responses: a translation from and to chat, the
 * internal form of a completion. It has no side effects and no knowledge of money.
 */
export interface Wire {
  readonly path: string;
  /** The API key of a request. Throws `authentication_error` or `invalid_api_key`. */
  readonly readSecret: (req: KeyHeaders) => string;
  /** Throws `invalid_request_error`, with a `param` in this wire's own names. */
  read(value: unknown): WireRequest;
  /**
   * `read` of a long request, in turns of the event loop. Set if that is more than the check of its fields. `written`: how
   * its long parts were written.
   */
  readInTurns?(value: unknown, written?: WrittenJson): Promise<WireRequest>;
  /** The body of an error before anything was sent. */
  readonly toErrorBody: (error: ApiError, requestId: string) => object;
}

/** A request, and how its response is written. */
export interface WireRequest {
  body: ChatCompletionRequest;
  /** Unsupported fields, in this wire's names. */
  unknown: UnknownFields;
  /** The client's request, if a Messages server is to get the same. */
  original?: MessagesRequest;
  /** How a model summarises its thoughts if it does not show them. */
  reasoningSummary?: ReasoningSummary;
  /** This wire's names for chat fields, where they differ. */
  ownNames?: ReadonlyMap<string | null, string>;
  /** Functions of `body` that stand for tools with text input. */
  customTools?: CustomTools;
  /** Functions of `body` that stand for OpenAI's client-run tools. */
  clientTools?: ClientTools | undefined;
  /** Writes the one response of this request. */
  writer: ResponseWriter;
  /** Whether later requests may name the items of the response. */
  keepsItems?: boolean;
  /**
   * Items of earlier responses that the request names: `with` completes the request with those that exist.
   */
  named?: NamedItems;
}

export interface NamedItems {
  ids: readonly string[];
  /** Throws `invalid_request_error` if a required item is missing. */
  with(found: ReadonlyMap<string, object>): WireRequest;
}

/**
 * Writes one response. The output depends only on the input, so that a repeated request gets the same. The
 * writer may remember what it has written of a stream.
 */
export interface ResponseWriter {
  /** Shows that a silent stream is alive. */
  readonly heartbeat: string;
  /** A non-streamed response, exactly as it is sent and kept. Its long strings are taken from `written`. */
  toWhole(
    of: AnswerIdentity,
    choices: readonly Choice[],
    usage: CompletionUsage,
    written?: WrittenJson,
  ): string | Buffer[] | Promise<Buffer[]>;
  /** The events for one piece of a stream, preceded on the first call by those that open the stream. */
  toChunk(of: AnswerIdentity, choices: readonly ChunkChoice[]): string;
  /** The last events of a complete stream. */
  toEnd(of: AnswerIdentity, usage: CompletionUsage): string;
  /** The items that later requests may name, after the response was written or its stream has ended. */
  keptItems?(): readonly object[];
  /**
   * A whole stream with a refusal, if this wire's clients look for it there and not in a response's status.
   */
  toRefusal?(of: AnswerIdentity, error: ApiError): string | undefined;
  /** The events that report a failure, if a stream breaks off. */
  toFailure(error: ApiError): string;
}

/** One server-sent event. Source: WHATWG HTML, "Server-sent events". */
export function toEvent(data: object, name?: string): string {
  const line = `data: ${JSON.stringify(data)}\n\n`;
  return name === undefined ? line : `event: ${name}\n${line}`;
}
