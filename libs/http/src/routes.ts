import { ApiError } from '@farebox/errors';

export interface Route {
  method: string;
  /** `/v1/api-keys/:key_public_id`: a segment with a colon stands for any one segment. */
  path: string;
}

/** The methods that exist for a path, empty where there is no such path. */
export function methodsFor(routes: readonly Route[], path: string): string[] {
  const segments = path.split('/');
  return routes.filter((route) => matches(route.path.split('/'), segments)).map((route) => route.method);
}

function matches(pattern: string[], segments: string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]))
  );
}

/** What a request gets that no handler took: 405 where the path exists under other methods, else 404. */
export function noRouteError(allowedMethods: readonly string[]): ApiError {
  return allowedMethods.length > 0
    ? new ApiError('invalid_request_error', {
        status: 405,
        message: `This path takes ${allowedMethods.join(', ')}.`,
      })
    : new ApiError('invalid_request_error', { status: 404, message: 'There is no such path.' });
}
