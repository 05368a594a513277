import { ApiError, ERROR_CODES, type ErrorCode } from '@farebox/errors';
import { messagesError, toMessagesError } from '../messages/response';
import {
  type Credential,
  type Operation,
  REQUEST_ID,
  type ErrorCase,
  type SpecialErrorCase,
} from '../operation';
import { ALWAYS, type HeaderName, headerReferences, HEADERS } from './headers';
import { schemaReference } from './named-schemas';
import { type JsonObject, objectAt } from './json';

export interface ErrorAnswer {
  code: ErrorCode;
  status: number;
  param: string | null;
  when: string | undefined;
}

function toErrorAnswer(given: ErrorCase): ErrorAnswer {
  const { code, status, param, when }: SpecialErrorCase = typeof given === 'string' ? { code: given } : given;
  return { code, status: status ?? ERROR_CODES[code].status, param: param ?? null, when };
}

/** What every operation with a credential may answer; health checks and documents have none of these. */
const OF_CREDENTIAL: Readonly<Record<Credential, readonly ErrorCase[]>> = {
  api_key: [
    'authentication_error',
    'invalid_api_key',
    'expired_api_key',
    'beta_access_required',
    'internal_error',
    'service_unavailable',
  ],
  session: ['authentication_error', 'beta_access_required', 'internal_error', 'service_unavailable'],
  none: [],
};

const OF_AN_API_KEY: readonly ErrorCase[] = ['invalid_api_key', 'expired_api_key'];

const OF_A_BODY: readonly ErrorCase[] = [
  { code: 'invalid_request_error', status: 408, when: 'The request did not arrive in time.' },
  'request_too_large',
];

/** Every error that an operation may answer, by status and code. What is special to it comes before what is common. */
export function errorAnswersOf(operation: Operation): ErrorAnswer[] {
  const cases = [
    ...operation.errors,
    'invalid_request_error' as const,
    ...(operation.takesApiKey === true ? OF_AN_API_KEY : []),
    ...OF_CREDENTIAL[operation.credential].filter(
      (code) => code !== 'beta_access_required' || operation.needsAccess !== false,
    ),
    ...(operation.body ? OF_A_BODY : []),
  ].map(toErrorAnswer);
  const byKey = new Map<string, ErrorAnswer>();
  for (const answer of cases) {
    const key = `${String(answer.status)} ${answer.code}`;
    if (!byKey.has(key)) byKey.set(key, answer);
  }
  return [...byKey.values()].sort((a, b) => a.status - b.status);
}

/** When each error comes. Source: API specification, "Errors". */
const WHEN: Readonly<Record<ErrorCode, string>> = {
  invalid_request_error: 'The request is not valid; `param` names the field, if one is to blame.',
  authentication_error: 'No credential, or not one that this endpoint takes.',
  invalid_api_key: 'The API key is not recognised: mistyped, replaced or revoked.',
  expired_api_key: 'The API key has passed its expiry.',
  insufficient_funds: "The balance does not cover the request's maximum cost. Nothing was held or charged.",
  beta_access_required: 'The credential is good, but the account has no access. Nothing was charged.',
  model_not_allowed: "The key's own list bars the model.",
  model_not_found: 'The model does not exist or is not offered to the account.',
  api_key_not_found: 'There is no such key on the account. A key of another account answers the same.',
  idempotency_conflict: 'The `Idempotency-Key` was used with another body.',
  idempotency_in_progress: 'The first request with this `Idempotency-Key` has not finished.',
  api_key_revoked: 'The key is revoked, and is not rotated or changed any more.',
  request_too_large: 'The body is larger than the service accepts.',
  rate_limit_error: 'Too many requests, or too many at once. None of them was charged.',
  spending_limit_exceeded: "The key's own limit of the month does not cover the request.",
  internal_error: 'The service failed. Retry with backoff.',
  billing_error: 'The request was run, and its charge could not be recorded. Do not retry.',
  service_unavailable: 'The service cannot take the request now. Retry with backoff.',
  upstream_timeout: 'The model did not respond in time.',
};

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
