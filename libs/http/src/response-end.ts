import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '@farebox/errors';

type Listener = (isWritten: boolean) => void;

const listenersOf = Symbol('listeners to the end of a response');

interface Followed extends ServerResponse {
  [listenersOf]?: Listener[];
}

/**
 * Tells once, when a response is over, whether all of it was handed to the client's connection. `writableFinished` does
 * not tell: Node takes a write that ends because the connection does for a finished one.
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
    // A write that failed is told as finished too, a moment before its connection is destroyed for it.
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

/** Marks a response as the one that tells the client of this error. */
export function noteErrorCode(res: ServerResponse, code: ErrorCode): void {
  (res as Marked)[answeredCode] = code;
}

/** What a client was told by a response that is over. */
export type ResponseCode = ErrorCode | 'ok' | 'client_gone';

/**
 * What a response comes to: its error code; if it has none, that all of it was written, or that the client went
 * before. A page that is no envelope is told by its status.
 */
export function responseCodeOf(res: ServerResponse, isWritten: boolean): ResponseCode {
  const code = (res as Marked)[answeredCode];
  if (code !== undefined) return code;
  if (!isWritten) return 'client_gone';
  if (res.statusCode < 400) return 'ok';
  return res.statusCode < 500 ? 'invalid_request_error' : 'internal_error';
}
