import { Agent, type Server } from 'node:http';
import { closeGracefully, createHttpServer, DEFAULT_SERVER_LIMITS, listen } from '@farebox/http';
import { Backends } from './backends';
import { type EdgeConfig } from './config';
import { forward, type ForwardContext } from './forward';
import { trustedProxyCheck } from './forwarded-headers';

/** Below the time after which a service closes a connection that rests: no request is sent into the closing of one. */
const IDLE_CONNECTION_MS = 30_000;

export interface Edge {
  port: number;
  /** Lets requests in flight finish, for the configured time at most. */
  close(): Promise<void>;
}

/**
 * Starts the reverse proxy that puts the gateways and the account service behind one base URL. `onUnavailable` is told
 * when a service begins to be asked last.
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
