import type { Model, Route } from '@farebox/catalog';
import { UpstreamFailure } from './failure';
import type { UpstreamClient } from './upstream-client';

export interface RouteTarget {
  route: Route;
  client: UpstreamClient;
}

/** The places where a model is served, in the order in which they are tried. */
export function targetsOf(model: Model, clients: ReadonlyMap<string, UpstreamClient>): RouteTarget[] {
  return model.routes.flatMap((route) => {
    const client = clients.get(route.upstreamId);
    return client ? [{ route, client }] : [];
  });
}

/** What all routes together come to where there is none. */
export function noRouteFailure(): UpstreamFailure {
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
