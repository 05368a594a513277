import { ERROR_CODES } from '@farebox/errors';
import { FAREBOX_VERSION } from '@farebox/observability';
import { GROUPS, OPERATOR_API } from '@farebox/verbs';
import { OPERATOR_COOKIE } from './access';
import { describeVerbs } from './verbs';

type Described = ReturnType<typeof describeVerbs>[number];
type DescribedParameter = Described['parameters'][number];
type Json = Record<string, unknown>;

/** For verbs of one word, which belong to no group. */
const SERVICE_TAG = {
  name: 'service',
  description: 'The service as a whole: its state, its log, its margin.',
};

/** The document of the operator's API, in OpenAPI 3.1: every verb that it serves, with the parameters that it declares. */
export function buildDocument(): Json {
  const verbs = describeVerbs(() => true);
  const tags = new Set(verbs.map(({ verb }) => tagOf(verb)));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Farebox operator service',
      version: FAREBOX_VERSION,
      summary: 'What the admin command does, over HTTP.',
      description:
        'Each operation is a verb of the admin command, with the same parameters in snake case. Amounts are texts. The roles ' +
        'that may use a verb are named by `x-roles`; a verb with `x-people-only` is refused to keys.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document is served.' }],
    security: [{ managementKey: [] }, { session: [] }],
    tags: [
      ...Object.entries(GROUPS)
        .filter(([name]) => tags.has(name))
        .map(([name, { help }]) => ({ name, description: help })),
      SERVICE_TAG,
    ],
    paths: {
      ...Object.fromEntries(
        verbs.map((verb) => [verb.path, { [verb.method.toLowerCase()]: toOperation(verb) }]),
      ),
      [`${OPERATOR_API}/me`]: {
        get: {
          operationId: 'me',
          tags: [SERVICE_TAG.name],
          summary: 'who asks, and the verbs that they may use, with their parameters',
          responses: {
            '200': { description: 'The caller.', content: { 'application/json': { schema: REPORT } } },
            ...ERRORS,
          },
        },
      },
    },
    components: {
      schemas: { Report: REPORT_SCHEMA, Error: ERROR_SCHEMA },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function tagOf(words: string): string {
  const [group = '', ...rest] = words.split(' ');
  return rest.length > 0 && group in GROUPS ? group : SERVICE_TAG.name;
}

function toOperation({ verb, help, method, roles, people_only, parameters }: Described): Json {
  return {
    operationId: verb.replaceAll(/[ -]([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    tags: [tagOf(verb)],
    summary: help,
    'x-roles': roles,
    ...(people_only && { 'x-people-only': true }),
    ...(method === 'GET'
      ? { parameters: parameters.map(toQueryParameter) }
      : { requestBody: toBody(parameters) }),
    responses: { '200': DONE, ...ERRORS },
  };
}

function toQueryParameter(parameter: DescribedParameter): Json {
  const { name, description, required } = parameter;
  return { in: 'query', name, description, required, schema: toSchema(parameter) };
}

function toBody(parameters: readonly DescribedParameter[]): Json {
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      parameters.map((one) => [one.name, { description: one.description, ...toSchema(one) }]),
    ),
    ...(required.length > 0 && { required }),
  };
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}

function toSchema({ kind, choices }: DescribedParameter): Json {
  const text = choices ? { type: 'string', enum: choices } : { type: ['string', 'integer'] };
  switch (kind) {
    case 'flag':
      return { type: 'boolean' };
    case 'texts':
      return { type: 'array', items: text };
    case 'file':
      return { type: 'string' };
    case 'text':
      return text;
  }
}

const REPORT = { $ref: '#/components/schemas/Report' };

const REPORT_SCHEMA = {
  type: 'object',
  description: 'What the command prints with `--json`. Its fields depend on the verb.',
};

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string', description: 'The sentence that the command prints.' },
        type: { type: 'string' },
        param: {
          type: ['string', 'null'],
          description: 'The parameter that is wrong or missing, if it is one.',
        },
        code: { type: 'string', enum: Object.keys(ERROR_CODES) },
      },
    },
  },
};

const SECURITY_SCHEMES = {
  managementKey: { type: 'http', scheme: 'bearer', description: 'A management key, `mk-…`.' },
  session: { type: 'apiKey', in: 'cookie', name: OPERATOR_COOKIE, description: 'Of a person who signed in.' },
};

const DONE = {
  description: 'The report of the verb: JSON, or the text for people with `Accept: text/plain`.',
  headers: {
    'Farebox-Exit-Code': {
      description: 'Present if the verb did its work and brings bad news, such as books that differ.',
      schema: { type: 'integer' },
    },
  },
  content: { 'application/json': { schema: REPORT }, 'text/plain': { schema: { type: 'string' } } },
};

const refused = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

const ERRORS = {
  '400': refused('It cannot be done, or not without `"yes": true`. `message` says why.'),
  '401': refused('No valid credential.'),
  '403': refused('The role or the key may not use the verb.'),
  '404': refused('The object does not exist.'),
  '5XX': refused('The service cannot do it now.'),
};
