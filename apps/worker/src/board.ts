import { createHash, timingSafeEqual } from 'node:crypto';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { BoardConfig } from '@farebox/config';
import { ApiError } from '@farebox/errors';
import {
  createHttpServer,
  errorMiddleware,
  headersOf,
  listen,
  listenerOf,
  notFoundMiddleware,
  OPERATORS_SERVER_LIMITS,
  requestIdMiddleware,
  sendError,
  type ErrorLog,
} from '@farebox/http';
import { openAllQueues, type BullQueue, type JobBackend } from '@farebox/jobs';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';

export interface Board {
  port: number;
  /** Disconnects current readers. */
  close(): Promise<void>;
}

interface OpenBoardOptions {
  config: BoardConfig;
  backend: JobBackend;
  /** A folder with the board's page in `dist`, which the build puts next to the bundle. */
  pageFolder: string;
  log: ErrorLog;
  /** The queues' connection failed; it is reopened automatically. */
  onQueueError: (error: unknown) => void;
}

/** Serves the queue board on its own port. Rejects with Node's error if it cannot listen. */
export async function openBoard(options: OpenBoardOptions): Promise<Board> {
  const { config, backend, pageFolder, log, onQueueError } = options;
  const all = openAllQueues(backend, onQueueError);
  const app = createBoardApp({ queues: all.queues, token: config.token, pageFolder, log });
  const server = createHttpServer(listenerOf(app, log), OPERATORS_SERVER_LIMITS);
  try {
    const port = await listen(server, config);
    return {
      port,
      async close() {
        await new Promise<void>((resolve) => {
          server.close(() => {
            resolve();
          });
          server.closeAllConnections();
        });
        await all.close();
      },
    };
  } catch (error) {
    await all.close();
    throw error;
  }
}

interface BoardAppOptions {
  queues: readonly BullQueue[];
  token: string;
  /** A folder with the board's page in `dist`, as in `@bull-board/ui`. */
  pageFolder: string;
  log: ErrorLog;
}

/**
 * The queue board. It is read-only: operators change jobs with the admin command, which writes the audit log.
 * Nothing, including the page, is served without the token.
 */
function createBoardApp({ queues, token, pageFolder, log }: BoardAppOptions): Express {
  const board = new ExpressAdapter();
  createBullBoard({
    queues: queues.map(toAdapter),
    serverAdapter: board,
    options: {
      uiBasePath: pageFolder,
      uiConfig: { boardTitle: 'Farebox queues', hideRedisDetails: true },
    },
  });

  const app = express();
  app.disable('x-powered-by');
  app.use(requestIdMiddleware());
  app.use(setSecurityHeaders);
  app.use(requireToken(token));
  app.use(onlyLooks);
  const page = board.getRouter() as Express;
  page.disable('x-powered-by');
  app.use(page);
  app.use(notFoundMiddleware([]));
  app.use(errorMiddleware(log));
  return app;
}

/** The adapter supports queues of both backends; its types include only Redis. */
function toAdapter(queue: BullQueue): BullMQAdapter {
  return new BullMQAdapter(queue as ConstructorParameters<typeof BullMQAdapter>[0], { readOnlyMode: true });
}

/** The board's page needs its own files and inline styles. It loads no fonts from elsewhere. */
const SECURITY_HEADERS = new Map(
  Object.entries(
    headersOf(
      helmet({
        contentSecurityPolicy: {
          useDefaults: false,
          directives: {
            defaultSrc: ["'none'"],
            scriptSrc: ["'self'"],
            styleSrc: ["'self'", "'unsafe-inline'"],
            imgSrc: ["'self'", 'data:'],
            fontSrc: ["'self'"],
            connectSrc: ["'self'"],
            workerSrc: ["'self'"],
            baseUri: ["'self'"],
            formAction: ["'none'"],
            frameAncestors: ["'none'"],
          },
        },
        xFrameOptions: { action: 'deny' },
      }),
    ),
  ),
);

function setSecurityHeaders(_req: Request, res: Response, next: NextFunction): void {
  res.setHeaders(SECURITY_HEADERS);
  next();
}

function requireToken(token: string) {
  return (req: Request, res: Response, next: NextFunction): void => {
    res.setHeader('Cache-Control', 'no-store');
    if (bringsToken(req.headers.authorization, token)) {
      next();
      return;
    }
    res.setHeader('WWW-Authenticate', 'Basic realm="Farebox queues", charset="UTF-8"');
    sendError(res, new ApiError('authentication_error', { message: 'The board needs its token.' }));
  };
}

function onlyLooks(req: Request, res: Response, next: NextFunction): void {
  if (req.method === 'GET' || req.method === 'HEAD') {
    next();
    return;
  }
  res.setHeader('Allow', 'GET, HEAD');
  sendError(
    res,
    new ApiError('invalid_request_error', {
      status: 405,
      message: 'The board is read-only. Retry or discard jobs with the admin command.',
    }),
  );
}

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/**
 * Whether the `Authorization` header has the token: as a bearer token, or as the password of Basic
 * authentication with any user name, which browsers can ask for. The comparison takes constant time.
 */
export function bringsToken(authorization: string | undefined, token: string): boolean {
  const given = readToken(authorization ?? '');
  return given !== undefined && timingSafeEqual(hashOf(given), hashOf(token));
}

function readToken(authorization: string): string | undefined {
  const [, bearer] = BEARER.exec(authorization) ?? [];
  if (bearer !== undefined) return bearer;
  const [, encoded] = BASIC.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : pair.slice(colon + 1);
}

/** Fixed length for any input. */
function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
