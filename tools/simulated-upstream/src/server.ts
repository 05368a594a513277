import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CANARY, createSecondChances } from './behaviours';
import { type AnsweringSettings, handleChatCompletion, handleModels } from './chat-completions';
import { handleEmbeddings } from './embeddings';
import { Exchange, type ReceivedRequest } from './exchange';
import { handleMessages } from './messages';
import { refuse } from './response';
import { handleResponses } from './responses';

export interface SimulatedUpstreamOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Pace of a `sim-paced` stream. Default 50. */
  tokensPerSecond?: number;
  /** If set, a request with another bearer token gets 401. */
  apiKey?: string;
  /** Called for each request when its body was read: unlike the log, it misses none of a long run. */
  onRequest?: (received: ReceivedRequest) => void;
}

export interface SimulatedUpstream {
  /** The base URL, with `/v1`. */
  url: string;
  port: number;
  /** The received requests, oldest first; copies, so read it again for later results. */
  requests(): ReceivedRequest[];
  /** Stops listening and cuts open connections. */
  close(): Promise<void>;
}

const DEFAULT_TOKENS_PER_SECOND = 50;
/** Longer than the pools of its clients keep a connection, so that none is closed just when it is reused. */
const KEEP_ALIVE_MS = 120_000;

interface Settings extends AnsweringSettings {
  apiKey: string | undefined;
  onRequest: SimulatedUpstreamOptions['onRequest'] | undefined;
}

async function route(exchange: Exchange, settings: Settings): Promise<void> {
  const { method, path, headers } = exchange.received;
  const isOfMessages = path === '/v1/messages';
  const shown = isOfMessages ? `Bearer ${String(headers['x-api-key'])}` : headers.authorization;
  if (settings.apiKey !== undefined && shown !== `Bearer ${settings.apiKey}`) {
    const message = `Incorrect API key provided to ${CANARY.host}: ${CANARY.secretKey}-0.`;
    refuse(exchange, { status: 401, message, code: 'invalid_api_key' });
  } else if (method === 'POST' && path === '/v1/chat/completions') {
    await handleChatCompletion(exchange, settings);
  } else if (method === 'POST' && path === '/v1/embeddings') {
    await handleEmbeddings(exchange, settings);
  } else if (method === 'POST' && isOfMessages) {
    await handleMessages(exchange, settings);
  } else if (method === 'POST' && path === '/v1/responses') {
    await handleResponses(exchange, settings);
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

/** Starts the server. Rejects with the system's error if it cannot listen. */
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
  const settings = {
    tokensPerSecond,
    apiKey,
    onRequest,
    secondChances: createSecondChances(),
    promptCache: new Set<string>(),
  };
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

/** The upstream may run for days, so it remembers only the newest requests, up to both bounds. */
const MOST_REQUESTS = 10_000;
const MOST_BODY_BYTES = 64 * 1024 * 1024;

interface RequestLog {
  add(received: ReceivedRequest, bodyBytes: number): void;
  /** Copies, oldest first. */
  list(): ReceivedRequest[];
}

export function createRequestLog(mostRequests = MOST_REQUESTS, mostBodyBytes = MOST_BODY_BYTES): RequestLog {
  const entries: { received: ReceivedRequest; bodyBytes: number }[] = [];
  let totalBytes = 0;
  return {
    add(received, bodyBytes) {
      entries.push({ received, bodyBytes });
      totalBytes += bodyBytes;
      while (entries.length > mostRequests || (totalBytes > mostBodyBytes && entries.length > 1)) {
        totalBytes -= entries.shift()?.bodyBytes ?? 0;
      }
    },
    list: () => entries.map(({ received }) => ({ ...received })),
  };
}

const MOST_BYTES = 16 * 1024 * 1024;

type Body = { value: unknown; bytes: number } | { refused: 'too large' | 'not JSON'; bytes: number };

/** Reads and parses a body. Rejects if the client leaves before its end. */
async function readBody(request: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) return { refused: 'too large', bytes };
    parts.push(part);
  }
  if (bytes === 0) return { value: undefined, bytes };
  try {
    return { value: JSON.parse(Buffer.concat(parts).toString()) as unknown, bytes };
  } catch {
    return { refused: 'not JSON', bytes };
  }
}

const PREFIX = 'FAREBOX_SIMULATED_UPSTREAM';
const DEFAULT_PORT = 8090;
const HIGHEST_PORT = 65_535;
const HIGHEST_TOKENS_PER_SECOND = 100_000;

type ProcessSettings = SimulatedUpstreamOptions & { port: number };

/** Reads the environment of a separate process; each problem is one sentence. */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
): ProcessSettings | { problems: string[] } {
  const problems: string[] = [];
  const wholeNumber = (name: string, highest: number): number | undefined => {
    const text = environment[name];
    if (text === undefined || text === '') return undefined;
    const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > highest) {
      problems.push(`${name} must be a whole number from 1 to ${String(highest)}, not "${text}".`);
    }
    return value;
  };

  const port = wholeNumber(`${PREFIX}_PORT`, HIGHEST_PORT) ?? DEFAULT_PORT;
  const tokensPerSecond = wholeNumber(`${PREFIX}_TOKENS_PER_SECOND`, HIGHEST_TOKENS_PER_SECOND);
  const apiKey = environment[`${PREFIX}_KEY`];
  const host = environment[`${PREFIX}_HOST`];
  if (problems.length > 0) return { problems };
  return {
    port,
    ...(host && { host }),
    ...(tokensPerSecond && { tokensPerSecond }),
    ...(apiKey && { apiKey }),
  };
}
