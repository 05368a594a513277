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

/** Whether another upstream may do better. After a time-out the caller has waited long enough. */
export function isWorthAnotherRoute({ kind }: UpstreamFailure): boolean {
  return kind !== 'refused_request' && kind !== 'timeout';
}
