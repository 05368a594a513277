import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@farebox/errors';
import { toPublicId, uuidV7 } from '@farebox/ids';
import { closeLingering } from './lingering-close';
import { retryHeaders } from './respond';
import { SECURITY_HEADERS } from './security-headers';

/** What a client is told whose bytes are no request, or not in time. */
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

/** Writes an answer straight to a socket that has no usable request, and closes it. */
export function answerRaw(socket: Duplex, error: ApiError): void {
  const body = JSON.stringify(error.toEnvelope());
  const requestId = toPublicId('req', uuidV7());
  const headers: (readonly [string, string])[] = [
    ...SECURITY_HEADERS,
    ...error.headers,
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
  socket.write([statusLine, ...lines, '', body].join('\r\n'));
  closeLingering(socket);
}
