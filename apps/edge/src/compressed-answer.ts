import type { IncomingMessage } from 'node:http';

/** Below this, it is hardly worth it. */
const MIN_BYTES = 2_048;

/**
 * Whether a service's response is sent as gzip: long JSON that was read, of known length, for a client that takes
 * gzip. Streams are left alone, and so is what a request has created: a secret in it must not be guessed from lengths.
 */
export function isSentCompressed(
  { method, headers: { 'accept-encoding': accepted } }: IncomingMessage,
  { statusCode, headers }: IncomingMessage,
): boolean {
  return (
    method === 'GET' &&
    statusCode === 200 &&
    /^application\/json\b/i.test(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined &&
    Number(headers['content-length'] ?? 0) >= MIN_BYTES &&
    !/\bno-transform\b/i.test(headers['cache-control'] ?? '') &&
    takesGzip(accepted)
  );
}

/** Source: RFC 9110, section 12.5.3. */
function takesGzip(accepted: string | string[] | undefined): boolean {
  const codings = String(accepted ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase());
  return codings.some((coding) => /^gzip\s*(?:;|$)/.test(coding) && !/;\s*q=0(?:\.0*)?$/.test(coding));
}

/** The headers of the compressed response: the service's, of which the length and the exact ETag no longer hold. */
export function compressedHeaders(headers: readonly string[]): string[] {
  const changed = ['Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding'];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name = '', value = ''] = headers.slice(i, i + 2);
    const lower = name.toLowerCase();
    if (lower === 'content-length') continue;
    changed.push(name, lower === 'etag' && !value.startsWith('W/') ? `W/${value}` : value);
  }
  return changed;
}
