import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from './respond';

export interface Readiness {
  /** Whether this process can serve a request now. */
  isReady(): boolean | Promise<boolean>;
}

/** Answers `GET /healthz` and `GET /readyz`; false where the request is for something else. */
export async function serveHealth(
  req: IncomingMessage,
  res: ServerResponse,
  readiness: Readiness,
): Promise<boolean> {
  if (req.method !== 'GET') return false;
  if (req.url === '/healthz') {
    sendJson(res, 200, { status: 'ok' });
    return true;
  }
  if (req.url === '/readyz') {
    const ready = await readiness.isReady();
    sendJson(res, ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready' });
    return true;
  }
  return false;
}

/** The same as Express middleware. */
export function healthRoutes(readiness: Readiness) {
  return (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void => {
    serveHealth(req, res, readiness).then((served) => {
      if (!served) next();
    }, next);
  };
}
