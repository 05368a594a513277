import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { RefusalError } from '../../use-cases/preconditions';

const HEADER = 'Idempotency-Key';
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * The key under which a request may be repeated; undefined where it has none. Throws `invalid_request_error` where it
 * is not 1 to 255 printable ASCII characters. Source: decisions, "Idempotency-Key".
 */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['idempotency-key'];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && KEY.test(value)) return value;
  throw new RefusalError('body', 'invalid_request_error', {
    param: HEADER,
    message: `The header ${HEADER} must be 1 to 255 printable ASCII characters.`,
  });
}

/** SHA-256 over method, path and body: what must be the same for a request to be a repetition of another one. */
export function fingerprintOf(request: { method: string; path: string; body: Uint8Array }): Buffer {
  return createHash('sha256').update(`${request.method} ${request.path}\n`).update(request.body).digest();
}
