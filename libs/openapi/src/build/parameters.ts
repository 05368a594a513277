import type { Operation } from '../operation';
import { PATH_PARAMETERS } from '../path-parameters';
import { REQUEST_HEADERS } from './headers';
import type { JsonObject } from './json';
import { queryFields } from './zod-schemas';

/** The parameters of an operation: path, query, headers. */
export function parametersOf(operation: Operation): JsonObject[] {
  return [
    ...pathParameterNames(operation.path).map(pathParameter),
    ...(operation.query ? queryFields(operation.query).map(queryParameter) : []),
    ...(operation.headers ?? []).map((name) => REQUEST_HEADERS[name]),
  ];
}

export function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
}

function pathParameter(name: string): JsonObject {
  const parameter = PATH_PARAMETERS[name];
  if (!parameter) throw new Error(`the path parameter ${name} is not described in PATH_PARAMETERS`);
  const { description, example } = parameter;
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example };
}

function queryParameter({ name, schema, isRequired }: ReturnType<typeof queryFields>[number]): JsonObject {
  const { description, example, ...rest } = schema;
  return {
    name,
    in: 'query',
    required: isRequired,
    ...(description === undefined ? {} : { description }),
    schema: rest,
    ...(example === undefined ? {} : { example }),
  };
}
