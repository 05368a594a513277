import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { Writable } from 'node:stream';
import { ApiError } from '@farebox/errors';
import { closeAfterResponse, createRequestContext, NOT_BEGUN_HEADER, sendError } from '@farebox/http';
import { requestHeaders, responseHeaders } from './forwarded-headers';

const GATEWAY_PATH = /^\/v1\/(?:models|chat\/completions|embeddings|messages|responses|quotes)(?:[/?]|$)/;

/** How long a service that could not be reached is asked last. */
const REST_MS = 2_000;

/** A process that requests are passed on to. */
interface Backend {
  readonly url: URL;
  /** Until when it is asked last, on the clock of `Backends`. */
  restsUntilMs: number;
}

/** Which processes a request may go to: the gateways, in turn, for the traffic paths, and the account service for the rest. */
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

  /**
   * In the order in which they are to be tried. `target` is the request target as it stands in the request line.
   */
  candidates(target: string): readonly Backend[] {
    if (!GATEWAY_PATH.test(target)) return this.account;
    const first = this.next;
    this.next = (first + 1) % this.gateways.length;
    const inTurn = [...this.gateways.slice(first), ...this.gateways.slice(0, first)];
    const nowMs = this.nowMs();
    const rests = (backend: Backend): boolean => backend.restsUntilMs > nowMs;
    return [...inTurn.filter((backend) => !rests(backend)), ...inTurn.filter(rests)];
  }

  /** For a while, others are tried before it. Answers whether that is new. */
  rest(backend: Backend): boolean {
    const nowMs = this.nowMs();
    const isNew = backend.restsUntilMs <= nowMs;
    backend.restsUntilMs = nowMs + REST_MS;
    return isNew;
  }
}

/** Of one body: nearly every prompt. */
const MAX_BODY_BYTES = 256 * 1024;
/** Of all that wait for an answer at the same time, so that nobody fills the memory with them. */
const MAX_BYTES = 64 * 1024 * 1024;

let keptBytes = 0;

/**
 * The body of a request, with what was sent of it kept until there is an answer: a service that refuses it unread is no
 * reason for the client to send it again. A body that is too long is sent, and not kept.
 */
class KeptBody {
  #parts: Buffer[] | undefined = [];
  #bytes = 0;
  #isSent = false;
  readonly #req: IncomingMessage;

  constructor(req: IncomingMessage) {
    this.#req = req;
  }

  /** Whether all of it can still be sent, from its beginning. */
  get isWhole(): boolean {
    return this.#parts !== undefined;
  }

  /** From its beginning, and then as it comes. */
  sendTo(service: Writable): void {
    for (const part of this.#parts ?? []) service.write(part);
    if (!this.#isSent) this.#req.on('data', this.#keep);
    this.#isSent = true;
    // Not `pipeline`: that would destroy the client's connection before it could be told of a failure.
    this.#req.pipe(service);
  }

  /** It is sent to nobody else. */
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

/** A service that is gone with its machine does not refuse a connection, but never answers. */
const CONNECT_TIMEOUT_MS = 1_000;

export interface ForwardContext {
  agent: Agent;
  /** Its word on where a request comes from is taken. */
  isTrustedProxy: (address: string) => boolean;
  /** A backend could not be reached, or is about to stop. */
  onUnavailable: (backend: Backend, reason: string) => void;
}

/**
 * Passes a request on to the first of `candidates` that can be reached, and its answer back, both as they come. If the
 * client goes, the backend's request is cut; if the backend breaks off its answer, so is the client's connection; if
 * none can be reached: 503. What a backend may have begun to work on goes to no other one, as it could be charged twice;
 * a request that only reads does, and so does one that a backend refuses unread since it is about to stop.
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
    // A service may answer and close before it has read the whole body: the answer counts.
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

/** It may be sent again. Source: RFC 9110, section 9.2.2. */
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

/** A request is sent by its first write or its end, and so not before this. */
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

/** A service that drains refuses what still comes on its open connections so. */
function isStopping({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 503 && headers.connection === 'close';
}

function sendAnswer(answer: IncomingMessage, req: IncomingMessage, res: ServerResponse): void {
  const headers = responseHeaders(answer.rawHeaders);
  if (!req.complete) closeAfterResponse(res);
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
