import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  allowOrigins,
  answerPreflight,
  sendFailedStream,
  sendFailure,
  errorMiddleware,
  healthRoutes,
  identifyRequest,
  isHealthCheck,
  isPreflight,
  listenerOf,
  methodsFor,
  notFoundMiddleware,
  refuseAmbiguousHeaders,
  servePublicDocument,
  setHead,
  type PublicDocument,
  type Readiness,
  type RequestContext,
  type RequestDescription,
  type RequestRecorder,
  type Route,
} from '@farebox/http';
import { toMessagesError } from '@farebox/api';
import {
  messagesOperations,
  modelOperations,
  quoteOperations,
  serviceOperations,
  toRoute,
  type Operation,
} from '@farebox/api/operations';
import type { ApiKeyIdentity } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toApiError } from '@farebox/errors';
import { NO_SPAN, type Logger } from '@farebox/observability';
import express, { type Request, type Response } from 'express';
import { chatWire } from './wires/chat/chat-wire';
import { embeddings } from './wires/embeddings/embeddings';
import { handleCountTokens } from './wires/messages/count-tokens';
import { messagesWire } from './wires/messages/messages-wire';
import { handleModel, handleModels, speaksAnthropic } from './wires/models/models';
import {
  completionsBy,
  handlePaidRequest,
  type PaidEndpoint,
  type PaidRequestsDeps,
} from './wires/paid-endpoint';
import { compactWire } from './wires/responses/compact-wire';
import { responsesWire } from './wires/responses/responses-wire';
import { handleQuote } from './wires/quotes';
import type { Wire } from './wires/wire';
import type { RefusalPace } from './identity/refusal-pace';
import type { RequestLimiter } from './limiter/request-limits';
import { preconditionOf, type Precondition } from './refusals';
import { describeUncharged, RequestProgress, outcomeShown } from './paid/request-progress';
import type { UnchargedRequests } from './paid/uncharged-requests';
import type { AskLedger } from './paid/no-room';

interface AppDeps extends PaidRequestsDeps {
  askLedger: AskLedger;
  /** The limits of counts of tokens. */
  countLimiter: RequestLimiter;
  log: Logger;
  recorder: RequestRecorder;
  readiness: Readiness;
  running: RunningRequests;
  refusals: RefusalPace;
  uncharged: UnchargedRequests;
  documents: readonly PublicDocument[];
  /** Allowed CORS origins. */
  consoleOrigins: readonly string[];
}

const WIRES: readonly Wire[] = [chatWire, messagesWire, responsesWire, compactWire];
const PAID_ENDPOINTS: readonly PaidEndpoint[] = [...WIRES.map(completionsBy), embeddings];
const PAID_ENDPOINT_OF_PATH = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint]));

/** An endpoint that costs nothing, behind Express. */
interface FreeEndpoint extends Route {
  method: 'GET' | 'POST';
  handle: (deps: AppDeps, req: Request, res: ServerResponse) => Promise<void>;
}

/** The endpoint of an operation: its method and path are those that are documented. */
const on = (
  operation: Operation & Pick<FreeEndpoint, 'method'>,
  handle: FreeEndpoint['handle'],
): FreeEndpoint => ({ ...toRoute(operation), handle });

const FREE_ENDPOINTS: readonly FreeEndpoint[] = [
  on(modelOperations.listModels, handleModels),
  on(modelOperations.getModel, handleModel),
  on(messagesOperations.countMessageTokens, handleCountTokens),
  on(quoteOperations.createQuote, handleQuote),
];

const { getOpenApiDocument, getDocsPage, getErrorDocs, getErrorPage } = serviceOperations;

/** The endpoints: the traffic, called with an API key, and what everybody may read. */
export const ROUTES: readonly Route[] = [
  ...PAID_ENDPOINTS.map(({ path }) => ({ method: 'POST', path })),
  ...FREE_ENDPOINTS,
  ...[getOpenApiDocument, getDocsPage, getErrorDocs, getErrorPage].map(toRoute),
];

/**
 * Every request's path, from top to bottom. The traffic routes are served before Express and pay for nothing that
 * they do not use. Both paths share the code for headers, limits and the error envelope.
 */
export function createApp(deps: AppDeps): RequestListener {
  const others = createExpressApp(deps);
  const allow = allowOrigins(deps.consoleOrigins);
  return (req, res) => {
    const context = identifyRequest(req);
    const { id, requestId, startedAtMs, head } = context;
    const path = pathOf(req);
    const paid = req.method === 'POST' ? PAID_ENDPOINT_OF_PATH.get(path) : undefined;
    const isOfMessages = asksForMessages(req, path);
    if (isOfMessages) head.push('request-id', context.requestId);
    let refusedBy: Precondition | undefined;
    const progress = new RequestProgress();
    const describe = (): RequestDescription => {
      const { identity } = progress;
      return {
        route: paid?.path ?? routeOf(path),
        accountId: identity && toPublicId('acct', identity.accountId),
        apiKeyId: identity && toPublicId('key', identity.apiKeyId),
        refusedBy,
      };
    };
    const span = isHealthCheck(req) ? NO_SPAN : deps.recorder.follow(req, res, context, describe);
    const fail = (thrown: unknown): void => {
      if (!res.headersSent) setHead(res, head);
      refusedBy = preconditionOf(thrown);
      const refused = toApiError(thrown);
      const events = progress.toRefusedStream?.(refused);
      if (events !== undefined) {
        sendFailedStream(res, refused, events);
        return;
      }
      const toErrorBody = paid?.toErrorBody ?? (isOfMessages ? toMessagesError : undefined);
      sendFailure(deps.log, res, context.requestId, thrown, toErrorBody);
    };
    try {
      refuseAmbiguousHeaders(req);
    } catch (error) {
      fail(error);
      return;
    }
    const answerPaid = async (endpoint: PaidEndpoint): Promise<void> => {
      let thrown: unknown;
      try {
        // Properties are written out here and along the whole path: spreading an object and adding to it creates a
        // hidden class, which V8 looks up again, in Node 20 each time.
        const of = { id, requestId, startedAtMs, head, span, progress };
        await handlePaidRequest(deps, endpoint, req, res, of);
      } catch (error) {
        thrown = error;
        await deps.refusals.turnOf(error, res);
        fail(error);
      }
      noteIfUncharged(deps, res, context, progress, thrown);
    };
    if (!paid) setHead(res, head);
    // A preflight of a listed page is answered there.
    allow(
      req,
      res,
      () => {
        if (paid) void deps.running.follow(answerPaid(paid));
        else if (isPreflight(req) && path.startsWith('/v1/') && routeOf(path) !== 'other')
          answerPreflight(req, res);
        else {
          Object.assign(res, { locals: { requestId: context.requestId, progress } });
          others(req, res);
        }
      },
      paid && head,
    );
  };
}

/** Records a request that ended without a charge, so that its account can see it. */
function noteIfUncharged(
  { uncharged, catalog, now }: AppDeps,
  res: ServerResponse,
  { id, requestId, startedAtMs }: RequestContext,
  progress: RequestProgress,
  thrown: unknown,
): void {
  const { identity, isUncharged } = progress;
  if (!identity || !isUncharged) return;
  uncharged.note(identity.accountId, () =>
    describeUncharged(progress, identity, outcomeShown(res, thrown), {
      id,
      requestId,
      latencyMs: now() - startedAtMs,
      catalog: catalog.current.snapshot,
    }),
  );
}

/** Everything but the routes that carry the traffic. */
function createExpressApp(deps: AppDeps): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  // Paths are matched literally: /V1/Models and /v1/models/ are other paths.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(healthRoutes(deps.readiness));
  for (const { method, path, handle } of FREE_ENDPOINTS) {
    const route = app.route(path);
    const serve = (req: Request, res: Response<unknown, { progress: RequestProgress }>) => {
      const onFreeFound = (identity: ApiKeyIdentity): void => {
        res.locals.progress.identity = identity;
      };
      return deps.refusals.follow(res, () => handle({ ...deps, onFreeFound }, req, res));
    };
    if (method === 'GET') route.get(serve);
    else route.post(serve);
  }
  for (const document of deps.documents) app.get(document.path, servePublicDocument(document));
  const toErrorBodyOf = (req: IncomingMessage) => (asksForMessages(req) ? toMessagesError : undefined);
  app.use(notFoundMiddleware(ROUTES, toErrorBodyOf));
  app.use(errorMiddleware(deps.log, toErrorBodyOf));
  return listenerOf(app, deps.log);
}

const OF_MESSAGES = /^\/v1\/messages(?:\/|$)/;

/** Whether the client uses Anthropic's API, whose errors, request id and models have their own shapes. */
function asksForMessages(req: IncomingMessage, path = pathOf(req)): boolean {
  return OF_MESSAGES.test(path) || speaksAnthropic(req);
}

const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * The path without its query, as it was sent, also if the request names the whole URL. Anything that is not a path
 * matches no route.
 */
function pathOf({ url = '' }: IncomingMessage): string {
  const target = url.startsWith('/') ? url : url.replace(ORIGIN, '');
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

/** Traffic routes have no parameters, so they are found without parsing paths. */
function routeOf(path: string): string {
  const found =
    ROUTES.find((route) => route.path === path) ??
    ROUTES.find((route) => methodsFor([route], path).length > 0);
  return found?.path ?? 'other';
}

/** The requests that a process is working on, including charges and refunds after the response has ended. */
export class RunningRequests {
  #count = 0;
  readonly #onNone: (() => void)[] = [];

  /** Returns the promise that it was given. */
  follow(request: Promise<void>): Promise<void> {
    this.#count++;
    request.then(this.#end, this.#end);
    return request;
  }

  /** Resolves when no request is left. Never rejects. */
  ended(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onNone.push(resolve);
    });
  }

  readonly #end = (): void => {
    this.#count--;
    if (this.#count > 0) return;
    for (const resolve of this.#onNone.splice(0)) resolve();
  };
}
