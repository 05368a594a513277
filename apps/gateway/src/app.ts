import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  answerFailure,
  createRequestContext,
  errorMiddleware,
  healthRoutes,
  notFoundMiddleware,
  refuseAmbiguousHeaders,
  type Readiness,
  type RequestContext,
} from '@farebox/http';
import type { Logger } from '@farebox/observability';
import express, { type Express } from 'express';
import { handleChatCompletion, type ChatCompletionsDeps } from './http/chat-completions/handler';
import { handleModels } from './http/models/handler';

export interface AppDeps extends ChatCompletionsDeps {
  log: Logger;
  readiness: Readiness;
}

/** The endpoints, all of them called with an API key. */
export const ROUTES = [
  { method: 'GET', path: '/v1/models' },
  { method: 'POST', path: '/v1/chat/completions' },
] as const;

/**
 * The way of every request, from top to bottom. The one route that carries the traffic is served before Express and
 * pays for nothing that it does not use; headers, limits and the envelope are the same on both ways, from one code.
 */
export function createApp(deps: AppDeps): RequestListener {
  const others = createExpressApp(deps);
  return (req, res) => {
    const context = createRequestContext(req, res);
    const path = pathOf(req);
    res.once('close', () => {
      logRequest(deps.log, req, res, path, context);
    });
    const fail = (thrown: unknown): void => {
      answerFailure(deps.log, res, context.requestId, thrown);
    };
    try {
      refuseAmbiguousHeaders(req);
    } catch (error) {
      fail(error);
      return;
    }
    if (path === '/v1/chat/completions' && req.method === 'POST') {
      handleChatCompletion(deps, req, res, context).catch(fail);
    } else {
      Object.assign(res, { locals: { requestId: context.requestId } });
      others(req, res);
    }
  };
}

/** Everything but the route that carries the traffic. */
function createExpressApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(healthRoutes(deps.readiness));
  app.get('/v1/models', (req, res) => handleModels(deps, req, res));
  app.use(notFoundMiddleware(ROUTES));
  app.use(errorMiddleware(deps.log));
  return app;
}

/** The path without its query; throws nothing: what is no path is no route. */
function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function routeOf(path: string): string {
  return ROUTES.find((route) => route.path === path)?.path ?? 'other';
}

function logRequest(
  log: Logger,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  { requestId, startedAtMs }: RequestContext,
): void {
  log.info(
    {
      event: res.writableFinished ? 'request_completed' : 'request_cut',
      request_id: requestId,
      method: req.method ?? '',
      route: routeOf(path),
      status: res.statusCode,
      duration_ms: Date.now() - startedAtMs,
    },
    'request',
  );
}
