import { ERROR_CODES, type ErrorCode } from '@farebox/errors';
import type { JsonObject } from './json';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** `api_key_not_found` as the name of a schema: `ApiKeyNotFound`. */
export function pascalCase(code: string): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const schemaName = (code: ErrorCode): string => `${pascalCase(code).replace(/Error$/, '')}Error`;

export const errorSchemaReference = (code: ErrorCode): JsonObject => ({
  $ref: `#/components/schemas/${schemaName(code)}`,
});

const message = {
  type: 'string',
  description: 'For people. It may be reworded at any time: do not branch on it.',
};
const param = {
  type: ['string', 'null'],
  description: 'The offending field or parameter, where it is known.',
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
