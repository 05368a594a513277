import type { IncomingMessage } from 'node:http';
import { readJsonBody, sendJson } from '@farebox/http';
import type { Request, Response } from 'express';
import type { Endpoint } from './endpoint';
import { requireSession, type FindSession } from './session-guard';

/** What the middlewares leave for each other. */
export interface Locals extends Record<string, unknown> {
  requestId: string;
  startedAtMs: number;
  accountId?: string;
}

const BODY_LIMITS = { maxBytes: 64 * 1024, maxDepth: 64 };

/** Serves one endpoint: session and invite first, from the headers alone; then the body; then the endpoint. */
export function serveEndpoint(endpoint: Endpoint, findSession: FindSession) {
  return async (req: Request, res: Response<unknown, Locals>): Promise<void> => {
    const session = await requireSession(req, findSession);
    res.locals.accountId = session.accountId;
    const answer = await endpoint.handle({
      accountId: session.accountId,
      now: session.now,
      params: req.params,
      query: req.query,
      body: await readBody(endpoint.body, req),
    });
    sendJson(res, answer.status, answer.body);
  };
}

async function readBody(expected: Endpoint['body'], req: IncomingMessage): Promise<unknown> {
  if (expected === 'none' || (expected === 'optional' && !hasBody(req))) return undefined;
  return readJsonBody(req, BODY_LIMITS);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
