/**
 * The closed set of public errors: every `code` with its HTTP status, its `type` and what a client may do.
 * Source: API specification, "Errors". The sets of codes and types change only with a version of the API.
 */
export const ERROR_CODES = {
  invalid_request_error: { status: 400, type: 'invalid_request_error', retryable: false },
  authentication_error: { status: 401, type: 'authentication_error', retryable: false },
  invalid_api_key: { status: 401, type: 'authentication_error', retryable: false },
  expired_api_key: { status: 401, type: 'authentication_error', retryable: false },
  insufficient_funds: { status: 402, type: 'insufficient_funds', retryable: false },
  beta_access_required: { status: 403, type: 'access_denied', retryable: false },
  model_not_allowed: { status: 403, type: 'invalid_request_error', retryable: false },
  model_not_found: { status: 404, type: 'invalid_request_error', retryable: false },
  api_key_not_found: { status: 404, type: 'invalid_request_error', retryable: false },
  idempotency_conflict: { status: 409, type: 'invalid_request_error', retryable: false },
  idempotency_in_progress: { status: 409, type: 'invalid_request_error', retryable: true },
  api_key_revoked: { status: 409, type: 'invalid_request_error', retryable: false },
  request_too_large: { status: 413, type: 'invalid_request_error', retryable: false },
  rate_limit_error: { status: 429, type: 'rate_limit_error', retryable: true },
  spending_limit_exceeded: { status: 429, type: 'rate_limit_error', retryable: false },
  internal_error: { status: 500, type: 'service_unavailable', retryable: true },
  billing_error: { status: 500, type: 'billing_error', retryable: false },
  service_unavailable: { status: 503, type: 'service_unavailable', retryable: true },
  upstream_timeout: { status: 504, type: 'service_unavailable', retryable: true },
} as const satisfies Record<string, { status: number; type: string; retryable: boolean }>;

export type ErrorCode = keyof typeof ERROR_CODES;
export type ErrorType = (typeof ERROR_CODES)[ErrorCode]['type'];

/**
 * Text for a person, used where the place that raises the error has nothing more exact to say.
 * Messages avoid "rate limit" and "billing" outside the errors of that name: some clients match on text.
 */
export const DEFAULT_MESSAGES: Record<ErrorCode, string> = {
  invalid_request_error: 'The request is not valid.',
  authentication_error:
    'No valid credential of the right kind was sent. Send it as "Authorization: Bearer <token>".',
  invalid_api_key: 'The API key is not recognised.',
  expired_api_key: 'The API key has expired. Rotate it or create a new one.',
  insufficient_funds: 'The balance does not cover the maximum cost of this request. Nothing was charged.',
  beta_access_required: 'This account has no access to the service. Nothing was charged.',
  model_not_allowed: 'The policy of this API key does not permit the model.',
  model_not_found: 'The model does not exist or is not available. GET /v1/models lists the available ones.',
  api_key_not_found: 'There is no such API key on this account.',
  idempotency_conflict: 'This Idempotency-Key was used with a different request.',
  idempotency_in_progress: 'The first request with this Idempotency-Key has not finished yet.',
  api_key_revoked: 'The API key is revoked and cannot be rotated or changed. Create a new one.',
  request_too_large: 'The request body is larger than the service accepts.',
  rate_limit_error: 'Too many requests. Wait before the next one.',
  spending_limit_exceeded: 'The monthly spending limit of this API key is reached.',
  internal_error: 'The service failed to answer. Retry with backoff.',
  billing_error:
    'The request completed but its charge was not recorded. It is flagged for review; do not retry it.',
  service_unavailable: 'The service is not accepting this request now. Retry with backoff.',
  upstream_timeout: 'The model did not respond in time. Retry, or ask for less output.',
};
