import { isRetryable } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import type { NextFunction, Request, Response } from 'express';

const RETRY_AFTER_SECONDS = 1;

/** Express error handler: a database that cannot answer now is 503, not a failure of the service. */
export function databaseErrorMiddleware() {
  return (error: unknown, _req: Request, _res: Response, next: NextFunction): void => {
    if (error instanceof ApiError || !isRetryable(error)) next(error);
    else next(new ApiError('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error }));
  };
}
