import type { z } from 'zod';
import type { ErrorCode } from '@farebox/errors';

/** An error of an operation: by its code alone, or with details that are specific to the operation. */
export type ErrorCase = ErrorCode | SpecialErrorCase;

export interface SpecialErrorCase {
  code: ErrorCode;
  /** For `invalid_request_error`, which has several. */
  status?: number;
  /** The field that `param` names in the example. */
  param?: string;
  /** When it occurs, if that differs from the code's general description. */
  when?: string;
}

/** A header of some requests; its schema is in `headers.ts`. */
export type RequestHeader = 'Idempotency-Key' | 'Stripe-Signature';

/** A header of a response in addition to those of every response. */
export type ResponseHeader =
  | 'X-RateLimit-Limit-Requests'
  | 'X-RateLimit-Remaining-Requests'
  | 'X-RateLimit-Reset-Requests'
  | 'X-RateLimit-Limit-Tokens'
  | 'X-RateLimit-Remaining-Tokens'
  | 'X-RateLimit-Reset-Tokens'
  | 'Idempotent-Replayed'
  | 'X-Ignored-Fields'
  | 'Content-Disposition'
  | 'ETag'
  | 'Link'
  | 'Location'
  | 'Set-Cookie'
  | 'Vary';

/** The chapters of the document, in their order. */
export const TAGS = [
  { name: 'Chat', description: 'The traffic: models and chat completions, called with an API key.' },
  {
    name: 'Account',
    description: 'Who the account is, what it may do and what is left of that, and its models.',
  },
  { name: 'API keys', description: 'Keys for the traffic: made, changed, rotated and revoked.' },
  { name: 'Usage', description: 'What was asked of the models, and what it cost.' },
  {
    name: 'Billing',
    description: 'The balance, what it changed by, statements, invoices, and ways to add funds.',
  },
  { name: 'Devices', description: 'The machines of an account, each with a session of its own.' },
  {
    name: 'Webhooks',
    description: 'URLs of the account that are notified of events: keys, limits, payments, invoices.',
  },
  { name: 'Sign-in', description: 'Sessions of a person: begun by a mailed link, listed and ended.' },
  { name: 'Service', description: 'The service itself: whether it lives, and this document.' },
] as const satisfies readonly { name: string; description: string }[];

type TagName = (typeof TAGS)[number]['name'];

interface PathParameter {
  description: string;
  example: string;
  /** The last parameter, which takes the rest of the path: an id may have slashes, written literally or as `%2F`. */
  hasSlashes?: boolean;
}

/** Every parameter of a path. A value of another format belongs to no object: 404. */
export const PATH_PARAMETERS: Readonly<Record<string, PathParameter | undefined>> = {
  key_public_id: {
    description: 'The public id of an API key.',
    example: 'key_01kag0s1wefxh8p2pt9vn4yzrq',
  },
  model: { description: 'The id of a model.', example: 'farebox-small', hasSlashes: true },
  month: { description: 'A UTC calendar month.', example: '2026-10' },
  credit_note_number: { description: 'Number of a credit note, `CRN-…`.', example: 'CRN-2026-000042' },
  receipt_number: { description: 'Number of a receipt, `REC-…`.', example: 'REC-2026-000042' },
  checkout_id: {
    description: 'Id of a payment by card, `chk_…`.',
    example: 'chk_01kag0rzc2f4ct1k8x6n0v9bdm',
  },
  number: { description: 'The number of an invoice.', example: 'INV-2026-000042' },
  request_id: {
    description: 'The id of a request, of its completion, or one that its client gave it.',
    example: 'req_01kag0s3hze6p9tz3cm7qj5wxe',
  },
  session_id: { description: 'The id of a session.', example: 'sess_01kag0s0ard3h8p2pt9vn4yzrq' },
  webhook_id: { description: 'The id of a webhook.', example: 'hook_01kag0s4d6f8h0k2n4q6s8v0x2' },
  message_id: { description: 'The id of an event.', example: 'whmsg_01kag0s5e7g9j1m3p5r7t9w1y3' },
  transaction_id: {
    description: 'The id of a transaction, `txn_…`.',
    example: 'txn_01kag0s3hze6p9tz3cm7qj5wxe',
  },
  token: { description: 'The token of a link.', example: `lt-${'0'.repeat(43)}` },
  usage_id: {
    description: 'The id of a request, as its completion was answered with.',
    example: 'chatcmpl-01kag0s3hze6p9tz3cm7qj5wxe',
  },
  code: { description: 'The code of an error.', example: 'rate_limit_error' },
  device_id: { description: 'The id of a device.', example: 'dev_01kag0s1wefxh8p2pt9vn4yzrq' },
};

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The process that serves an operation. Behind one base URL a client sees no difference. */
type Service = 'gateway' | 'account';

export type Credential = 'api_key' | 'session' | 'none';

/** An endpoint in the document: one entry with everything specific to it. */
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
  /** Also accepts an API key in place of a session, which sees only its own data. */
  takesApiKey?: boolean;
  /** `false`: also accepts a session of an account that is suspended or not active yet. */
  needsAccess?: boolean;
  /** For the query parameters; its fields become one parameter each. */
  query?: z.ZodType;
  headers?: readonly RequestHeader[];
  body?: RequestBody;
  answers: readonly Answer[];
  /** In addition to those that follow from the credential and the body. */
  errors: readonly ErrorCase[];
  /** Its clients are Anthropic's: they read errors in their own envelope, and may send the key as `x-api-key`. */
  speaksMessages?: boolean;
  /** Whether a browser's form gets a page, even if it is refused. */
  hasErrorPages?: boolean;
}

export interface RequestBody {
  schema: z.ZodType;
  /** In addition to `application/json`. */
  otherMediaTypes?: readonly string[];
  isRequired: boolean;
  /** At least one that is valid by the schema. */
  examples: Examples;
}

/** A response that is not an error. */
export interface Answer {
  status: number;
  description: string;
  /** In addition to those of every response. */
  headers?: readonly ResponseHeader[];
  contents: readonly Content[];
}

export interface Content {
  mediaType: string;
  /** For a JSON body, and for the JSON in each event of a stream. Omitted for other formats. */
  schema?: z.ZodType;
  /** For a stream: its events themselves mark its end, without `[DONE]`. */
  saysItsEnd?: boolean;
  examples: Examples;
}

/** By the content of an example, e.g. `a_stream`. */
export type Examples = Readonly<Record<string, unknown>>;

/** The parsed body of an operation; `undefined` if it takes none. */
export type BodyOf<Row extends Operation> = Row extends { body: { schema: infer Schema extends z.ZodType } }
  ? z.output<Schema>
  : undefined;

/** The parsed query parameters of an operation; `undefined` if it takes none. */
export type QueryOf<Row extends Operation> = Row extends { query: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

/** A JSON body. */
export const json = (schema: z.ZodType, examples: Examples): Content => ({
  mediaType: 'application/json',
  schema,
  examples,
});

/**
 * The route of an operation, as Express and `Route` of libs/http write it: `/v1/api-keys/:key_public_id`, and
 * `/v1/models/*model` if the parameter may have slashes.
 */
export function toRoute<Method extends string>({ method, path }: { method: Method; path: string }) {
  const pattern = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => (PATH_PARAMETERS[name]?.hasSlashes ? '*' : ':') + name,
  );
  return { method, path: pattern };
}
