import type { IncomingMessage } from 'node:http';
import { ApiError } from '@farebox/errors';

const FORM_MEDIA_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether a request brings what a form of a page sends. */
export function isForm(req: IncomingMessage): boolean {
  return FORM_MEDIA_TYPE.test(req.headers['content-type'] ?? '');
}

/**
 * Reads the fields of a form; one that comes twice is an array. Throws `request_too_large` as soon as that is known,
 * and `invalid_request_error` for a compressed body, for one that ends early and for invalid UTF-8.
 */
export async function readForm(
  req: IncomingMessage,
  maxBytes: number,
): Promise<Record<string, string | string[]>> {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw new ApiError('request_too_large');
  if (encoding.toLowerCase() !== 'identity') throw invalidForm('A compressed request body is not accepted.');
  const fields = new URLSearchParams(decode(await readBytes(req, maxBytes)));
  return Object.fromEntries(
    [...new Set(fields.keys())].map((name) => {
      const [value = '', ...more] = fields.getAll(name);
      return [name, more.length > 0 ? [value, ...more] : value];
    }),
  );
}

function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (settle: () => void): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      settle();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= maxBytes) return;
      req.pause();
      finish(() => {
        reject(new ApiError('request_too_large'));
      });
    };
    const onEnd = (): void => {
      finish(() => {
        resolve(Buffer.concat(chunks));
      });
    };
    const onClose = (): void => {
      finish(() => {
        reject(invalidForm('The request body ended early.'));
      });
    };
    req.on('data', onData).on('end', onEnd).on('close', onClose);
  });
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
