import { ERROR_CODES, type ErrorCode, type ErrorType } from './error-codes';

/**
 * The error of a resource or route without a code of its own is `invalid_request_error`, with one of these statuses.
 */
type InvalidRequestStatus = 400 | 404 | 405 | 408 | 426;

/** A client should not retry by itself after a longer wait than this. */
const LONGEST_RETRYABLE_WAIT_SECONDS = 60;

/** By how much a prompt is too long, as far as it is known. */
export interface ContextOverflow {
  /** A minimum. */
  promptTokens?: number;
  contextWindow?: number;
}

export interface ApiErrorOptions {
  /** Public text, shown to the client. Never put anything internal here; that is what `cause` is for. */
  message?: string;
  /** The offending field, as the client wrote it. */
  param?: string | null;
  /** Seconds until a retry can succeed, if that is known. */
  retryAfterSeconds?: number;
  /** `false`: the cause does not pass by itself in time, although errors of this code usually are retryable. */
  retryable?: false;
  /** The prompt exceeds the context window: each wire reports it with the text that its clients look for. */
  overflow?: ContextOverflow | undefined;
  /** Its status, only for `invalid_request_error`. */
  status?: InvalidRequestStatus;
  /** Further headers of the response, e.g. the state of a limit. */
  headers?: readonly (readonly [name: string, value: string])[];
  /** The internal cause. Logged, never sent. */
  cause?: unknown;
  /** The cause was logged where it arose, as a failure that is expected to occur. */
  isCauseLogged?: true;
}

/** The body of every failed request. Source: docs/design/contract.md, "Error envelope". */
interface ErrorEnvelope {
  error: { message: string; type: ErrorType; param: string | null; code: ErrorCode };
}

/**
 * The one error that reaches a client. `publicMessage` and `param` are sent; `cause` is only logged.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly publicMessage: string;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly overflow: ContextOverflow | undefined;
  readonly isCauseLogged: boolean;
  readonly #retryable: boolean;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(code, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = (code === 'invalid_request_error' ? options.status : undefined) ?? ERROR_CODES[code].status;
    this.publicMessage = options.message ?? ERROR_CODES[code].message;
    this.param = options.param ?? null;
    this.headers = options.headers ?? [];
    this.overflow = options.overflow;
    this.isCauseLogged = options.isCauseLogged ?? false;
    this.#retryable = options.retryable ?? ERROR_CODES[code].retryable;
    this.retryAfterSeconds =
      options.retryAfterSeconds === undefined ? undefined : Math.max(1, Math.ceil(options.retryAfterSeconds));
  }

  /** Whether a client may send the same request again by itself. Source: docs/design/contract.md, "Retry rules". */
  get shouldRetry(): boolean {
    return this.#retryable && (this.retryAfterSeconds ?? 0) <= LONGEST_RETRYABLE_WAIT_SECONDS;
  }

  toEnvelope(): ErrorEnvelope {
    return {
      error: {
        message: this.publicMessage,
        type: ERROR_CODES[this.code].type,
        param: this.param,
        code: this.code,
      },
    };
  }
}

/**
 * Turns any thrown value into the error that a client may see: anything but an `ApiError` becomes `internal_error`.
 */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError('internal_error', { cause: thrown });
}
