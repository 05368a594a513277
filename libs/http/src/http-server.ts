import { createServer, STATUS_CODES, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '@farebox/errors';
import { toPublicId, uuidV7 } from '@farebox/ids';
import { retryHeaders } from './respond';
import { SECURITY_HEADERS } from './security-headers';

export interface ServerLimits {
  maxHeaderBytes: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
  maxConnections: number;
}

export const DEFAULT_SERVER_LIMITS: ServerLimits = {
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: 20_000,
};

/** How often Node looks for connections past their time. */
const TIMEOUT_CHECK_MS = 1_000;

/**
 * An HTTP/1.1 server with every limit set. What breaks before a request exists (malformed HTTP, header overflow,
 * time-outs, CONNECT, an unknown Expect) is answered in the error envelope, where Node would send nothing.
 */
export function createHttpServer(
  listener: RequestListener,
  limits: ServerLimits = DEFAULT_SERVER_LIMITS,
): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Node answers a missing Host without a body; `refuseAmbiguousHeaders` does it in the envelope.
      requireHostHeader: false,
      noDelay: true,
    },
    listener,
  );
  server.maxConnections = limits.maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else answerRaw(socket, toWireError(error));
  });
  server.on('checkExpectation', (_req, res) => {
    answerRaw(
      res.req.socket,
      new ApiError('invalid_request_error', { message: 'The header expect is not supported.' }),
    );
  });
  server.on('connect', (_req, socket: Duplex) => {
    answerRaw(
      socket,
      new ApiError('invalid_request_error', { status: 405, message: 'CONNECT is not supported.' }),
    );
  });
  return server;
}

function toWireError(error: NodeJS.ErrnoException): ApiError {
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

/** Writes an answer straight to a socket that has no usable request, and closes it. */
function answerRaw(socket: Duplex, error: ApiError): void {
  const body = JSON.stringify(error.toEnvelope());
  const requestId = toPublicId('req', uuidV7());
  const headers: (readonly [string, string])[] = [
    ...SECURITY_HEADERS,
    ...retryHeaders(error),
    ['X-Service-Request-Id', requestId],
    ['x-request-id', requestId],
    ['content-type', 'application/json; charset=utf-8'],
    ['cache-control', 'no-store'],
    ['content-length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const statusLine = `HTTP/1.1 ${String(error.status)} ${STATUS_CODES[error.status] ?? ''}`;
  socket.end([statusLine, ...lines, '', body].join('\r\n'));
}

/** Starts to listen and answers with the port. Rejects with Node's error, e.g. `EADDRINUSE`. */
export function listen(server: Server, address: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops accepting, lets what runs finish, and cuts what is left at the deadline. */
export function closeGracefully(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, deadlineMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
