import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service behind the edge, of which a test decides everything but the answer to probes. */
export interface FakeService {
  /** `127.0.0.1:4711`. */
  address: string;
  server: Server;
  close(): Promise<void>;
}

export async function startFakeService(listener: RequestListener): Promise<FakeService> {
  const server = createServer((req, res) => {
    if (req.url === '/healthz') res.end('{"status":"ok"}');
    else listener(req, res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    server,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Says who answered, to whom, and how long the body was. */
export function echo(name: string): RequestListener {
  return (req, res) => {
    let length = 0;
    req.on('data', (chunk: Buffer) => (length += chunk.length));
    req.on('end', () => {
      res.end(`${name} got ${String(length)} from ${String(req.headers['x-forwarded-for'])}`);
    });
  };
}
