import { drawRoutes, type Model, type Route } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import { UpstreamFailure } from './failure';
import type { UpstreamClient } from './upstream-client';
import { upstreamOverflow } from './context-overflow';

export interface RouteTarget {
  route: Route;
  client: UpstreamClient;
}

/**
 * The routes of a model in the order in which one request tries them: drawn once, and kept over its
 * failovers.
 */
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

/** The failure of a model without routes. */
function noRouteFailure(): UpstreamFailure {
  return new UpstreamFailure('unavailable', { cause: new Error('the model has no route') });
}

/** A call that failed. */
export interface FailedCall {
  target: RouteTarget;
  failure: UpstreamFailure;
  /** Whether anybody has been answered there since the call began. */
  isUp: () => Promise<boolean>;
}

/**
 * The next route for a request after its calls so far, if any. A failure that the request itself may have
 * caused gets one more try on the same route, unless the model fails so often that the model is the likely
 * cause.
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
 * Whether the request itself makes the server fail: it failed twice in the same way, and the server answers
 * others. Does not throw.
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

/**
 * Whether a server accepted the request and failed (500), as opposed to one that is overloaded or
 * unreachable.
 */
function mayBeTheRequests({ kind, status }: UpstreamFailure): boolean {
  return kind === 'unavailable' && status !== undefined && status >= 500 && !OF_THE_SERVER.has(status);
}

const OF_THE_SERVER = new Set([502, 503, 504]);

/** Whether another upstream may do better. After a time-out the caller has waited long enough. */
function isWorthAnotherRoute({ kind }: UpstreamFailure): boolean {
  return kind !== 'refused_request' && kind !== 'timeout';
}

/** Another process is running already, or will be soon. */
const RETRY_AFTER_SHUTDOWN_SECONDS = 1;

/** The error of a request that cannot finish before the process ends. */
export function shuttingDownError(): ApiError {
  return new ApiError('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SHUTDOWN_SECONDS });
}

/** The error of a request whose account was suspended while it ran. */
export function suspendedError(): ApiError {
  return new ApiError('beta_access_required', {
    message:
      'This account lost its access to the service during the request. What had been delivered is charged.',
  });
}

/** Short enough for another try, long enough for a server to recover. */
const DEFAULT_RETRY_AFTER_MS = 5_000;

/**
 * The customer's error after these failed calls, in their order. The texts are ours, never an upstream's. It
 * asks for a retry as soon as the first route is available again, unless the request itself makes the server
 * fail: a retry would be useless. Does not throw. Source: docs/design/decisions.md, "What is charged".
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

/**
 * The customer's error for a stream that breaks off. It never blames the request, whatever the upstream says.
 */
export function toApiErrorOfBrokenStream(failure: UpstreamFailure): ApiError {
  return new ApiError(failure.kind === 'timeout' ? 'upstream_timeout' : 'service_unavailable', {
    ...(failure.kind === 'timeout' ? {} : { retryAfterSeconds: DEFAULT_RETRY_AFTER_MS / 1_000 }),
    ...loggedCause(failure),
  });
}

/** Each attempt is logged when it ends, and an open circuit when it opens. */
const loggedCause = (cause: UpstreamFailure) => ({ cause, isCauseLogged: true }) as const;

function toApiError(failures: readonly UpstreamFailure[], last: UpstreamFailure, request: object): ApiError {
  switch (last.kind) {
    case 'refused_request': {
      if (last.isOverContext) return upstreamOverflow(last, request);
      if (last.isFiltered)
        return new ApiError('invalid_request_error', {
          message:
            "The prompt was refused by the model's content filter. Change it, or it will be refused again.",
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
      return new ApiError('upstream_timeout', loggedCause(last));
    case 'misconfigured':
    case 'unavailable':
    case 'garbage':
    case 'circuit_open':
    case 'told_to_wait':
    case 'full': {
      const waitsMs = [...failures, last].map(({ retryAfterMs }) => retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
      const retryAfterMs = Math.min(...waitsMs);
      return new ApiError('service_unavailable', {
        retryAfterSeconds: retryAfterMs / 1_000,
        ...loggedCause(last),
      });
    }
  }
}
