import type { z } from 'zod';
import type { ErrorCase } from './error-case';
import type { RequestHeader, ResponseHeader } from './header-names';
import type { TagName } from './tags';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Which process serves an operation. Behind one base URL a client does not see the difference. */
export type Service = 'gateway' | 'account';

export type Credential = 'api_key' | 'session' | 'none';

/** An endpoint as the document tells of it: one entry, which holds all that is special to it. */
export interface Operation {
  /** `operationId`, in camel case: the name of the operation for generated code. */
  id: string;
  services: readonly Service[];
  method: Method;
  /** With its parameters in braces: `/v1/api-keys/{key_public_id}`. */
  path: string;
  tag: TagName;
  summary: string;
  description?: string;
  credential: Credential;
  /** Of the query parameters; its fields become one parameter each. */
  query?: z.ZodType;
  headers?: readonly RequestHeader[];
  body?: RequestBody;
  answers: readonly Answer[];
  /** In addition to those that follow from the credential and the body. */
  errors: readonly ErrorCase[];
  /** Whether a browser's form is answered with a page, where it is refused too. */
  hasErrorPages?: boolean;
}

export interface RequestBody {
  schema: z.ZodType;
  /** Beside `application/json`. */
  otherMediaTypes?: readonly string[];
  isRequired: boolean;
  /** At least one that the schema takes. */
  examples: Examples;
}

/** An answer that is no error. */
export interface Answer {
  status: number;
  description: string;
  /** In addition to those of every answer. */
  headers?: readonly ResponseHeader[];
  contents: readonly Content[];
}

export interface Content {
  mediaType: string;
  /** Of a JSON body, and of the JSON in each event of a stream. Left out for what is no JSON. */
  schema?: z.ZodType;
  examples: Examples;
}

/** By the name of what an example shows, e.g. `a_stream`. */
export type Examples = Readonly<Record<string, unknown>>;

/** What an operation's contract makes of the body; `undefined` for one that takes none. */
export type BodyOf<Row extends Operation> = Row extends { body: { schema: infer Schema extends z.ZodType } }
  ? z.output<Schema>
  : undefined;

/** What an operation's contract makes of the query parameters; `undefined` for one that takes none. */
export type QueryOf<Row extends Operation> = Row extends { query: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

/** A JSON body. */
export const json = (schema: z.ZodType, examples: Examples): Content => ({
  mediaType: 'application/json',
  schema,
  examples,
});
