import type { ChatCompletionRequest } from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import { noRouteFailure } from '../upstream/call-routes';
import type { UpstreamFailure } from '../upstream/failure';

/** Another process is there already, or soon. */
const RETRY_AFTER_SHUTDOWN_SECONDS = 1;

/** What the customer is told whose request cannot be finished before the process ends. */
export function shuttingDownError(): ApiError {
  return new ApiError('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SHUTDOWN_SECONDS });
}

/** A wait that is short enough for another try and long enough for a breath. */
const DEFAULT_RETRY_AFTER_MS = 5_000;

/**
 * What the customer is told where the routes that were tried failed like this, in their order: our words, never an
 * upstream's. He may come again when the first of them may be asked again. Source: decisions, "What is charged".
 */
export function toApiErrorOfUpstreams(
  failures: readonly UpstreamFailure[],
  request: ChatCompletionRequest,
): ApiError {
  const last = failures.at(-1) ?? noRouteFailure();
  switch (last.kind) {
    case 'refused_request': {
      if (last.isOverContext) return overContextError(last);
      const field = last.param?.split(/[.[]/)[0];
      return new ApiError('invalid_request_error', {
        message: 'The model does not accept this request.',
        param: field !== undefined && Object.hasOwn(request, field) ? field : null,
        cause: last,
      });
    }
    case 'timeout':
      return new ApiError('upstream_timeout', { cause: last });
    case 'misconfigured':
    case 'unavailable':
    case 'garbage':
    case 'circuit_open':
    case 'full': {
      const waitsMs = [...failures, last].map(({ retryAfterMs }) => retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
      const retryAfterMs = Math.min(...waitsMs);
      return new ApiError('service_unavailable', { retryAfterSeconds: retryAfterMs / 1_000, cause: last });
    }
  }
}

/** The bound of the prompt has let it pass: only the upstream has counted. */
function overContextError(cause: UpstreamFailure): ApiError {
  const message =
    "The prompt and the output limit together are longer than the model's context window. Send less, or lower max_tokens.";
  return new ApiError('invalid_request_error', { message, param: 'messages', cause });
}
