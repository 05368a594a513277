import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  answerCodeOf,
  answerFailure,
  createRequestContext,
  endRequestSpan,
  errorMiddleware,
  healthRoutes,
  isHealthCheck,
  listenerOf,
  notFoundMiddleware,
  onceAnswered,
  refuseAmbiguousHeaders,
  servePublicDocument,
  startRequestSpan,
  type Readiness,
  type RequestContext,
  type RequestMeter,
} from '@farebox/http';
import { NO_SPAN, type Logger, type Span, type Tracer } from '@farebox/observability';
import { buildPublicDocuments } from '@farebox/openapi';
import express from 'express';
import { handleChatCompletion, type ChatCompletionsDeps } from './http/chat-completions/handler';
import { handleModels } from './http/models/handler';
import type { RefusalPace } from './identity/refusal-pace';
import type { RunningRequests } from './running-requests';
import { refuserOf, type Precondition } from './use-cases/preconditions';

export interface AppDeps extends ChatCompletionsDeps {
  log: Logger;
  tracer: Tracer;
  requests: RequestMeter;
  readiness: Readiness;
  running: RunningRequests;
  refusals: RefusalPace;
}

/** The endpoints: the traffic, called with an API key, and what everybody may read. */
export const ROUTES = [
  { method: 'GET', path: '/v1/models' },
  { method: 'POST', path: '/v1/chat/completions' },
  { method: 'GET', path: '/openapi.json' },
  { method: 'GET', path: '/docs' },
] as const;

/**
 * The way of every request, from top to bottom. The one route that carries the traffic is served before Express and
 * pays for nothing that it does not use; headers, limits and the envelope are the same on both ways, from one code.
 */
export function createApp(deps: AppDeps): RequestListener {
  const others = createExpressApp(deps);
  return (req, res) => {
    const { requestId, startedAtMs } = createRequestContext(req, res);
    const path = pathOf(req);
    const isHealth = isHealthCheck(req);
    const span = isHealth ? NO_SPAN : startRequestSpan(deps.tracer, req, requestId);
    const context = { requestId, startedAtMs, span };
    let refusedBy: Precondition | undefined;
    if (!isHealth) {
      deps.requests.begun();
      onceAnswered(res, (isWritten) => {
        noteAnswer(deps, req, res, { ...context, route: routeOf(path), isWritten, refusedBy });
      });
    }
    const fail = (thrown: unknown): void => {
      refusedBy = refuserOf(thrown);
      answerFailure(deps.log, res, context.requestId, thrown);
    };
    try {
      refuseAmbiguousHeaders(req);
    } catch (error) {
      fail(error);
      return;
    }
    if (path === '/v1/chat/completions' && req.method === 'POST') {
      const answered = deps.refusals.follow(res, () => handleChatCompletion(deps, req, res, context));
      void deps.running.follow(answered.catch(fail));
    } else {
      Object.assign(res, { locals: { requestId: context.requestId } });
      others(req, res);
    }
  };
}

/** Everything but the route that carries the traffic. */
function createExpressApp(deps: AppDeps): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  // A path is what it says: /V1/Models and /v1/models/ are other paths.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(healthRoutes(deps.readiness));
  app.get('/v1/models', (req, res) => deps.refusals.follow(res, () => handleModels(deps, req, res)));
  for (const document of buildPublicDocuments()) app.get(document.path, servePublicDocument(document));
  app.use(notFoundMiddleware(ROUTES));
  app.use(errorMiddleware(deps.log));
  return listenerOf(app, deps.log);
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** The path without its query, as it was sent, also of a request that names the whole URL. What is no path is no route. */
function pathOf({ url = '' }: IncomingMessage): string {
  const target = url.startsWith('/') ? url : url.replace(ORIGIN, '');
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

function routeOf(path: string): string {
  return ROUTES.find((route) => route.path === path)?.path ?? 'other';
}

interface AnsweredRequest extends RequestContext {
  span: Span;
  route: string;
  isWritten: boolean;
  refusedBy: Precondition | undefined;
}

/** Tells the log, the metrics and the trace how a request ended. */
function noteAnswer(
  { log, requests }: AppDeps,
  req: IncomingMessage,
  res: ServerResponse,
  { requestId, startedAtMs, span, route, isWritten, refusedBy }: AnsweredRequest,
): void {
  const method = req.method ?? '';
  const durationMs = Math.round(performance.now() - startedAtMs);
  const code = answerCodeOf(res, isWritten);
  requests.ended(method, route, code, durationMs);
  endRequestSpan(span, { method, route, status: res.statusCode, code });
  log.info(
    {
      event: isWritten ? 'request_completed' : 'request_cut',
      request_id: requestId,
      method,
      route,
      status: res.statusCode,
      code: code === 'ok' ? undefined : code,
      refused_by: refusedBy,
      duration_ms: durationMs,
    },
    'request',
  );
}
