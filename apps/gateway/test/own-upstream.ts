import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type AddressInfo, type Server } from 'node:net';
import { USUAL_DIALECT, type Upstream } from '@farebox/catalog';
import type { UpstreamFailure } from '../src/upstream/failure';
import {
  createUpstreamClient,
  DEFAULT_UPSTREAM_LIMITS,
  type UpstreamAsk,
  type UpstreamClient,
} from '../src/upstream/upstream-client';

/** A server with the answers of a test. */
export interface OwnUpstream {
  url: string;
  /** Number of requests received. */
  asked(): number;
  close(): Promise<void>;
}

export async function startOwnUpstream(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<OwnUpstream> {
  let asked = 0;
  const server = createServer((req, res) => {
    asked++;
    answer(req, res);
  });
  const url = await listenAnywhere(server);
  return {
    url: `http://${url}/v1`,
    asked: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** A server that accepts connections and stays silent: a TLS handshake with it never ends. */
export async function startSilentServer(): Promise<OwnUpstream> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createNetServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  const url = await listenAnywhere(server);
  return {
    url: `https://${url}/v1`,
    asked: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function listenAnywhere(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

/** Long enough that none of them ends a test about another one. */
export const PATIENT: Pick<
  Upstream,
  'connectTimeoutMs' | 'firstByteTimeoutMs' | 'idleTimeoutMs' | 'totalTimeoutMs'
> = {
  connectTimeoutMs: 20_000,
  firstByteTimeoutMs: 20_000,
  idleTimeoutMs: 20_000,
  totalTimeoutMs: 20_000,
};

export function clientOf(
  baseUrl: string,
  changed: Partial<Upstream> = {},
  limits: Partial<typeof DEFAULT_UPSTREAM_LIMITS> = {},
): UpstreamClient {
  return createUpstreamClient({
    upstream: {
      id: 'own',
      baseUrl,
      apiKeyEnv: undefined,
      maxTokensField: 'max_tokens',
      wire: 'chat',
      dialect: USUAL_DIALECT,
      promptCache: 'hidden',
      ...PATIENT,
      ...changed,
    },
    secret: undefined,
    onCircuitChange: () => undefined,
    limits: { ...DEFAULT_UPSTREAM_LIMITS, ...limits },
  });
}

export const askFor = (upstreamModel = 'm', body = '{}'): UpstreamAsk => ({
  upstreamModel,
  accountId: 'a',
  wire: 'chat',
  body,
});

export function complete(
  client: UpstreamClient,
  model = 'm',
  body = '{}',
): Promise<Buffer | UpstreamFailure> {
  return new Promise((resolve) =>
    client.complete(askFor(model, body), { onAnswer: resolve, onFailure: resolve }),
  );
}

export function stream(
  client: UpstreamClient,
  model = 'm',
  body = '{}',
): Promise<{ events: string[]; end: UpstreamFailure | 'end' }> {
  const events: string[] = [];
  return new Promise((resolve) =>
    client.stream(askFor(model, body), {
      onData: (data) => events.push(data),
      onEnd: () => {
        resolve({ events, end: 'end' });
      },
      onFailure: (failure) => {
        resolve({ events, end: failure });
      },
    }),
  );
}
