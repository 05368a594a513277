import type { RequestHeader, ResponseHeader } from '../operation';
import type { JsonObject } from './json';

const count = (description: string, example: number): JsonObject => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** `components/headers`. A `required` one is on every response that names it. */
export const HEADERS = {
  'X-Service-Request-Id': {
    description: 'The id under which the request was logged. Quote it to the operator.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    example: 'req_01kag0s1wefxh8p2pt9vn4yzrq',
  },
  'x-request-id': {
    description: 'The same as `X-Service-Request-Id`, under the name that client libraries read.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    example: 'req_01kag0s1wefxh8p2pt9vn4yzrq',
  },
  'x-should-retry': {
    description: 'Whether a client may send the same request again by itself.',
    required: true,
    schema: { type: 'string', enum: ['true', 'false'] },
    example: 'false',
  },
  'Retry-After': {
    description: 'Seconds to wait, if that is known.',
    schema: { type: 'integer', minimum: 1 },
    example: 7,
  },
  'Cache-Control': {
    description: 'No answer that belongs to an account is kept by a cache.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
    example: 'no-store',
  },
  'X-RateLimit-Limit-Requests': count('Requests permitted in the window.', 60),
  'X-RateLimit-Remaining-Requests': count('Requests left in the window.', 59),
  'X-RateLimit-Reset-Requests': count('Upper bound, in seconds, until capacity frees.', 60),
  'X-RateLimit-Limit-Tokens': count(
    'Tokens permitted in the window, if there is a limit of tokens.',
    100_000,
  ),
  'X-RateLimit-Remaining-Tokens': count(
    'Tokens left in the window. What runs, this request too, counts with the most that it can use.',
    96_500,
  ),
  'X-RateLimit-Reset-Tokens': count(
    'Seconds until the window ends, and all of its tokens are there again.',
    42,
  ),
  'Idempotent-Replayed': {
    description: 'On an answer that is given again for its `Idempotency-Key`, free of charge.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'X-Ignored-Fields': {
    description: 'Fields of the request that were left out, at most twenty, if there are any.',
    schema: { type: 'string' },
    example: 'top_k, messages.cache_control',
  },
  'Content-Disposition': {
    description: 'The name under which the document is saved.',
    schema: { type: 'string' },
    example: 'attachment; filename="INV-2026-000042.pdf"',
  },
  ETag: {
    description: 'Of the document, for `If-None-Match`.',
    required: true,
    schema: { type: 'string' },
    example: '"0d9f3bb58a63a9ff"',
  },
  Link: {
    description: 'The next page, with `rel="next"`, if there is one and the response is CSV.',
    schema: { type: 'string' },
    example: '</v1/usage?after=chatcmpl-01kag0s3hze6p9tz3cm7qj5wxe>; rel="next"',
  },
  Location: {
    description: 'Where a browser goes on.',
    required: true,
    schema: { type: 'string' },
    example: '/',
  },
  'Set-Cookie': {
    description: 'Sets or takes away the cookie `service_token`.',
    required: true,
    schema: { type: 'string' },
    example: 'service_token=st-x; Path=/; HttpOnly; Secure; SameSite=Lax',
  },
  Vary: {
    description: 'The answer depends on the header `Accept`.',
    required: true,
    schema: { type: 'string', const: 'Accept' },
    example: 'Accept',
  },
  // The `Link` of an error.
  HelpLink: {
    description: 'The page about the error, with `rel="help"`.',
    required: true,
    schema: { type: 'string' },
    example: '</docs/errors/rate_limit_error>; rel="help"',
  },
} as const satisfies Readonly<Record<string, JsonObject>> & Record<ResponseHeader, JsonObject>;

export type HeaderName = keyof typeof HEADERS;

/** The headers of a response, by reference. */
export function headerReferences(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Every response has these. */
export const ALWAYS = ['X-Service-Request-Id', 'x-request-id'] as const satisfies readonly HeaderName[];

/** `components/parameters` for the headers of requests. */
export const REQUEST_HEADERS: Readonly<Record<RequestHeader, JsonObject>> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe: the client chooses a text, new for each request that is to run, the same for each retry of it.',
    schema: { type: 'string', pattern: '^[\\x20-\\x7e]{1,255}$' },
    example: 'order-4711-summary',
  },
  'Stripe-Signature': {
    name: 'Stripe-Signature',
    in: 'header',
    required: true,
    description: "Stripe's signature of the body.",
    schema: { type: 'string' },
    example: 't=1795262400,v1=0000',
  },
};
