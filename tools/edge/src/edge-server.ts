import { Agent, type Server } from 'node:http';
import { closeGracefully, createHttpServer, DEFAULT_SERVER_LIMITS, listen } from '@farebox/http';
import { Backends } from './backends';
import { type EdgeConfig } from './config';
import { forward } from './forward';

const DRAIN_DEADLINE_MS = 5_000;

export interface Edge {
  port: number;
  /** Lets requests in flight finish, for five seconds at most. */
  close(): Promise<void>;
}

/** Starts the reverse proxy that puts the gateways and the account service behind one base URL. For local use. */
export async function startEdge(config: EdgeConfig): Promise<Edge> {
  const agent = new Agent({ keepAlive: true });
  const backends = new Backends(config);
  const server: Server = createHttpServer((req, res) => {
    forward(req, res, backends.choose(req.url ?? '/'), agent);
  }, DEFAULT_SERVER_LIMITS);
  const port = await listen(server, config);
  return {
    port,
    async close() {
      await closeGracefully(server, DRAIN_DEADLINE_MS);
      agent.destroy();
    },
  };
}
