import { drawRoutes, type Model, type Route } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import { UpstreamFailure } from './failure';
import type { UpstreamClient } from './upstream-client';
import { upstreamOverflow } from './context-overflow';

export interface RouteTarget {
  route: Route;
  client: UpstreamClient;
}

/** Where a model is served, in the order in which one request tries them: drawn once, and kept over its failovers. */
export function targetsOf(
  model: Model,
  clients: ReadonlyMap<string, UpstreamClient>,
  draw: (route: Route) => number = Math.random,
): RouteTarget[] {
  const targets: RouteTarget[] = [];
  for (const route of drawRoutes(model.routes, draw)) {
    const client = clients.get(route.upstreamId);
    if (client) targets.push({ route, client });
  }
  return targets;
}

/** What all routes together come to if there is none. */
function noRouteFailure(): UpstreamFailure {
  return new UpstreamFailure('unavailable', { cause: new Error('the model has no route') });
}

/** A call that failed. */
export interface FailedCall {
  target: RouteTarget;
  failure: UpstreamFailure;
  /** Whether anybody was answered there since the call began. */
  isUp: () => Promise<boolean>;
}

/**
 * Where a request goes after its calls so far, if anywhere. One that failed at the last route in a way that may be its
 * own doing goes there once more, unless the model has failed so often that this is its own state.
 */
export function nextTarget(
  targets: readonly RouteTarget[],
  failed: readonly FailedCall[],
): RouteTarget | undefined {
  const last = failed.at(-1);
  if (last && !isWorthAnotherRoute(last.failure)) return undefined;
  if (!last || failed.length < targets.length) return targets[failed.length];
  const { client, route } = last.target;
  const isFirstOfItsKind = mayBeTheRequests(last.failure) && !twinOf(last, failed);
  const isRepeatable =
    isFirstOfItsKind && failed.length === targets.length && client.mayRepeat(route.upstreamModel);
  return isRepeatable ? last.target : undefined;
}

/**
 * Whether the request itself is what a server fails at: it failed twice in the same way, and the server answers others.
 * Does not throw.
 */
export async function isRequestsOwnFailure(failed: readonly FailedCall[]): Promise<boolean> {
  const last = failed.at(-1);
  const twin = last && twinOf(last, failed);
  return (
    twin !== undefined &&
    (await twin.isUp()) &&
    (twin.target === last?.target || (await last?.isUp()) === true)
  );
}

function twinOf(last: FailedCall, failed: readonly FailedCall[]): FailedCall | undefined {
  if (!mayBeTheRequests(last.failure)) return undefined;
  return failed.find(
    (other) =>
      other !== last && mayBeTheRequests(other.failure) && other.failure.status === last.failure.status,
  );
}

/** A server that took a request and failed at it (500), not one that is overloaded or that nobody reaches. */
function mayBeTheRequests({ kind, status }: UpstreamFailure): boolean {
  return kind === 'unavailable' && status !== undefined && status >= 500 && !OF_THE_SERVER.has(status);
}

const OF_THE_SERVER = new Set([502, 503, 504]);

/** Whether another upstream may do better. After a time-out the caller has waited long enough. */
function isWorthAnotherRoute({ kind }: UpstreamFailure): boolean {
  return kind !== 'refused_request' && kind !== 'timeout';
}

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
 * fails at: then they would ask in vain. Does not throw. Source: docs/design/decisions.md, "What is charged".
 */
export async function toApiErrorOfUpstreams(
  failed: readonly FailedCall[],
  request: object,
): Promise<ApiError> {
  const failures = failed.map(({ failure }) => failure);
  const last = failures.at(-1) ?? noRouteFailure();
  if (await isRequestsOwnFailure(failed)) {
    const message = 'The model cannot process this request, although it serves others. Change the request.';
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

function toApiError(failures: readonly UpstreamFailure[], last: UpstreamFailure, request: object): ApiError {
  switch (last.kind) {
    case 'refused_request': {
      if (last.isOverContext) return upstreamOverflow(last, request);
      if (last.isFiltered)
        return new ApiError('invalid_request_error', {
          message:
            "The prompt was refused by the model's content filter. Change it: as it is, it is refused again.",
          param: Object.hasOwn(request, 'messages') ? 'messages' : 'input',
          cause: last,
        });
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
    case 'told_to_wait':
    case 'full': {
      const waitsMs = [...failures, last].map(({ retryAfterMs }) => retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
      const retryAfterMs = Math.min(...waitsMs);
      return new ApiError('service_unavailable', { retryAfterSeconds: retryAfterMs / 1_000, cause: last });
    }
  }
}
