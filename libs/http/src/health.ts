import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from './respond';

export interface Readiness {
  /** Whether this process can serve a request now. */
  isReady(): boolean | Promise<boolean>;
}

/** Whether a request only asks how the process does. */
export function isHealthCheck({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && (url === '/healthz' || url === '/readyz');
}

/** Answers `GET /healthz` and `GET /readyz`, and passes everything else on. */
export function healthRoutes(readiness: Readiness) {
  return (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void => {
    if (req.method === 'GET' && req.url === '/healthz') sendJson(res, 200, { status: 'ok' });
    else if (req.method === 'GET' && req.url === '/readyz') sendReadiness(res, readiness).catch(next);
    else next();
  };
}

async function sendReadiness(res: ServerResponse, readiness: Readiness): Promise<void> {
  const ready = await readiness.isReady();
  sendJson(res, ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready' });
}
