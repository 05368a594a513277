import { DEFAULT_MESSAGES, ERROR_CODES, type ErrorCode } from '@farebox/errors';
import { errorAnswersOf, type ErrorAnswer } from '../error-case';
import type { Operation } from '../operation';
import { WHEN } from '../when';
import { errorSchemaReference, pascalCase } from './error-schemas';
import { objectAt } from '../read';
import { ALWAYS, HEADERS, headerReferences, type HeaderName } from './headers';
import type { JsonObject } from './json';

const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit-Requests',
  'X-RateLimit-Remaining-Requests',
  'X-RateLimit-Reset-Requests',
] as const satisfies readonly HeaderName[];

/** Responses that several operations share, under `components/responses`. */
export class SharedResponses {
  readonly byName: Record<string, JsonObject> = {};

  refer(name: string, response: JsonObject): JsonObject {
    this.byName[name] ??= response;
    return { $ref: `#/components/responses/${name}` };
  }
}

/** The error responses of an operation, by status. */
export function errorResponses(operation: Operation, shared: SharedResponses): JsonObject {
  const byStatus = new Map<number, ErrorAnswer[]>();
  for (const answer of errorAnswersOf(operation)) {
    byStatus.set(answer.status, [...(byStatus.get(answer.status) ?? []), answer]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, answers]) => [String(status), responseOf(answers, operation, shared)]),
  );
}

function responseOf(answers: ErrorAnswer[], operation: Operation, shared: SharedResponses): JsonObject {
  const isLimited = operation.answers.some(({ headers }) => headers?.includes('X-RateLimit-Limit-Requests'));
  const more = isLimited && answers.some(({ status }) => status === 429) ? RATE_LIMIT_HEADERS : [];
  const response = buildResponse(answers, more);
  if (operation.hasErrorPages) return withPage(response);
  const isCommon = more.length === 0 && answers.every(isStandard);
  return isCommon ? shared.refer(answers.map(nameOf).join('Or'), response) : response;
}

/** A page does not say whether a program may send the request again. */
function withPage(response: JsonObject): JsonObject {
  const page = { schema: { type: 'string', contentMediaType: 'text/html' }, examples: PAGE_EXAMPLE };
  const shouldRetry = { ...HEADERS['x-should-retry'], required: false };
  return {
    ...response,
    headers: { ...objectAt(response, 'headers'), 'x-should-retry': shouldRetry },
    content: { ...objectAt(response, 'content'), 'text/html': page },
  };
}

const PAGE_EXAMPLE = { beginning: { value: '<!doctype html>' } };

const isStandard = ({ when, param }: ErrorAnswer): boolean => when === undefined && param === null;

function nameOf({ code, status }: ErrorAnswer): string {
  return pascalCase(code) + (status === ERROR_CODES[code].status ? '' : String(status));
}

function buildResponse(answers: ErrorAnswer[], more: readonly HeaderName[]): JsonObject {
  const canWait = answers.some(({ code }) => ERROR_CODES[code].retryable);
  const headers: HeaderName[] = [
    ...ALWAYS,
    'Cache-Control',
    'x-should-retry',
    ...(canWait ? (['Retry-After'] as const) : []),
    ...more,
  ];
  const schemas = answers.map(({ code }) => errorSchemaReference(code));
  const [only, ...others] = schemas;
  return {
    description: answers
      .map((answer) => `\`${answer.code}\`: ${answer.when ?? WHEN[answer.code]}`)
      .join('\n\n'),
    headers: headerReferences(headers),
    content: {
      'application/json': {
        schema: only && others.length === 0 ? only : { anyOf: schemas },
        examples: Object.fromEntries(
          answers.map(({ code, param }) => [code, { value: example(code, param) }]),
        ),
      },
    },
  };
}

function example(code: ErrorCode, param: string | null): JsonObject {
  return { error: { message: DEFAULT_MESSAGES[code], type: ERROR_CODES[code].type, param, code } };
}
