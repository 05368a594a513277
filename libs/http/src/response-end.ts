import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '@farebox/errors';

type Listener = (isWritten: boolean) => void;

const listenersOf = Symbol('listeners to the end of a response');

interface Followed extends ServerResponse {
  [listenersOf]?: Listener[];
}

/**
 * Reports once, when a response is over, whether all of it was handed to the client's connection. `writableFinished`
 * does not say that: Node treats a write that ends with its connection as finished.
 */
export function onceResponseEnds(res: ServerResponse, listener: Listener): void {
  const followed: Followed = res;
  const known = followed[listenersOf];
  if (known) known.push(listener);
  else followed[listenersOf] = follow(res, listener);
}

function follow(res: ServerResponse, first: Listener): Listener[] {
  const listeners = [first];
  const { socket } = res.req;
  let isWritten = false;
  res.once('finish', () => {
    // A failed write is reported as finished too, a moment before its connection is destroyed.
    isWritten = !socket.destroyed && !socket.errored;
  });
  res.once('close', () => {
    for (const listener of listeners) listener(isWritten);
  });
  return listeners;
}

const answeredCode = Symbol('the public error code of a response');

interface Marked extends ServerResponse {
  [answeredCode]?: ErrorCode;
}

/** Marks a response as the one that carries this error. */
export function noteErrorCode(res: ServerResponse, code: ErrorCode): void {
  (res as Marked)[answeredCode] = code;
}

/** The outcome of a finished response. */
export type ResponseCode = ErrorCode | 'ok' | 'client_gone';

/**
 * The outcome of a response: its error code; if it has none, whether all of it was written or the client left before.
 * A page without an envelope is reported by its status.
 */
export function responseCodeOf(res: ServerResponse, isWritten: boolean): ResponseCode {
  const code = (res as Marked)[answeredCode];
  if (code !== undefined) return code;
  if (!isWritten) return 'client_gone';
  if (res.statusCode < 400) return 'ok';
  return res.statusCode < 500 ? 'invalid_request_error' : 'internal_error';
}
