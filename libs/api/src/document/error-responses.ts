import { ApiError, ERROR_CODES, type ErrorCode } from '@farebox/errors';
import { messagesError, toMessagesError } from '../messages/response';
import { REQUEST_ID } from '../examples';
import type { Operation } from '../operation';
import { type ErrorAnswer, errorAnswersOf } from '../operation-errors';
import { ALWAYS, type HeaderName, headerReferences, HEADERS } from './headers';
import { schemaReference } from './named-schemas';
import { type JsonObject, objectAt } from './json';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** `api_key_not_found` as the name of a schema: `ApiKeyNotFound`. */
function pascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const schemaName = (code: ErrorCode): string => `${pascalCase(code).replace(/Error$/, '')}Error`;

const errorSchemaReference = (code: ErrorCode): JsonObject => ({
  $ref: `#/components/schemas/${schemaName(code)}`,
});

const message = {
  type: 'string',
  description: 'For people. It may be reworded at any time: do not branch on it.',
};
const param = {
  type: ['string', 'null'],
  description: 'The offending field or parameter, if it is known.',
};

function errorFields(type: JsonObject, code: JsonObject): JsonObject {
  return {
    type: 'object',
    required: ['message', 'type', 'param', 'code'],
    additionalProperties: false,
    properties: { message, type, param, code },
  };
}

function envelopeOf(code: ErrorCode): JsonObject {
  const fields = errorFields(
    { type: 'string', const: ERROR_CODES[code].type },
    { type: 'string', const: code },
  );
  return {
    type: 'object',
    required: ['error'],
    additionalProperties: false,
    properties: { error: fields },
  };
}

/** The body of a failed request, for each code of the closed set, and the event that ends a failed stream. */
export const ERROR_SCHEMAS: JsonObject = {
  ...Object.fromEntries(CODES.map((code) => [schemaName(code), envelopeOf(code)])),
  ErrorFields: {
    ...errorFields(
      { type: 'string', enum: [...new Set(CODES.map((code) => ERROR_CODES[code].type))] },
      { type: 'string', enum: CODES },
    ),
    description:
      'What every error says. The sets of `type` and `code` change only with a version of the API.',
  },
  StreamFailure: {
    type: 'object',
    description: 'The last event of a stream that failed. No `[DONE]` follows it.',
    required: ['object', 'error'],
    additionalProperties: false,
    properties: {
      object: { type: 'string', const: 'error' },
      error: { $ref: '#/components/schemas/ErrorFields' },
    },
  },
};

const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit-Requests',
  'X-RateLimit-Remaining-Requests',
  'X-RateLimit-Reset-Requests',
  'X-RateLimit-Limit-Tokens',
  'X-RateLimit-Remaining-Tokens',
  'X-RateLimit-Reset-Tokens',
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
  // A limit that refuses is told by the headers that tell it on success.
  const onSuccess = new Set<HeaderName>(operation.answers.flatMap(({ headers }) => headers ?? []));
  const isRefused = answers.some(({ status }) => status === 429);
  const more = isRefused ? RATE_LIMIT_HEADERS.filter((name) => onSuccess.has(name)) : [];
  if (operation.speaksMessages) return withMessagesErrors(buildResponse(answers, more), answers);
  const response = buildResponse(answers, more);
  if (operation.hasErrorPages) return withPage(response);
  const isCommon = more.length === 0 && answers.every(isStandard);
  return isCommon ? shared.refer(answers.map(nameOf).join('Or'), response) : response;
}

/** The same errors in the envelope that Anthropic's clients read. */
function withMessagesErrors(response: JsonObject, answers: ErrorAnswer[]): JsonObject {
  const examples = answers.map(({ code, param }) => {
    const error = new ApiError(code, { param });
    return [code, { value: toMessagesError(error, REQUEST_ID) as unknown as JsonObject }];
  });
  const content = {
    schema: schemaReference(messagesError),
    examples: Object.fromEntries(examples) as JsonObject,
  };
  return { ...response, content: { 'application/json': content } };
}

/** A page does not tell whether a program may send the request again. */
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
      .map((answer) => `\`${answer.code}\`: ${answer.when ?? ERROR_CODES[answer.code].inShort}`)
      .join('\n\n'),
    headers: { ...headerReferences(headers), Link: { $ref: '#/components/headers/HelpLink' } },
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
  return { error: { message: ERROR_CODES[code].message, type: ERROR_CODES[code].type, param, code } };
}
