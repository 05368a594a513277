import { ConfigError } from '@farebox/config';
import { isDatabaseUnavailable, NotMigratedError } from '@farebox/database';

/** Why a process could not start, one sentence a problem, for the operator. Shows no secret. */
export function describeStartupError(error: unknown, listenVariable?: string): readonly string[] {
  if (error instanceof ConfigError) return error.problems;
  if (error instanceof NotMigratedError) return [error.message];
  const code = codeOf(error);
  if (listenVariable !== undefined) {
    if (code === 'EADDRINUSE') {
      return [`The address is in use by another process: set ${listenVariable} to a free port.`];
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
      return [`The address cannot be listened on (${code}): look at FAREBOX_HOST and ${listenVariable}.`];
    }
  }
  if (isDatabaseUnavailable(error)) {
    return [`The database of DATABASE_URL cannot be reached${code === undefined ? '' : ` (${code})`}.`];
  }
  return [error instanceof Error ? `The start failed: ${error.message}` : 'The start failed.'];
}

/** The code of an error, or of what caused it. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : undefined;
}
