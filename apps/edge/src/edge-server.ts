import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { GATEWAY_PATHS } from '@farebox/api/gateway-paths';
import { type Environment, loadConfig } from '@farebox/config';
import { ApiError } from '@farebox/errors';
import {
  closeAfterResponse,
  closeGracefully,
  createHttpServer,
  createRequestContext,
  DEFAULT_SERVER_LIMITS,
  listen,
  sendError,
} from '@farebox/http';
import { createProxyServer } from 'httpxy';

interface EdgeConfig {
  host: string;
  port: number;
  /** Base URLs; requests are distributed in turn. */
  gatewayUrls: readonly string[];
  accountUrl: string;
  /** How long running requests may take when the process is asked to stop. */
  drainTimeoutMs: number;
}

/** Reads the environment. Throws ConfigError. */
export function readConfig(environment: Environment): { config: EdgeConfig; warnings: string[] } {
  const { values, warnings } = loadConfig('edge', environment);
  const config = {
    host: values.FAREBOX_HOST,
    port: values.FAREBOX_PORT,
    gatewayUrls: values.FAREBOX_EDGE_GATEWAY_URLS,
    accountUrl: values.FAREBOX_EDGE_ACCOUNT_URL,
    drainTimeoutMs: values.FAREBOX_EDGE_DRAIN_TIMEOUT,
  };
  return { config, warnings };
}

/** The paths of the gateways, up to a parameter, and whatever is below them. */
const GATEWAY_PATH = new RegExp(
  `^(?:${Object.values(GATEWAY_PATHS)
    .map((path) => path.replace(/\/\{.*/, ''))
    .join('|')})(?:[/?]|$)`,
);

/**
 * Less than the idle time after which a service closes a connection, so that no request is sent into a
 * closing one.
 */
const IDLE_CONNECTION_MS = 30_000;

export interface Edge {
  port: number;
  /** Lets running requests finish, up to the configured time. */
  close(): Promise<void>;
}

/**
 * Starts the reverse proxy that gives `npm start` one base URL. It sends a request to one service, once; containers have
 * HAProxy (docker/edge), which knows other ways.
 */
export async function startEdge(config: EdgeConfig): Promise<Edge> {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS });
  const proxy = createProxyServer({ agent });
  proxy.on('error', (error, req, res) => {
    if (req && res && 'req' in res) refuse(req, res, error);
  });
  proxy.on('proxyRes', (_answer, req, res) => {
    if (!req.complete) closeAfterResponse(res);
    // A stream's head is not kept back until its first event.
    queueMicrotask(() => {
      res.flushHeaders();
    });
  });
  let turn = 0;
  const targetOf = (path: string): string | undefined =>
    GATEWAY_PATH.test(path) ? config.gatewayUrls[turn++ % config.gatewayUrls.length] : config.accountUrl;

  const server = createHttpServer((req, res) => {
    const target = targetOf(req.url ?? '/');
    // In place of what the client says about itself.
    const headers = { 'x-forwarded-for': req.socket.remoteAddress ?? '' };
    void proxy.web(req, res, { ...(target !== undefined && { target }), headers });
  }, DEFAULT_SERVER_LIMITS);
  const port = await listen(server, config);
  return {
    port,
    async close() {
      await closeGracefully(server, config.drainTimeoutMs);
      agent.destroy();
    },
  };
}

/** 503 promises that nothing was charged, which is certain only if the service had no connection. */
function refuse(req: IncomingMessage, res: ServerResponse, error: Error & { code?: string }): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  createRequestContext(req, res);
  const code = error.code === 'ECONNREFUSED' ? 'service_unavailable' : 'internal_error';
  sendError(res, new ApiError(code, { cause: error }));
}
