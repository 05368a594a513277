import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { noRouteError } from './express';
import { createHttpServer, listen, type ServerLimits } from './http-server';
import { healthRoutes, type Readiness } from './open-routes';
import { createRequestContext } from './request-context';
import { sendFailure, type ErrorLog, sendError } from './respond';

export interface MetricsServerOptions {
  host: string;
  port: number;
  /** The response to `GET /metrics`. */
  metrics: { text(): Promise<string>; readonly contentType: string };
  /** If set, also serves `GET /healthz` and `GET /readyz`. */
  readiness: Readiness | undefined;
  log: ErrorLog;
}

export interface MetricsServer {
  port: number;
  /** Cuts clients that are still reading. Never rejects. */
  close(): Promise<void>;
}

/** For a server on a port that only a few operators or a scraper reach. */
export const OPERATORS_SERVER_LIMITS: ServerLimits = {
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: 64,
};

/**
 * Serves data for operators' scrapers on a port of its own, which customers do not reach. It keeps no process alive.
 * Rejects with Node's error if it cannot listen, e.g. `EADDRINUSE`.
 */
export async function openMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const server = createHttpServer(listenerOf(options), OPERATORS_SERVER_LIMITS);
  const port = await listen(server, options);
  server.unref();
  return { port, close: () => closeNow(server) };
}

function listenerOf({ metrics, readiness, log }: MetricsServerOptions): RequestListener {
  const health = readiness && healthRoutes(readiness);
  return (req: IncomingMessage, res: ServerResponse) => {
    const { requestId } = createRequestContext(req, res);
    const fail = (error: unknown): void => {
      sendFailure(log, res, requestId, error);
    };
    const answer = (): void => {
      if (req.url !== '/metrics') sendError(res, noRouteError([]));
      else if (req.method !== 'GET') sendError(res, noRouteError(['GET']));
      else sendMetrics(res, metrics).catch(fail);
    };
    if (health) {
      health(req, res, (error) => {
        if (error === undefined) answer();
        else fail(error);
      });
    } else answer();
  };
}

async function sendMetrics(res: ServerResponse, metrics: MetricsServerOptions['metrics']): Promise<void> {
  const body = await metrics.text();
  res.setHeader('content-type', metrics.contentType);
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-length', Buffer.byteLength(body));
  res.end(body);
}

function closeNow(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
