import { ApiError } from '@farebox/errors';
import type { z } from 'zod';

/**
 * Reads a JSON body by its schema. Throws `invalid_request_error` for the first thing that is wrong, with the field
 * in `param`. Use strict schemas: a field that is not known is refused by its name.
 */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ApiError('invalid_request_error', issue && { ...describeIssue(issue), cause: result.error });
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

/** The offending field as the client wrote it, `messages[2].content`, and a sentence about it. */
interface IssueDescription {
  param: string | null;
  message: string;
}

/** A client's own field names come back in `param` and the message, no longer than this. */
const LONGEST_PARAM = 200;

/**
 * Describes what is wrong with a request. The messages of our own schemas complete a sentence that begins with the
 * field's name ("must be …"); zod's own are kept as a reason in brackets.
 */
function describeIssue(issue: z.core.$ZodIssue): IssueDescription {
  const { path, ...rest } = deepest(issue, []);
  const [unknownField] = rest.code === 'unrecognized_keys' ? rest.keys : [];
  if (unknownField !== undefined) {
    const param = toParam([...path, unknownField]);
    return { param, message: `The field '${param ?? ''}' is not known.` };
  }
  const param = toParam(path);
  const subject = param === null ? 'The request body' : `'${param}'`;
  return { param, message: `${subject} ${predicateOf(rest.message)}.` };
}

function predicateOf(message: string): string {
  if (/^(must|is|has|may|goes) /.test(message)) return message;
  if (message.endsWith('received undefined')) return 'is required';
  const reason = message.replace(/^Invalid input(?:: )?/, '');
  return reason === '' ? 'is not valid' : `is not valid (${reason})`;
}

/** Of a union, the alternative that came nearest is what the client most likely meant. */
function deepest(issue: z.core.$ZodIssue, parents: readonly PropertyKey[]): z.core.$ZodIssue {
  const path = [...parents, ...issue.path];
  if (issue.code !== 'invalid_union') return { ...issue, path };
  let nearest: z.core.$ZodIssue = { ...issue, path };
  let depth = 2 * path.length;
  for (const [first] of issue.errors) {
    const alternative = first && deepest(first, path);
    if (!alternative || depthOf(alternative) <= depth) continue;
    nearest = alternative;
    depth = depthOf(alternative);
  }
  return nearest;
}

/** How far a value fits: down to what is wrong, and a little further where that is at least of the right kind. */
function depthOf({ code, path }: z.core.$ZodIssue): number {
  return 2 * path.length + (code === 'invalid_type' || code === 'invalid_value' ? 0 : 1);
}

function toParam(path: readonly PropertyKey[]): string | null {
  if (path.length === 0) return null;
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${String(part)}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text.length > LONGEST_PARAM ? `${text.slice(0, LONGEST_PARAM)}…` : text;
}
