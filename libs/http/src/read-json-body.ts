import type { IncomingMessage } from 'node:http';
import { ApiError, toApiError } from '@farebox/errors';
import {
  BODY_BYTES_AT_ONCE,
  JsonError,
  freeMemory,
  joinInTurns,
  readBody,
  type JsonFault,
  type ReadBody,
} from '@farebox/flow';
import type { BodyRoom } from './request-bodies';

export interface JsonBodyLimits {
  maxBytes: number;
  /** Levels of nesting of objects and arrays. */
  maxDepth: number;
  /**
   * Counts objects, arrays, and their contents. The number of values, not of bytes, determines how long a body takes.
   */
  maxValues: number;
  /** Replaces NUL and lone surrogates by U+FFFD instead of refusing them, in texts for a model. */
  replacesUnfit?: boolean;
}

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** A body, and its bytes, in which anything unfit is replaced as well. */
export interface JsonBody extends ReadBody {
  bytes: Buffer;
}

/**
 * Reads a request's body as JSON. First refuses a body over the limit, as soon as that is known, as
 * `request_too_large`, then one without memory in its room as `service_unavailable`. Refuses, as
 * `invalid_request_error`: another content type, a content encoding, invalid UTF-8 (a byte-order mark included),
 * invalid JSON, nesting or a number of values over the limit, NUL and lone surrogates in strings.
 */
export async function readJsonBody(
  req: IncomingMessage,
  limits: JsonBodyLimits,
  room: BodyRoom,
): Promise<unknown> {
  return (await readJsonBodyWithBytes(req, limits, room)).value;
}

/** `readJsonBody`, for callers that need the bytes as well. */
export async function readJsonBodyWithBytes(
  req: IncomingMessage,
  limits: JsonBodyLimits,
  room: BodyRoom,
): Promise<JsonBody> {
  if (isTooLarge(req, limits.maxBytes)) throw tooLarge(limits.maxBytes);
  // The size of a chunked body is known only at its end, and its check comes first.
  const isSizeKnown = req.headers['transfer-encoding'] === undefined;
  if (isSizeKnown) refuseOtherContent(req);
  const bytes = await readBytes(req, limits.maxBytes, room);
  if (!isSizeKnown) refuseOtherContent(req);
  let read: ReadBody;
  try {
    const reading = readBody(bytes, limits);
    read = reading instanceof Promise ? await reading : reading;
  } catch (cause) {
    throw toRefusal(cause, limits.maxValues);
  }
  if (read.depth > limits.maxDepth)
    throw new ApiError('invalid_request_error', { message: 'The request body is nested too deeply.' });
  if (read.hasUnfit && limits.replacesUnfit !== true) throw unfitString();
  return { ...read, bytes };
}

function isTooLarge({ headers }: IncomingMessage, maxBytes: number): boolean {
  return Number(headers['content-length'] ?? 0) > maxBytes;
}

function refuseOtherContent(req: IncomingMessage): void {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError('invalid_request_error', { message: 'A compressed request body is not accepted.' });
  }
  if (!JSON_MEDIA_TYPE.test(req.headers['content-type'] ?? '')) {
    throw new ApiError('invalid_request_error', { message: 'The content type must be application/json.' });
  }
}

/**
 * The bytes of a request's body. Throws `request_too_large` and `service_unavailable`, before it reads anything if
 * the head declares the size, and `invalid_request_error` if the body ends early.
 */
export async function readBytes(req: IncomingMessage, maxBytes: number, room: BodyRoom): Promise<Buffer> {
  const { 'content-length': told, 'transfer-encoding': coding } = req.headers;
  if (isTooLarge(req, maxBytes)) throw tooLarge(maxBytes);
  // Reserve the declared size: several large bodies that begin together must not all fail halfway.
  if (coding === undefined) room.take(Number(told ?? 0));
  // If the client has left meanwhile, no event reports it any more.
  if (req.destroyed) throw endedEarly();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      try {
        if (length > maxBytes) throw tooLarge(maxBytes);
        if (coding !== undefined) room.take(chunk.length);
        room.delivered(req, chunk.length);
      } catch (refusal) {
        req.pause();
        refuse(toApiError(refusal));
      }
    };
    const onEnd = (): void => {
      finish();
      if (length > BODY_BYTES_AT_ONCE) resolve(joinInTurns(chunks).finally(free));
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length));
    };
    const onClose = (): void => {
      refuse(endedEarly());
    };
    const refuse = (error: ApiError): void => {
      finish();
      // Later: HTTP may still be reading the memory of the last chunk.
      setImmediate(free);
      reject(error);
    };
    const free = (): void => {
      for (const chunk of chunks) freeMemory(chunk);
    };
    const finish = (): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

function toRefusal(cause: unknown, maxValues: number): unknown {
  if (!(cause instanceof JsonError)) return cause;
  const message = `The request body ${FAULTS[cause.fault](maxValues)}.`;
  return new ApiError('invalid_request_error', { message, cause });
}

const FAULTS: Record<JsonFault, (maxValues: number) => string> = {
  values: (maxValues) => `has more than ${String(maxValues)} values`,
  encoding: () => 'is not valid UTF-8',
  syntax: () => 'is not valid JSON',
};

function unfitString(): ApiError {
  return new ApiError('invalid_request_error', {
    message: 'The request body has a string with a NUL character or half of a surrogate pair.',
  });
}

function endedEarly(): ApiError {
  return new ApiError('invalid_request_error', { message: 'The request body ended early.' });
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('request_too_large', {
    message: `The request body is larger than the ${String(maxBytes)} bytes that the service accepts.`,
  });
}
