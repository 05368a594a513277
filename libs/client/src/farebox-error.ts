import type { components } from './generated/api';

type ErrorFields = components['schemas']['ErrorFields'];

/** From a closed set, which changes only with a version of the API. */
export type FareboxErrorCode = ErrorFields['code'];

/** A refusal of the service. Branch on `code`; `message` may be reworded at any time. */
export class FareboxError extends Error {
  readonly status: number;
  readonly code: FareboxErrorCode;
  readonly type: ErrorFields['type'];
  /** The field that is wrong, if it is known. */
  readonly param: string | null;
  /** The id to quote to the operator. */
  readonly requestId: string | null;
  /** Whether the same request may be sent again. */
  readonly shouldRetry: boolean;
  /** How long to wait before a retry, if it is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ message, type, param, code }: ErrorFields, { status, headers }: Response) {
    super(message);
    this.name = 'FareboxError';
    this.status = status;
    this.code = code;
    this.type = type;
    this.param = param;
    this.requestId = headers.get('x-service-request-id');
    this.shouldRetry = headers.get('x-should-retry') === 'true';
    const retryAfter = headers.get('retry-after');
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter);
  }
}

/** A response that is not from the service, but for example from a proxy in front of it. */
export class UnexpectedAnswerError extends Error {
  readonly status: number;

  constructor({ status }: Response) {
    super(`the response, with status ${String(status)} is not from the service`);
    this.name = 'UnexpectedAnswerError';
    this.status = status;
  }
}

/** Converts an unsuccessful response to an error. */
export function toError(body: unknown, response: Response): FareboxError | UnexpectedAnswerError {
  return isEnvelope(body) ? new FareboxError(body.error, response) : new UnexpectedAnswerError(response);
}

function isEnvelope(body: unknown): body is { error: ErrorFields } {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error && 'type' in error;
}
