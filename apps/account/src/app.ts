import type { RequestListener } from 'node:http';
import { toPublicId } from '@farebox/auth';
import { isRetryable } from '@farebox/database';
import { Turns } from '@farebox/flow';
import {
  allowOrigins,
  errorMiddleware,
  healthRoutes,
  listenerOf,
  notFoundMiddleware,
  refuseAmbiguousHeaders,
  requestIdMiddleware,
  routeOf,
  servePublicDocument,
  unavailableMiddleware,
  type PublicDocument,
  type Readiness,
  type RequestRecorder,
} from '@farebox/http';
import type { Logger } from '@farebox/observability';
import express, { type NextFunction, type Request, type Response } from 'express';
import { warnOfUntrustedProxy } from './http/sign-in';
import { serveConsole, type ConsoleParts } from './http/console';
import type { Endpoint, KeyEndpoint, OpenEndpoint } from './http/endpoint';
import {
  serveEndpoint,
  serveKeyEndpoint,
  serveOpenEndpoint,
  type FindApiKey,
  type FindSession,
  type Locals,
  type Memory,
} from './http/serve-endpoint';

interface AppParts {
  endpoints: readonly Endpoint[];
  /** Endpoints that accept an API key or a session. */
  keyEndpoints: readonly KeyEndpoint[];
  /** Endpoints without a session. */
  openEndpoints: readonly OpenEndpoint[];
  /** Public documents, by path. */
  documents: readonly PublicDocument[];
  console: ConsoleParts;
  findSession: FindSession;
  findApiKey: FindApiKey;
  /** Allowed CORS origins. */
  consoleOrigins: readonly string[];
  /** Proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
  memory: Memory;
  readiness: Readiness;
  recorder: RequestRecorder;
  log: Logger;
}

/** Per account, and per session: the requests that its own pages send concurrently are short. */
const REQUESTS_AT_ONCE = 2;
/** Per account: each keeps a part of its records in memory as long as its client reads. */
const DOWNLOADS_AT_ONCE = 2;

/** The account service, with its middlewares in order. */
export function createApp({
  endpoints,
  keyEndpoints,
  openEndpoints,
  documents,
  console,
  findSession,
  findApiKey,
  consoleOrigins,
  trustedProxies,
  memory,
  readiness,
  recorder,
  log,
}: AppParts): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Paths are exact: /V1/Api-Keys and /v1/api-keys/ are different paths.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', [...trustedProxies]);

  app.use(requestIdMiddleware());
  app.use(healthRoutes(readiness));
  app.use(recordMiddleware(recorder));
  app.use(warnOfUntrustedProxy(log));
  app.use((req: Request, _res: Response, next: NextFunction) => {
    refuseAmbiguousHeaders(req);
    next();
  });
  app.use(allowOrigins(consoleOrigins));
  const limits = { atOnceOfOwner: REQUESTS_AT_ONCE, pauses: true };
  const turns = {
    credentials: new Turns(limits),
    accounts: new Turns(limits),
    downloads: new Turns({ atOnceOfOwner: DOWNLOADS_AT_ONCE }),
  };
  for (const endpoint of endpoints) {
    const route = app.route(endpoint.path);
    const serve = serveEndpoint(endpoint, findSession, turns, memory, consoleOrigins);
    if (endpoint.method === 'GET') route.get(serve);
    else if (endpoint.method === 'POST') route.post(serve);
    else if (endpoint.method === 'PATCH') route.patch(serve);
    else route.delete(serve);
  }
  for (const endpoint of keyEndpoints)
    app.get(endpoint.path, serveKeyEndpoint(endpoint, { findSession, findApiKey }, turns, memory));
  for (const endpoint of openEndpoints) {
    const route = app.route(endpoint.path);
    if (endpoint.method === 'GET') route.get(serveOpenEndpoint(endpoint, memory));
    else route.post(serveOpenEndpoint(endpoint, memory));
  }
  for (const document of documents) app.get(document.path, servePublicDocument(document));
  const documentRoutes = documents.map(({ path }) => ({ method: 'GET', path }));
  const routes = [...endpoints, ...keyEndpoints, ...openEndpoints, ...documentRoutes];
  app.use(serveConsole(console, routes));
  app.use(notFoundMiddleware(routes));
  app.use(unavailableMiddleware(isRetryable));
  app.use(errorMiddleware(log));
  return listenerOf(app, log);
}

/** Records each request until it ends. Names its route, never its path. */
function recordMiddleware(recorder: RequestRecorder) {
  return (req: Request, res: Response<unknown, Locals>, next: NextFunction): void => {
    recorder.follow(req, res, res.locals, () => {
      const { accountId, route = routeOf(req) } = res.locals;
      return { route, accountId: accountId && toPublicId('acct', accountId) };
    });
    next();
  };
}
