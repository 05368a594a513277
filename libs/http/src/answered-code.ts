import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '@farebox/errors';

const answeredCode = Symbol('the public error code of an answer');

interface Marked extends ServerResponse {
  [answeredCode]?: ErrorCode;
}

/** Marks an answer as the one that tells the client of this error. */
export function noteErrorCode(res: ServerResponse, code: ErrorCode): void {
  (res as Marked)[answeredCode] = code;
}

/** What a client was told by an answer that is over. */
export type AnswerCode = ErrorCode | 'ok' | 'client_gone';

/**
 * What an answer comes to: its error code; where it has none, that all of it was written, or that the client went
 * before. A page that is no envelope is told by its status.
 */
export function answerCodeOf(res: ServerResponse, isWritten: boolean): AnswerCode {
  const code = (res as Marked)[answeredCode];
  if (code !== undefined) return code;
  if (!isWritten) return 'client_gone';
  if (res.statusCode < 400) return 'ok';
  return res.statusCode < 500 ? 'invalid_request_error' : 'internal_error';
}
