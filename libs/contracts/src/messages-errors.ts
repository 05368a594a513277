import type { ApiError, ErrorCode } from '@farebox/errors';
import type { MessagesError, MessagesErrorType } from './messages-response';

/** The closed set of codes, as the types that Anthropic's clients know. */
const TYPE_OF_CODE: Readonly<Record<ErrorCode, MessagesErrorType>> = {
  invalid_request_error: 'invalid_request_error',
  authentication_error: 'authentication_error',
  invalid_api_key: 'authentication_error',
  expired_api_key: 'authentication_error',
  insufficient_funds: 'billing_error',
  beta_access_required: 'permission_error',
  model_not_allowed: 'permission_error',
  model_not_found: 'not_found_error',
  api_key_not_found: 'not_found_error',
  idempotency_conflict: 'invalid_request_error',
  idempotency_in_progress: 'invalid_request_error',
  api_key_revoked: 'invalid_request_error',
  request_too_large: 'request_too_large',
  rate_limit_error: 'rate_limit_error',
  spending_limit_exceeded: 'rate_limit_error',
  internal_error: 'api_error',
  billing_error: 'billing_error',
  service_unavailable: 'overloaded_error',
  upstream_timeout: 'timeout_error',
};

/** An error, in Anthropic's envelope. The service's own `code` and `param` stand beside what its clients read. */
export function toMessagesError(error: ApiError, requestId?: string): MessagesError {
  const { code, publicMessage: message, param } = error;
  return {
    type: 'error',
    error: { type: TYPE_OF_CODE[code], message, code, param },
    ...(requestId !== undefined && { request_id: requestId }),
  };
}
