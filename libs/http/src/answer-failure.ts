import type { ServerResponse } from 'node:http';
import { toApiError } from '@farebox/errors';
import { sendError } from './respond';

export interface ErrorLog {
  error(fields: { event: string; request_id: string; code: string; error: unknown }, message: string): void;
}

/**
 * The one place where something thrown becomes an answer: the envelope for the client, and, where the service itself
 * failed, the cause for the log. Where an answer has begun, only the log is left.
 */
export function answerFailure(log: ErrorLog, res: ServerResponse, requestId: string, thrown: unknown): void {
  const error = toApiError(thrown);
  if (error.status >= 500) {
    const fields = { event: 'request_failed', request_id: requestId, code: error.code };
    log.error({ ...fields, error: error.cause }, 'a request failed');
  }
  sendError(res, error);
}
