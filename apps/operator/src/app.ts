import type { RequestListener } from 'node:http';
import type { Brand } from '@farebox/config';
import { isRetryable } from '@farebox/database';
import { Turns } from '@farebox/flow';
import {
  errorMiddleware,
  healthRoutes,
  listenerOf,
  networkOf,
  notFoundMiddleware,
  onceResponseEnds,
  refuseAmbiguousHeaders,
  requestIdMiddleware,
  routeOf,
  sendJson,
  type BodyRoom,
  unavailableMiddleware,
  type ConsoleFiles,
  type Readiness,
  type RequestBodies,
  type RequestRecorder,
  type UnwrittenResponses,
} from '@farebox/http';
import type { Logger } from '@farebox/observability';
import { mayUse, OPERATOR_API } from '@farebox/verbs';
import express, { type NextFunction, type Request, type Response } from 'express';
import { buildDocument } from './http/document';
import { requireCaller, requireRight, type Access, type Caller } from './http/access';
import {
  beginOpenId,
  finishOpenId,
  OPENID_CALLBACK_PATH,
  OPENID_PATH,
  type OpenIdSignIn,
} from './http/openid';
import { serveConsole } from './http/console';
import { askForLink, HOME, LINKS_PATH, sendLinkPage, signIn, signOut, type SignIn } from './http/sign-in';
import { describeVerbs, serveVerb, VERB_ROUTES, type RunVerb } from './http/verbs';

interface AppParts {
  access: Access;
  signIn: SignIn;
  /** Undefined without an identity provider. */
  openId: OpenIdSignIn | undefined;
  run: RunVerb;
  /** Undefined if the service was built without its console. */
  consoleFiles: ConsoleFiles | undefined;
  brand: Brand;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
  /** Shared by all requests of the process. */
  memory: { bodies: RequestBodies; responses: UnwrittenResponses };
  readiness: Readiness;
  recorder: RequestRecorder;
  log: Logger;
}

/** Data that middlewares pass on. */
interface Locals extends Record<string, unknown> {
  requestId: string;
  startedAtMs: number;
  /** Set if no route of Express serves the request. */
  route?: string;
}

/** The document of the API, for clients that are generated from it. */
const DOCUMENT_PATH = `${OPERATOR_API}/openapi.json`;

/** Concurrent requests of one person or key: a report does not keep their other pages waiting. */
const REQUESTS_AT_ONCE = 4;

/** The operator service, with its middlewares in order. */
export function createApp(parts: AppParts): RequestListener {
  const { access, run, brand, memory, log } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', [...parts.trustedProxies]);

  app.use(requestIdMiddleware());
  app.use(healthRoutes(parts.readiness));
  app.use(recordMiddleware(parts.recorder));
  app.use((req: Request, _res: Response, next: NextFunction) => {
    refuseAmbiguousHeaders(req);
    next();
  });

  const turns = new Turns({ atOnceOfOwner: REQUESTS_AT_ONCE });
  /** Calls `work` for an authenticated caller, in their turn. */
  const asCaller =
    (work: (caller: Caller, req: Request, res: Response, room: BodyRoom) => Promise<void> | void) =>
    async (req: Request, res: Response): Promise<void> => {
      const caller = await requireCaller(req, access);
      const room = roomOf(memory.bodies, caller.operator, res);
      await turns.take(caller.operator, async () => work(caller, req, res, room));
      memory.responses.follow(res, caller.operator);
    };

  for (const route of VERB_ROUTES) {
    const serve = asCaller((caller, req, res, room) => {
      requireRight(caller, route.words);
      return serveVerb(route, caller, req, res, room, run);
    });
    if (route.method === 'GET') app.get(route.path, serve);
    else app.post(route.path, serve);
  }
  app.get(
    `${OPERATOR_API}/me`,
    asCaller((caller, _req, res) => {
      const { operator, role, scopes, via, expiresAt } = caller;
      const verbs = describeVerbs((words) => mayUse(caller, words));
      sendJson(res, 200, {
        operator,
        role,
        scopes,
        via,
        expires_at: Math.floor(expiresAt.getTime() / 1_000),
        verbs,
      });
    }),
  );
  const document = buildDocument();
  app.get(
    DOCUMENT_PATH,
    asCaller((_caller, _req, res) => {
      sendJson(res, 200, document);
    }),
  );
  app.get('/operator/links/:token', (req, res) => {
    sendLinkPage(res, brand, req.params.token);
  });
  app.post('/operator/sessions', async (req, res) => {
    const room = roomOf(memory.bodies, networkOf(req.ip), res);
    await signIn(req, res, { links: parts.signIn, brand, room });
  });
  // Whoever has an identity provider wants its rules for each sign-in.
  if (!parts.openId)
    app.post(LINKS_PATH, async (req, res) => {
      const room = roomOf(memory.bodies, networkOf(req.ip), res);
      await askForLink(req, res, { links: parts.signIn, brand, room });
    });
  app.delete(
    '/operator/session',
    asCaller((caller, _req, res) => signOut(res, caller, parts.signIn)),
  );

  const { openId } = parts;
  if (openId) {
    app.get(OPENID_PATH, (_req, res) => beginOpenId(res, openId));
    app.get(OPENID_CALLBACK_PATH, (req, res) => finishOpenId(req, res, openId));
  }

  app.use(serveConsole({ files: parts.consoleFiles, access, brand, hasOpenId: openId !== undefined }));
  app.use(notFoundMiddleware(openId ? ROUTES.filter(({ path }) => path !== LINKS_PATH) : ROUTES));
  app.use(unavailableMiddleware(isRetryable));
  app.use(errorMiddleware(log));
  return listenerOf(app, log);
}

const ROUTES = [
  ...VERB_ROUTES,
  { method: 'GET', path: `${OPERATOR_API}/me` },
  { method: 'GET', path: DOCUMENT_PATH },
  { method: 'GET', path: HOME },
  { method: 'GET', path: '/operator/links/:token' },
  { method: 'POST', path: LINKS_PATH },
  { method: 'POST', path: '/operator/sessions' },
  { method: 'DELETE', path: '/operator/session' },
];

/** The memory for a request's body, until its response has ended. */
function roomOf(bodies: RequestBodies, owner: string, res: Response): BodyRoom {
  const room = bodies.roomFor(owner);
  onceResponseEnds(res, () => {
    room.leave();
  });
  return room;
}

/** Records each request until it ends. Names its route, never its path. */
function recordMiddleware(recorder: RequestRecorder) {
  return (req: Request, res: Response<unknown, Locals>, next: NextFunction): void => {
    recorder.follow(req, res, res.locals, () => ({
      route: res.locals.route ?? routeOf(req),
      accountId: undefined,
    }));
    next();
  };
}
