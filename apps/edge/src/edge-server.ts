import { Agent, type Server } from 'node:http';
import { type Environment, loadConfig } from '@farebox/config';
import { closeGracefully, createHttpServer, DEFAULT_SERVER_LIMITS, listen } from '@farebox/http';
import { Backends, forward, type ForwardContext } from './forward';
import { trustedProxyCheck } from './forwarded-headers';

interface EdgeConfig {
  host: string;
  port: number;
  /** Base URLs; requests are distributed in turn. */
  gatewayUrls: readonly string[];
  accountUrl: string;
  /** Proxies in front whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
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
    trustedProxies: values.FAREBOX_EDGE_TRUSTED_PROXIES,
    drainTimeoutMs: values.FAREBOX_EDGE_DRAIN_TIMEOUT,
  };
  return { config, warnings };
}

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
 * Starts the reverse proxy that combines the gateways and the account service under one base URL. Calls
 * `onUnavailable` when a service starts to be deprioritised.
 */
export async function startEdge(
  config: EdgeConfig,
  onUnavailable: (url: URL, reason: string) => void = () => undefined,
): Promise<Edge> {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS });
  const backends = new Backends(config, () => performance.now());
  const context: ForwardContext = {
    agent,
    isTrustedProxy: trustedProxyCheck(config.trustedProxies),
    onUnavailable: (backend, reason) => {
      if (backends.rest(backend)) onUnavailable(backend.url, reason);
    },
  };
  const server: Server = createHttpServer((req, res) => {
    forward(req, res, backends.candidates(req.url ?? '/'), context);
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
