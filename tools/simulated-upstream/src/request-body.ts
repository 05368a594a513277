import type { IncomingMessage } from 'node:http';

const MOST_BYTES = 16 * 1024 * 1024;

export type Body = { value: unknown; bytes: number } | { refused: 'too large' | 'not JSON'; bytes: number };

/** Reads and parses a body. Rejects where the client goes away before its end. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) return { refused: 'too large', bytes };
    parts.push(part);
  }
  if (bytes === 0) return { value: undefined, bytes };
  try {
    return { value: JSON.parse(Buffer.concat(parts).toString()) as unknown, bytes };
  } catch {
    return { refused: 'not JSON', bytes };
  }
}
