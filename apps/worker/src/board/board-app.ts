import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { ApiError } from '@farebox/errors';
import {
  errorMiddleware,
  notFoundMiddleware,
  requestIdMiddleware,
  sendError,
  type ErrorLog,
} from '@farebox/http';
import type { BullQueue } from '@farebox/jobs';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { bringsToken } from './board-credential';

export interface BoardAppOptions {
  queues: readonly BullQueue[];
  token: string;
  /** A folder whose `dist` has the board's page, as `@bull-board/ui` has it. */
  pageFolder: string;
  log: ErrorLog;
}

/**
 * The board of the queues. It only shows: what an operator does to a job goes through the admin command, which writes
 * the audit log. Nothing of it, the page included, is answered without the token.
 */
export function createBoardApp({ queues, token, pageFolder, log }: BoardAppOptions): Express {
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
  app.use(securityHeaders());
  app.use(requireToken(token));
  app.use(onlyLooks);
  const page = board.getRouter() as Express;
  page.disable('x-powered-by');
  app.use(page);
  app.use(notFoundMiddleware([]));
  app.use(errorMiddleware(log));
  return app;
}

/** The adapter takes queues of both backends; its types know that of Redis alone. */
function toAdapter(queue: BullQueue): BullMQAdapter {
  return new BullMQAdapter(queue as ConstructorParameters<typeof BullMQAdapter>[0], { readOnlyMode: true });
}

/** What the board's page needs: its own files, and styles that it writes into itself. It asks nobody else for a font. */
function securityHeaders(): ReturnType<typeof helmet> {
  return helmet({
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
  });
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
      message: 'The board only shows. Jobs are retried and discarded with the admin command.',
    }),
  );
}
