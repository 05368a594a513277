import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { ApiError, toApiError } from '@farebox/errors';
import { SECOND_MS } from '@farebox/flow';
import { closeLingering, lingerAfterResponse } from './lingering-close';
import { errorPage, helpPathOf, isNavigation, type RenderedPage } from './page';
import { SECURITY_HEADERS, type ResponseHead } from './request-context';
import { noteErrorCode, onceResponseEnds } from './response-end';

const JSON_TYPE = 'application/json; charset=utf-8';

/** How slowly a client may read a response. */
export interface ReadingPace {
  /** Maximum time without any progress. */
  stallTimeoutMs: number;
  /**
   * In addition to that time, a response may take as long as it needs at this rate: clients that only keep the
   * connection alive are cut then.
   */
  leastBytesPerSecond: number;
}

export const DEFAULT_PACE: ReadingPace = { stallTimeoutMs: 30_000, leastBytesPerSecond: 64 * 1024 };

/** Sends a body in one write. A response is never cached: each belongs to one account. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  sendJsonText(res, status, JSON.stringify(body));
}

/**
 * `sendJson` for a body that is already serialized: exactly this text is sent. The connection is cut if the client
 * reads it too slowly. A long text is passed in pieces. `head`: headers beside those that are already set.
 */
export function sendJsonText(
  res: ServerResponse,
  status: number,
  json: string | readonly Buffer[],
  pace = DEFAULT_PACE,
  head: ResponseHead = [],
): void {
  const byteLength = byteLengthOf(json);
  head.push('content-type', JSON_TYPE, 'cache-control', 'no-store', 'content-length', String(byteLength));
  res.writeHead(status, head);
  // A string goes out with the headers in one piece; bytes would be a second one. ASCII, which is the same in
  // Latin-1, is written without reserving more: a response of 90 KB takes a fifth less processor time.
  if (typeof json === 'string') res.end(json, byteLength === json.length ? 'latin1' : 'utf8');
  else {
    for (const piece of json) res.write(piece);
    res.end();
  }
  cutWhenSlow(res, pace);
}

export function byteLengthOf(json: string | readonly Buffer[]): number {
  return typeof json === 'string'
    ? Buffer.byteLength(json)
    : json.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/**
 * Cuts the connection if the client makes no progress for this long, or has not read all of the response in the time
 * allowed for its length. For a response that has ended.
 */
export function cutWhenSlow(res: ServerResponse, pace = DEFAULT_PACE): void {
  // A response that the system has taken whole, as it does with all but long ones, needs no time-out.
  if (res.writableLength === 0 || res.destroyed) return;
  const cut = (): void => {
    resetConnection(res);
  };
  // Each part that the client takes counts as activity for Node, which sets its own time-out when all is written.
  res.setTimeout(pace.stallTimeoutMs, cut);
  const mostMs = pace.stallTimeoutMs + (res.writableLength * SECOND_MS) / pace.leastBytesPerSecond;
  const end = setTimeout(cut, Math.min(mostMs, LONGEST_TIMER_MS));
  onceResponseEnds(res, () => {
    clearTimeout(end);
  });
}

/** Node treats a longer one as the shortest. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Not an orderly end: the system would keep the written bytes until the client reads them. */
export function resetConnection({ req }: ServerResponse): void {
  req.socket.resetAndDestroy();
}

/** Headers that tell a client's library what to do about an error, in addition to the envelope. */
export function retryHeaders(error: ApiError): [string, string][] {
  const headers: [string, string][] = [['x-should-retry', String(error.shouldRetry)]];
  if (error.retryAfterSeconds !== undefined) headers.push(['Retry-After', String(error.retryAfterSeconds)]);
  return headers;
}

/** The headers of an error. `Link` is where a person reads about it: the envelope has no field for that. */
function headersOfError(error: ApiError): (readonly [string, string])[] {
  return [...error.headers, ...retryHeaders(error), ['Link', `<${helpPathOf(error.code)}>; rel="help"`]];
}

/** The body of an error's response, in the format of an endpoint's clients. */
export type ToErrorBody = (error: ApiError, requestId: string) => object;

const toEnvelope: ToErrorBody = (error) => error.toEnvelope();

/**
 * Sends the error envelope, or a page if a browser opens the address. Does nothing if a response has begun or the
 * client has left.
 */
export function sendError(res: ServerResponse, error: ApiError, toBody = toEnvelope): void {
  if (res.headersSent || res.destroyed) return;
  noteErrorCode(res, error.code);
  for (const [name, value] of headersOfError(error)) res.setHeader(name, value);
  if (!res.req.complete) closeAfterResponse(res);
  const requestId = String(res.getHeader('x-request-id') ?? '');
  if (isNavigation(res.req)) sendPage(res, error.status, errorPage(error, requestId));
  else sendJson(res, error.status, toBody(error, requestId));
}

/** Sends a whole stream of events that reports an error, for clients who look for it there. */
export function sendFailedStream(res: ServerResponse, error: ApiError, events: string): void {
  if (res.headersSent || res.destroyed) return;
  noteErrorCode(res, error.code);
  res.setHeader('content-type', 'text/event-stream; charset=utf-8');
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-length', Buffer.byteLength(events));
  res.end(events);
  cutWhenSlow(res);
}

/** Sends a page to a person. No cache keeps it, because it belongs to their session or to this moment. */
export function sendPage(res: ServerResponse, status: number, { html, headers }: RenderedPage): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.setHeader('content-type', 'text/html; charset=utf-8');
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-length', Buffer.byteLength(html));
  res.statusCode = status;
  res.end(html);
  cutWhenSlow(res);
}

/**
 * For the response to a request whose body is not read to its end: the connection cannot be reused, and is closed in
 * a way that lets a client who is still sending get the response.
 */
export function closeAfterResponse(res: ServerResponse): void {
  res.setHeader('Connection', 'close');
  lingerAfterResponse(res.req.socket);
}

interface FailedFields {
  event: 'request_failed';
  request_id: string;
  code: string;
}

export interface ErrorLog {
  error(fields: FailedFields & { error: unknown }, message: string): void;
  warn(fields: FailedFields, message: string): void;
}

/**
 * The one place where a thrown value becomes a response: the envelope for the client and, if the service itself
 * failed, the cause for the log. A cause that is logged already, such as a failed upstream, is not logged again. If a response
 * has begun, the error is only logged.
 */
export function sendFailure(
  log: ErrorLog,
  res: ServerResponse,
  requestId: string,
  thrown: unknown,
  toBody?: ToErrorBody,
): void {
  const error = toApiError(thrown);
  if (error.status >= 500) {
    const fields = { event: 'request_failed', request_id: requestId, code: error.code } as const;
    if (error.isCauseLogged) log.warn(fields, 'a request failed');
    else log.error({ ...fields, error: error.cause }, 'a request failed');
  }
  sendError(res, error, toBody);
}

/** The error of a client whose bytes are no request, or do not arrive in time. */
export function toWireError(error: NodeJS.ErrnoException): ApiError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('invalid_request_error', {
      status: 408,
      message: 'The request did not arrive in time.',
    });
  }
  const message =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The request headers are too large.'
      : 'The request is not valid HTTP.';
  return new ApiError('invalid_request_error', { message });
}

/** Writes a response straight to a socket that has no usable request, and closes it. */
export function sendRawError(socket: Socket, error: ApiError): void {
  const body = JSON.stringify(error.toEnvelope());
  const requestId = toPublicId('req', uuidV7());
  const headers: (readonly [string, string])[] = [
    ...SECURITY_HEADERS,
    ...headersOfError(error),
    ['X-Service-Request-Id', requestId],
    ['x-request-id', requestId],
    ['content-type', 'application/json; charset=utf-8'],
    ['cache-control', 'no-store'],
    ['content-length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const statusLine = `HTTP/1.1 ${String(error.status)} ${STATUS_CODES[error.status] ?? ''}`;
  socket.write([statusLine, ...lines, '', body].join('\r\n'));
  closeLingering(socket);
}
