import { ApiError } from '@farebox/errors';
import type { z } from 'zod';

/** The offending field as the client wrote it, `messages[2].content`, and a sentence about it. */
interface IssueDescription {
  param: string | null;
  message: string;
}

/** A client's own field names come back in `param` and the message, no longer than this. */
const LONGEST_PARAM = 200;

/**
 * Describes an invalid request. The messages of our own schemas complete a sentence that begins with the field's name
 * ("must be …"). If a schema has none, there is one here for each kind of issue: zod's own texts reach nobody.
 */
export function describeIssue(issue: z.core.$ZodIssue, body: unknown): IssueDescription {
  const found = deepest(issue, []);
  const [unknownField] = found.code === 'unrecognized_keys' ? found.keys : [];
  if (unknownField !== undefined) {
    const param = toParam([...found.path, unknownField]);
    return { param, message: `The field '${param ?? ''}' is not known.` };
  }
  const param = toParam(found.path);
  const subject = param === null ? 'The request body' : `'${param}'`;
  return { param, message: `${subject} ${predicateOf(found, valueAt(body, found.path))}.` };
}

/** The beginning of messages of our own schemas. */
const OWN_WORDS = /^(must|is|has|may|goes) /;

function predicateOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (OWN_WORDS.test(issue.message)) return issue.message;
  if (value === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NAME_OF_TYPE[issue.expected] ?? 'of another type'}, not ${kindOf(value)}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${quote(issue.values[0])}`
        : `must be one of ${issue.values.map(quote).join(', ')}`;
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${String(issue.divisor)}`;
    case 'invalid_format':
      return 'is not of the form that it must have';
    case 'invalid_union':
      return alternativesOf(issue, value);
    case 'invalid_key':
      return 'has a field whose name is not allowed';
    case 'invalid_element':
    case 'unrecognized_keys':
    case 'custom':
      return 'is not valid';
  }
}

const NAME_OF_TYPE: Readonly<Record<string, string | undefined>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** The JSON type of a value, whatever its content. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction';
  return typeof value === 'boolean' ? String(value) : 'an object';
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}

/** The unit of a length, by the type that is too long or too short. */
const COUNTED: Readonly<Record<string, [one: string, many: string] | undefined>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  object: ['field', 'fields'],
};

function count(origin: string, amount: number | bigint): string | undefined {
  const words = COUNTED[origin];
  return words && `${String(amount)} ${Number(amount) === 1 ? words[0] : words[1]}`;
}

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (COUNTED[origin] && Number(minimum) === 1) return 'must not be empty';
  const counted = count(origin, minimum);
  if (counted !== undefined) return `must have at least ${counted}`;
  return inclusive === false ? `must be more than ${String(minimum)}` : `must be at least ${String(minimum)}`;
}

function tooBig({ origin, maximum, inclusive }: z.core.$ZodIssueTooBig): string {
  const counted = count(origin, maximum);
  if (counted !== undefined) return `must have at most ${counted}`;
  return inclusive === false ? `must be less than ${String(maximum)}` : `must be at most ${String(maximum)}`;
}

/** The allowed types of a value that has none of them. */
function alternativesOf({ errors }: z.core.$ZodIssueInvalidUnion, value: unknown): string {
  const types = errors.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [NAME_OF_TYPE[first.expected]] : [],
  );
  const known = [...new Set(types.filter((type) => type !== undefined))];
  return known.length > 0 && known.length === errors.length
    ? `must be ${known.join(' or ')}, not ${kindOf(value)}`
    : 'has none of the values that it may have';
}

/** Dropped because of its type. Its fields are kept out of the list of dropped ones. */
export function toOther(left: { type: string }): { type: 'other'; of: string } {
  return { ...left, type: 'other', of: left.type };
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value = body;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** The closest alternative of a union is probably the one that the client meant. */
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

/** How far a value fits: the depth of the problem, and slightly more if the value there has the right type. */
function depthOf(issue: z.core.$ZodIssue): number {
  const { code, path } = issue;
  const isOfOtherKind =
    code === 'invalid_type' ||
    code === 'invalid_value' ||
    (code === 'custom' && issue.params?.['isOfOtherKind'] === true);
  return 2 * path.length + (isOfOtherKind ? 0 : 1);
}

/** For `.refine` of a field `type`: all except these, which other alternatives describe. */
export function noneOf(types: readonly string[], error: string): [(type: string) => boolean, object] {
  return [(type) => !types.includes(type), { error, abort: true, params: { isOfOtherKind: true } }];
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

/**
 * Parses a JSON body by its schema. Throws `invalid_request_error` for the first problem, with the field in `param`.
 * Use strict schemas: an unknown field is refused by its name.
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

/** Parses query parameters by their schema, like `parseBody`. A repeated parameter is an array here. */
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

/** The unknown fields of a request. */
export interface UnknownFields {
  /** At the top level: a model may take them. */
  own: ReadonlyMap<string, unknown>;
  /** Inside of known fields, `messages.annotations`: dropped. */
  inner: readonly string[];
}

/** Maximum number of dropped fields to report. */
export const MOST_IGNORED_NAMES = 20;

/** The fields of a body that were dropped when it was read as `taken`, by a schema that knows the fields `known`. */
export function findFieldsBeside(known: ReadonlySet<string>, body: unknown, taken: object): UnknownFields {
  const own = new Map<string, unknown>();
  const inner = new Set<string>();
  const given = body as Record<string, unknown>;
  // No Object.entries, here and below: it makes an array for each member. Parsed objects inherit no members.
  for (const field in given) {
    const value = given[field];
    if (!known.has(field)) own.set(field, value);
    else collectLeftOut(value, (taken as Record<string, unknown>)[field], field, inner);
  }
  return { own, inner: [...inner] };
}

/** Adds the paths of fields that have a value and were not taken, without list positions. */
function collectLeftOut(given: unknown, taken: unknown, path: string, paths: Set<string>): void {
  if (given === taken || typeof given !== 'object' || typeof taken !== 'object') return;
  if (given === null || taken === null || paths.size >= MOST_IGNORED_NAMES) return;
  if (Array.isArray(given)) {
    if (Array.isArray(taken))
      given.forEach((entry, i) => {
        collectLeftOut(entry, taken[i], path, paths);
      });
    return;
  }
  const kept = taken as Record<string, unknown>;
  const members = given as Record<string, unknown>;
  for (const field in members) {
    const value = members[field];
    // Nearly all fields of a message: their path is not even built.
    if (value === kept[field]) continue;
    if (value === null || (Array.isArray(value) && value.length === 0)) continue;
    // Taken under its other name.
    if (field === 'reasoning' && kept['reasoning_content'] === value) continue;
    if (Object.hasOwn(kept, field) && kept[field] !== undefined)
      collectLeftOut(value, kept[field], `${path}.${field}`, paths);
    else paths.add(`${path}.${field}`);
  }
}
