import type { ChatCompletionRequest } from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import { isRequestsOwnFailure, noRouteFailure, type FailedCall } from '../upstream/call-routes';
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
 * What the customer is told if the calls that were tried failed like this, in their order: our words, never an
 * upstream's. They may come again when the first of them may be asked again, unless their request is what a server
 * fails at: then they would ask in vain. Does not throw. Source: decisions, "What is charged".
 */
export async function toApiErrorOfUpstreams(
  failed: readonly FailedCall[],
  request: ChatCompletionRequest,
): Promise<ApiError> {
  const failures = failed.map(({ failure }) => failure);
  const last = failures.at(-1) ?? noRouteFailure();
  if (await isRequestsOwnFailure(failed)) {
    const message = 'The model fails at this request, though it answers others. Change the request.';
    return new ApiError('invalid_request_error', { message, cause: last });
  }
  return toApiError(failures, last, request);
}

/** What the customer is told if a stream breaks off. Whatever its upstream says then: the request was not wrong. */
export function toApiErrorOfBrokenStream(failure: UpstreamFailure): ApiError {
  return new ApiError(failure.kind === 'timeout' ? 'upstream_timeout' : 'service_unavailable', {
    ...(failure.kind === 'timeout' ? {} : { retryAfterSeconds: DEFAULT_RETRY_AFTER_MS / 1_000 }),
    cause: failure,
  });
}

function toApiError(
  failures: readonly UpstreamFailure[],
  last: UpstreamFailure,
  request: ChatCompletionRequest,
): ApiError {
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
