import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CANARY } from './canaries';
import { handleChatCompletion, type AnsweringSettings } from './chat-completions';
import { Exchange } from './exchange';
import { handleModels } from './models';
import { refuse } from './refusal';
import { readBody } from './request-body';
import { createRequestLog, type ReceivedRequest, type RequestLog } from './request-log';
import { createSecondChances } from './second-chances';

export interface SimulatedUpstreamOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Pace of a `sim-paced` stream. Default 50. */
  tokensPerSecond?: number;
  /** When set, a request with another bearer token is answered 401. */
  apiKey?: string;
  /** Told of each request when its body was read: unlike the log, it misses none of a long run. */
  onRequest?: (received: ReceivedRequest) => void;
}

export interface SimulatedUpstream {
  /** The base URL, with `/v1`. */
  url: string;
  port: number;
  /** What has been received, oldest first; copies, so ask again to see what became of a request. */
  requests(): ReceivedRequest[];
  /** Stops listening and cuts what is open. */
  close(): Promise<void>;
}

const DEFAULT_TOKENS_PER_SECOND = 50;
/** Longer than the pools of its clients keep a connection, so that none is closed just as it is used again. */
const KEEP_ALIVE_MS = 120_000;

interface Settings extends AnsweringSettings {
  apiKey: string | undefined;
  onRequest: SimulatedUpstreamOptions['onRequest'] | undefined;
}

async function route(exchange: Exchange, settings: Settings): Promise<void> {
  const { method, path, headers } = exchange.received;
  if (settings.apiKey !== undefined && headers.authorization !== `Bearer ${settings.apiKey}`) {
    const message = `Incorrect API key provided to ${CANARY.host}: ${CANARY.secretKey}-0.`;
    refuse(exchange, { status: 401, message, code: 'invalid_api_key' });
  } else if (method === 'POST' && path === '/v1/chat/completions') {
    await handleChatCompletion(exchange, settings);
  } else if (method === 'GET' && path === '/v1/models') {
    handleModels(exchange);
  } else {
    refuse(exchange, {
      status: 404,
      message: `Unknown request URL: ${method} ${path}.`,
      code: 'unknown_url',
    });
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  log: RequestLog,
  settings: Settings,
): Promise<void> {
  const received: ReceivedRequest = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: undefined,
    tokensSent: 0,
    finished: false,
    aborted: false,
  };
  const exchange = new Exchange(received, response);
  try {
    const body = await readBody(request);
    if ('value' in body) received.body = body.value;
    log.add(received, body.bytes);
    settings.onRequest?.(received);
    if ('value' in body) await route(exchange, settings);
    else {
      const status = body.refused === 'not JSON' ? 400 : 413;
      refuse(exchange, { status, message: `The body is ${body.refused}.` }, { connection: 'close' });
    }
  } catch (error) {
    if (exchange.gone.aborted || request.destroyed) return;
    console.error('The simulated upstream failed to answer:', error);
    await exchange.destroy();
  }
}

/** Starts the server. Rejects with the system's error where it cannot listen. */
export async function startSimulatedUpstream(
  options: SimulatedUpstreamOptions = {},
): Promise<SimulatedUpstream> {
  const {
    port = 0,
    host = '127.0.0.1',
    tokensPerSecond = DEFAULT_TOKENS_PER_SECOND,
    apiKey,
    onRequest,
  } = options;
  const log = createRequestLog();
  const settings = { tokensPerSecond, apiKey, onRequest, secondChances: createSecondChances() };
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void serve(request, response, log, settings);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${String(address.port)}/v1`,
    port: address.port,
    requests: () => log.list(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
