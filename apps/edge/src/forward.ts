import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { pipeline, type Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { GATEWAY_PATHS } from '@farebox/api/gateway-paths';
import { ApiError } from '@farebox/errors';
import { closeAfterResponse, createRequestContext, NOT_BEGUN_HEADER, sendError } from '@farebox/http';
import { compressedHeaders, isSentCompressed } from './compressed-answer';
import { requestHeaders, responseHeaders } from './forwarded-headers';

/** The paths of the gateways, up to a parameter, and whatever is below them. */
const GATEWAY_PATH = new RegExp(
  `^(?:${Object.values(GATEWAY_PATHS)
    .map((path) => path.replace(/\/\{.*/, ''))
    .join('|')})(?:[/?]|$)`,
);

/** How long an unreachable service is deprioritised. */
const REST_MS = 2_000;

/** A process that requests are forwarded to. */
interface Backend {
  readonly url: URL;
  /** End of its deprioritisation, on the clock of `Backends`. */
  restsUntilMs: number;
}

/**
 * The processes for a request: the gateways, in turn, for the traffic paths, and the account service for the
 * rest.
 */
export class Backends {
  private readonly gateways: readonly Backend[];
  private readonly account: readonly Backend[];
  private readonly nowMs: () => number;
  private next = 0;

  constructor(urls: { gatewayUrls: readonly string[]; accountUrl: string }, nowMs: () => number) {
    const backendOf = (url: string): Backend => ({ url: new URL(url), restsUntilMs: -Infinity });
    this.gateways = urls.gatewayUrls.map(backendOf);
    this.account = [backendOf(urls.accountUrl)];
    this.nowMs = nowMs;
  }

  /** In the order of attempts. `target` is the request target of the request line. */
  candidates(target: string): readonly Backend[] {
    if (!GATEWAY_PATH.test(target)) return this.account;
    const first = this.next;
    this.next = (first + 1) % this.gateways.length;
    const inTurn = [...this.gateways.slice(first), ...this.gateways.slice(0, first)];
    const nowMs = this.nowMs();
    const rests = (backend: Backend): boolean => backend.restsUntilMs > nowMs;
    return [...inTurn.filter((backend) => !rests(backend)), ...inTurn.filter(rests)];
  }

  /** Deprioritises a backend for a while. Returns whether that is new. */
  rest(backend: Backend): boolean {
    const nowMs = this.nowMs();
    const isNew = backend.restsUntilMs <= nowMs;
    backend.restsUntilMs = nowMs + REST_MS;
    return isNew;
  }
}

/** Per body, enough for nearly every prompt. */
const MAX_BODY_BYTES = 256 * 1024;
/** Across all requests that wait for a response, so that they cannot exhaust the memory. */
const MAX_BYTES = 64 * 1024 * 1024;

let keptBytes = 0;

/**
 * The body of a request, of which the sent part is kept until there is a response, so that the client need
 * not repeat a request that a service refused unread. A body that is too long is sent but not kept.
 */
class KeptBody {
  #parts: Buffer[] | undefined = [];
  #bytes = 0;
  #isSent = false;
  readonly #req: IncomingMessage;

  constructor(req: IncomingMessage) {
    this.#req = req;
  }

  /** Whether all of it can still be sent, from the start. */
  get isWhole(): boolean {
    return this.#parts !== undefined;
  }

  /** Sends it from the start, and then as it arrives. */
  sendTo(service: Writable): void {
    for (const part of this.#parts ?? []) service.write(part);
    if (!this.#isSent) this.#req.on('data', this.#keep);
    this.#isSent = true;
    // Not `pipeline`: that would destroy the client's connection before a failure could be reported.
    this.#req.pipe(service);
  }

  /** Frees the kept part; it will not be sent again. */
  release(): void {
    this.#req.off('data', this.#keep);
    keptBytes -= this.#bytes;
    this.#bytes = 0;
    this.#parts = undefined;
  }

  readonly #keep = (part: Buffer): void => {
    if (this.#bytes + part.length > MAX_BODY_BYTES || keptBytes + part.length > MAX_BYTES) {
      this.release();
      return;
    }
    this.#parts?.push(part);
    this.#bytes += part.length;
    keptBytes += part.length;
  };
}

/** If a service is gone with its machine, connections are not refused but time out. */
const CONNECT_TIMEOUT_MS = 1_000;

export interface ForwardContext {
  agent: Agent;
  /** Whether its `X-Forwarded-For` is trusted. */
  isTrustedProxy: (address: string) => boolean;
  /** A backend could not be reached, or is about to stop. */
  onUnavailable: (backend: Backend, reason: string) => void;
}

/**
 * Forwards a request to the first reachable one of `candidates`, and its response back, both as they arrive.
 * If the client disconnects, the backend's request is aborted; if the backend aborts its response, the
 * client's connection is closed; if none can be reached, the response is 503. A request that a backend may
 * have started to process is not repeated, since it could be charged twice; a read-only one is, and so is one
 * that a stopping backend refused unread.
 *
 * Not a proxy library: http-proxy-3 (2.0.1) pipes the body into its one target, so that no other one can be tried,
 * believes the client's `X-Forwarded-For`, and joins repeated headers, which a service must be able to refuse.
 */
export function forward(
  req: IncomingMessage,
  res: ServerResponse,
  candidates: readonly Backend[],
  context: ForwardContext,
): void {
  const body = new KeptBody(req);
  res.once('close', () => {
    body.release();
  });
  forwardBody(body, req, res, candidates, context);
}

function forwardBody(
  body: KeptBody,
  req: IncomingMessage,
  res: ServerResponse,
  candidates: readonly Backend[],
  context: ForwardContext,
): void {
  const [backend, ...others] = candidates;
  if (backend === undefined) {
    refuse(req, res, new Error('no service could be reached'));
    return;
  }
  const backendRequest = openRequest(req, backend.url, context);
  const cut = (): void => {
    if (!res.writableFinished) backendRequest.destroy();
  };
  res.once('close', cut);

  let connected = false;
  let answered = false;
  onceConnected(backendRequest, () => {
    connected = true;
    body.sendTo(backendRequest);
  });
  backendRequest.once('response', (answer) => {
    answered = true;
    if (isStopping(answer)) context.onUnavailable(backend, 'stopping');
    if (NOT_BEGUN_HEADER in answer.headers && others.length > 0 && body.isWhole && !res.destroyed) {
      res.off('close', cut);
      req.unpipe(backendRequest);
      answer.on('error', () => undefined).resume();
      if (!backendRequest.writableEnded) backendRequest.destroy();
      forwardBody(body, req, res, others, context);
      return;
    }
    body.release();
    sendAnswer(answer, req, res);
  });
  backendRequest.on('error', (error: NodeJS.ErrnoException) => {
    req.unpipe(backendRequest);
    // A service may respond and close before it has read the whole body: the response counts.
    if (answered) return;
    if ((connected && !onlyReads(req)) || res.destroyed) {
      refuse(req, res, error);
      return;
    }
    res.off('close', cut);
    context.onUnavailable(backend, error.code ?? error.message);
    forwardBody(body, req, res, others, context);
  });
}

/** Safe to repeat. Source: RFC 9110, section 9.2.2. */
function onlyReads({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return (method === 'GET' || method === 'HEAD') && !hasBody;
}

function openRequest(req: IncomingMessage, url: URL, context: ForwardContext): ClientRequest {
  return request({
    agent: context.agent,
    host: url.hostname,
    port: url.port,
    method: req.method,
    path: req.url,
    headers: requestHeaders(
      req.method ?? 'GET',
      req.rawHeaders,
      req.socket.remoteAddress,
      context.isTrustedProxy,
    ),
  });
}

/** The first write or the end sends the request, so wait for the connection before either. */
function onceConnected(backendRequest: ClientRequest, begin: () => void): void {
  backendRequest.once('socket', (socket) => {
    if (!socket.connecting) {
      begin();
      return;
    }
    const timer = setTimeout(() => {
      backendRequest.destroy(Object.assign(new Error('connect timeout'), { code: 'ETIMEDOUT' }));
    }, CONNECT_TIMEOUT_MS);
    socket.once('connect', begin);
    for (const event of ['connect', 'close'] as const)
      socket.once(event, () => {
        clearTimeout(timer);
      });
  });
}

/** How a draining service refuses further requests on its open connections. */
function isStopping({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 503 && headers.connection === 'close';
}

function sendAnswer(answer: IncomingMessage, req: IncomingMessage, res: ServerResponse): void {
  const headers = responseHeaders(answer.rawHeaders);
  if (!req.complete) closeAfterResponse(res);
  if (isSentCompressed(req, answer)) {
    res.writeHead(200, answer.statusMessage, compressedHeaders(headers));
    // The client's connection is cut if the service's breaks off, as below.
    pipeline(answer, createGzip(), res, () => undefined);
    return;
  }
  res.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
  res.flushHeaders();
  answer.on('error', () => {
    res.destroy();
  });
  answer.pipe(res);
}

function refuse(req: IncomingMessage, res: ServerResponse, cause: Error): void {
  if (res.headersSent || res.destroyed) return;
  createRequestContext(req, res);
  sendError(res, new ApiError('service_unavailable', { cause }));
}
