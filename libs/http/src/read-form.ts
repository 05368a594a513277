import type { IncomingMessage } from 'node:http';
import { ApiError } from '@farebox/errors';
import { readBytes } from './read-json-body';
import type { BodyRoom } from './request-bodies';

const FORM_MEDIA_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether a request has the content of an HTML form. */
export function isForm(req: IncomingMessage): boolean {
  return FORM_MEDIA_TYPE.test(req.headers['content-type'] ?? '');
}

/**
 * Reads the fields of a form; a repeated one is an array. Throws `invalid_request_error` for a compressed
 * body and for invalid UTF-8, and the errors of `readBytes`.
 */
export async function readForm(
  req: IncomingMessage,
  maxBytes: number,
  room: BodyRoom,
): Promise<Record<string, string | string[]>> {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw invalidForm('A compressed request body is not accepted.');
  const fields = new URLSearchParams(decode(await readBytes(req, maxBytes, room)));
  return Object.fromEntries(
    [...new Set(fields.keys())].map((name) => {
      const [value = '', ...more] = fields.getAll(name);
      return [name, more.length > 0 ? [value, ...more] : value];
    }),
  );
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ApiError('invalid_request_error', { message: 'The request body is not valid UTF-8.', cause });
  }
}

function invalidForm(message: string): ApiError {
  return new ApiError('invalid_request_error', { message });
}
