import { ApiError } from '@farebox/errors';
import type { z } from 'zod';
import { describeIssue } from './describe-issue';

/**
 * Reads a JSON body by its schema. Throws `invalid_request_error` for the first thing that is wrong, with the field
 * in `param`. Use strict schemas: a field that is not known is refused by its name.
 */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ApiError(
    'invalid_request_error',
    issue && { ...describeIssue(issue, body), cause: result.error },
  );
}

/** Reads query parameters by their schema, as `parseBody` does. A parameter that comes twice is an array here. */
export function parseQuery<Schema extends z.ZodType>(
  schema: Schema,
  query: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  const twice = Object.entries(query).find(([, value]) => Array.isArray(value));
  if (twice) {
    const [param] = twice;
    throw new ApiError('invalid_request_error', { param, message: `'${param}' may be given once only.` });
  }
  return parseBody(schema, query);
}
