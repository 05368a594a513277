import type { Route } from '@farebox/http';
import type { Request, Response } from 'express';
import type { Answer } from './endpoint';
import { sendAnswer } from './send-answer';

/** One row of the table of endpoints that take no account session. Each of them reads its own headers and body. */
export interface OpenEndpoint extends Route {
  method: 'GET' | 'POST';
  handle(request: Request): Promise<Answer>;
}

/** Serves one endpoint that takes no session. */
export function serveOpenEndpoint(endpoint: OpenEndpoint) {
  return async (req: Request, res: Response): Promise<void> => {
    sendAnswer(res, await endpoint.handle(req));
  };
}
