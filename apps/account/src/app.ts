import {
  errorMiddleware,
  healthRoutes,
  notFoundMiddleware,
  refuseAmbiguousHeaders,
  requestIdMiddleware,
  type Readiness,
} from '@farebox/http';
import type { Logger } from '@farebox/observability';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { databaseErrorMiddleware } from './database-errors';
import type { Endpoint } from './http/endpoint';
import { requestLogMiddleware } from './http/request-log';
import { serveEndpoint } from './http/serve-endpoint';
import type { FindSession } from './http/session-guard';

export interface AppParts {
  endpoints: readonly Endpoint[];
  findSession: FindSession;
  readiness: Readiness;
  log: Logger;
}

/** The account service, in the order in which a request meets it. */
export function createApp({ endpoints, findSession, readiness, log }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A path is what it says: /V1/Api-Keys and /v1/api-keys/ are other paths.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');

  app.use(requestIdMiddleware());
  app.use(healthRoutes(readiness));
  app.use(requestLogMiddleware(log));
  app.use((req: Request, _res: Response, next: NextFunction) => {
    refuseAmbiguousHeaders(req);
    next();
  });
  for (const endpoint of endpoints) {
    const route = app.route(endpoint.path);
    const serve = serveEndpoint(endpoint, findSession);
    if (endpoint.method === 'GET') route.get(serve);
    else if (endpoint.method === 'POST') route.post(serve);
    else route.delete(serve);
  }
  app.use(notFoundMiddleware(endpoints));
  app.use(databaseErrorMiddleware());
  app.use(errorMiddleware(log));
  return app;
}
