import type { RequestListener } from 'node:http';
import {
  errorMiddleware,
  healthRoutes,
  listenerOf,
  notFoundMiddleware,
  refuseAmbiguousHeaders,
  requestIdMiddleware,
  servePublicDocument,
  type PublicDocument,
  type Readiness,
} from '@farebox/http';
import type { Logger } from '@farebox/observability';
import express, { type NextFunction, type Request, type Response } from 'express';
import { databaseErrorMiddleware } from './database-errors';
import type { Endpoint, OpenEndpoint } from './http/endpoint';
import { InTurn } from './http/in-turn';
import { requestLogMiddleware, requestTelemetryMiddleware, type RequestTelemetry } from './http/request-log';
import { serveEndpoint, serveOpenEndpoint } from './http/serve-endpoint';
import type { FindSession } from './http/session-guard';
import { warnOfUntrustedProxy } from './http/client-network';

export interface AppParts {
  endpoints: readonly Endpoint[];
  /** Those that take no session. */
  openEndpoints: readonly OpenEndpoint[];
  /** What everybody may read, under its path. */
  documents: readonly PublicDocument[];
  findSession: FindSession;
  /** Whose `X-Forwarded-For` says where a request comes from. */
  trustedProxies: readonly string[];
  readiness: Readiness;
  telemetry: RequestTelemetry;
  log: Logger;
}

/** Of one account, and of one session: what its own pages ask for at once is short. */
const REQUESTS_AT_ONCE = 2;

/** The account service, in the order in which a request meets it. */
export function createApp({
  endpoints,
  openEndpoints,
  documents,
  findSession,
  trustedProxies,
  readiness,
  telemetry,
  log,
}: AppParts): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A path is what it says: /V1/Api-Keys and /v1/api-keys/ are other paths.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', [...trustedProxies]);

  app.use(requestIdMiddleware());
  app.use(healthRoutes(readiness));
  app.use(requestTelemetryMiddleware(telemetry));
  app.use(requestLogMiddleware(log));
  app.use(warnOfUntrustedProxy(log));
  app.use((req: Request, _res: Response, next: NextFunction) => {
    refuseAmbiguousHeaders(req);
    next();
  });
  const inTurn = new InTurn(REQUESTS_AT_ONCE);
  for (const endpoint of endpoints) {
    const route = app.route(endpoint.path);
    const serve = serveEndpoint(endpoint, findSession, inTurn);
    if (endpoint.method === 'GET') route.get(serve);
    else if (endpoint.method === 'POST') route.post(serve);
    else if (endpoint.method === 'PATCH') route.patch(serve);
    else route.delete(serve);
  }
  for (const endpoint of openEndpoints) {
    const route = app.route(endpoint.path);
    if (endpoint.method === 'GET') route.get(serveOpenEndpoint(endpoint));
    else route.post(serveOpenEndpoint(endpoint));
  }
  for (const document of documents) app.get(document.path, servePublicDocument(document));
  const documentRoutes = documents.map(({ path }) => ({ method: 'GET', path }));
  app.use(notFoundMiddleware([...endpoints, ...openEndpoints, ...documentRoutes]));
  app.use(databaseErrorMiddleware());
  app.use(errorMiddleware(log));
  return listenerOf(app, log);
}
