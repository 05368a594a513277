import type { ServerResponse } from 'node:http';
import type { ApiError } from '@farebox/errors';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a body in one write. The answer is never cached: every one of them belongs to one account. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  sendJsonText(res, status, JSON.stringify(body));
}

/** `sendJson` of a body that was written before: exactly this text is sent. */
export function sendJsonText(res: ServerResponse, status: number, json: string): void {
  const bytes = Buffer.from(json);
  res.setHeader('content-type', JSON_TYPE);
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-length', bytes.length);
  res.statusCode = status;
  res.end(bytes);
}

/** Headers that tell a client's library what to do about an error, in addition to the envelope. */
export function retryHeaders(error: ApiError): [string, string][] {
  const headers: [string, string][] = [['x-should-retry', String(error.shouldRetry)]];
  if (error.retryAfterSeconds !== undefined) headers.push(['Retry-After', String(error.retryAfterSeconds)]);
  return headers;
}

/** Sends the error envelope. Does nothing where an answer has begun or the client is gone. */
export function sendError(res: ServerResponse, error: ApiError): void {
  if (res.headersSent || res.destroyed) return;
  for (const [name, value] of [...error.headers, ...retryHeaders(error)]) res.setHeader(name, value);
  // The rest of a body that was refused for its size or its time is not read: the connection cannot be used again.
  if (!res.req.complete) res.setHeader('Connection', 'close');
  sendJson(res, error.status, error.toEnvelope());
}
