import type { IncomingMessage } from 'node:http';
import { ApiError } from '@farebox/errors';

/** Headers of which Node would silently keep the first, while something in front of us may have read the second. */
const ONCE_ONLY = new Set(['host', 'authorization', 'idempotency-key', 'content-type', 'content-encoding']);

/** Throws `invalid_request_error` where a header that must be unique comes twice, or where `Host` is missing. */
export function refuseAmbiguousHeaders(req: IncomingMessage): void {
  const { rawHeaders } = req;
  const seen: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    if (!ONCE_ONLY.has(name)) continue;
    if (seen.includes(name)) {
      throw new ApiError('invalid_request_error', { message: `The header ${name} was sent more than once.` });
    }
    seen.push(name);
  }
  if (req.httpVersion === '1.1' && !seen.includes('host')) {
    throw new ApiError('invalid_request_error', { message: 'The header host is missing.' });
  }
}
