import type { ErrorCode } from '@farebox/errors';

/** When each error comes. Source: API specification, "Errors". */
export const WHEN: Readonly<Record<ErrorCode, string>> = {
  invalid_request_error: 'The request is not valid; `param` names the field, where one is to blame.',
  authentication_error: 'No credential, or not one that this endpoint takes.',
  invalid_api_key: 'The API key is not recognised: mistyped, replaced or revoked.',
  expired_api_key: 'The API key has passed its expiry.',
  insufficient_funds: "The balance does not cover the request's maximum cost. Nothing was held or charged.",
  beta_access_required: 'The credential is good, but the account has no access. Nothing was charged.',
  model_not_allowed: "The key's own list bars the model.",
  model_not_found: 'The model does not exist or is not offered to the account.',
  api_key_not_found: 'There is no such key on the account. A key of another account answers the same.',
  idempotency_conflict: 'The `Idempotency-Key` was used with another body.',
  idempotency_in_progress: 'The first request with this `Idempotency-Key` has not finished.',
  api_key_revoked: 'The key is revoked, and is not rotated or changed any more.',
  request_too_large: 'The body is larger than the service accepts.',
  rate_limit_error: 'Too many requests, or too many at once. None of them was charged.',
  spending_limit_exceeded: "The key's own limit of the month does not cover the request.",
  internal_error: 'The service failed. Retry with backoff.',
  billing_error: 'The request was run, and its charge could not be recorded. Do not retry.',
  service_unavailable: 'The service cannot take the request now. Retry with backoff.',
  upstream_timeout: 'The model did not respond in time.',
};
