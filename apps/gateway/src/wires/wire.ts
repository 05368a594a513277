import type {
  ChatCompletionChunk,
  ChatCompletionRequest,
  CompletionUsage,
  MessagesRequest,
  UnknownFields,
} from '@farebox/api';
import type { ApiError } from '@farebox/errors';
import type { WrittenStrings } from '@farebox/flow';
import type { KeyHeaders } from '../identity/api-keys';
import type { Choice } from '../upstream/answers';
import type { ClientTools } from '../upstream/client-tools';
import type { CustomTools } from '../upstream/custom-tools';
import type { ReasoningSummary } from '../upstream/messages-body';
import type { AnswerIdentity } from '../chat/completion';

/**
 * How the clients of one endpoint write requests and read responses: a translation from and to chat, which is what a
 * completion is made of. It has no effects and knows no money.
 */
export interface Wire {
  readonly path: string;
  /** The secret of the key that a request carries. Throws `authentication_error` or `invalid_api_key`. */
  readSecret(req: KeyHeaders): string;
  /** Throws `invalid_request_error`, with a `param` in this wire's own words. */
  read(value: unknown): WireRequest;
  /** The body of an error that is told before anything was sent. */
  readonly toErrorBody: (error: ApiError, requestId: string) => object;
}

/** What is asked for, and how its response is written. */
export interface WireRequest {
  body: ChatCompletionRequest;
  /** What was left out, in this wire's names. */
  unknown: UnknownFields;
  /** What was asked for, if a server of messages is to be sent the same. */
  original?: MessagesRequest;
  /** How a model is to say what it thinks, where it does not show it. */
  reasoningSummary?: ReasoningSummary;
  /** What this wire calls fields of chat otherwise. */
  ownNames?: ReadonlyMap<string | null, string>;
  /** Functions of `body` that stand for tools whose input is a text. */
  customTools?: CustomTools;
  /** Functions of `body` that stand for tools of OpenAI's which the client runs. */
  clientTools?: ClientTools | undefined;
  /** Of this request's one response. */
  writer: ResponseWriter;
  /** Whether later requests may name the items of the response. */
  keepsItems?: boolean;
  /** Items of earlier responses that it names: the request as it is with those that are there. */
  named?: NamedItems;
}

export interface NamedItems {
  ids: readonly string[];
  /** Throws `invalid_request_error` if one that is missing cannot be done without. */
  with(found: ReadonlyMap<string, object>): WireRequest;
}

/**
 * Writes one response. What it says follows from what it is given alone, so that a repetition of the request is told the
 * same. It may remember what it has written of a stream.
 */
export interface ResponseWriter {
  /** What shows that a silent stream lives. */
  readonly heartbeat: string;
  /** A response in one piece, exactly as it is sent and kept; its long strings as `written` has them. */
  toWhole(
    of: AnswerIdentity,
    choices: readonly Choice[],
    usage: CompletionUsage,
    written?: WrittenStrings,
  ): string | Promise<Buffer[]>;
  /** The events that say one piece of a stream. Before the first one stands what opens the stream. */
  toChunk(of: AnswerIdentity, choices: ChatCompletionChunk['choices']): string;
  /** The last events of a complete stream. */
  toEnd(of: AnswerIdentity, usage: CompletionUsage): string;
  /** Of a response that was written, or whose stream has come to its end: the items that later requests may name. */
  keptItems?(): readonly object[];
  /** A whole stream that tells a refusal, if this wire's clients look for this one there and not in a response's status. */
  toRefusal?(of: AnswerIdentity, error: ApiError): string | undefined;
  /** The events that tell of a failure, if a stream breaks off. */
  toFailure(error: ApiError): string;
}

/** One server-sent event. Source: WHATWG HTML, "Server-sent events". */
export function toEvent(data: object, name?: string): string {
  const line = `data: ${JSON.stringify(data)}\n\n`;
  return name === undefined ? line : `event: ${name}\n${line}`;
}
