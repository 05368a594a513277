import type { ChatCompletionRequest } from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import type { UpstreamFailure } from '../upstream/failure';

/** A wait that is short enough for another try and long enough for a breath. */
const RETRY_AFTER_SECONDS = 5;

/** What the customer is told of an upstream's failure: our words, never the upstream's. Source: decisions, "What is charged". */
export function toApiErrorOfUpstream(failure: UpstreamFailure, request: ChatCompletionRequest): ApiError {
  switch (failure.kind) {
    case 'refused_request': {
      const field = failure.param?.split(/[.[]/)[0];
      return new ApiError('invalid_request_error', {
        message: 'The model does not accept this request.',
        param: field !== undefined && Object.hasOwn(request, field) ? field : null,
        cause: failure,
      });
    }
    case 'timeout':
      return new ApiError('upstream_timeout', { cause: failure });
    case 'misconfigured':
    case 'unavailable':
    case 'garbage':
      return new ApiError('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: failure });
  }
}
