/** A row of the table of public errors. */
interface ErrorRow {
  status: number;
  type: string;
  /** Whether a client may send the same request again by itself. */
  retryable: boolean;
  /**
   * Text for a person, used if the place that raises the error has no more specific message. Messages avoid "rate
   * limit" and "billing" outside the errors of that name: some clients match on text.
   */
  message: string;
  /** When a client gets it, in a sentence or two for a list of responses: docs/use/openapi.json. */
  inShort: string;
  /** Markdown for the page of the code: when a client gets it, and what the client can do. */
  when: string;
  remedy: string;
}

/**
 * The closed set of public errors, with one row for all facts about each. The pages in docs/use/errors are written
 * from it (`npm run openapi`). Source: docs/design/contract.md, "Errors". The sets of codes and types change only
 * with a version of the API.
 */
export const ERROR_CODES = {
  invalid_request_error: {
    status: 400,
    type: 'invalid_request_error',
    retryable: false,
    message: 'The request is not valid.',
    inShort: 'The request is not valid; `param` names the field, if one is to blame.',
    when: [
      'A field of the body, a query parameter, a header or the path is not valid. `param` names the field if it is known. The same code is used with status 404 if a resource without a code of its own (a device, an invoice, a route) does not exist, with 405 for a wrong method, with 426 for a WebSocket, and with 408 if the request did not arrive in time.',
      "If a model's server fails twice in the same way at this request while it answers others, the request is at fault: this error too, without a `param`.",
    ].join('\n\n'),
    remedy: 'Fix the field that `param` names. The same request fails again.',
  },
  authentication_error: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    message: 'No valid credential of the right kind was sent. Send it as "Authorization: Bearer <token>".',
    inShort: 'No credential, or not one that this endpoint takes.',
    when: 'No credential was sent, or one of the wrong kind: an API key on an account endpoint, a session token on a traffic endpoint, an expired or unknown session, or the session of one device used to manage another. With `param` `Origin`: the API key is for pages of the origins that it allows, and the request is from none of them.',
    remedy:
      'Send `Authorization: Bearer <token>` with the kind of token that the endpoint takes. Add the origin of your page to the key, or use a key for programs on your server.',
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    message: 'The API key is not recognised.',
    inShort: 'The API key is not recognised: mistyped, replaced or revoked.',
    when: 'The token begins with `ak-`, but no live key has this secret: it is mistyped, unknown, revoked, or was replaced by a rotation.',
    remedy: 'Check the key, or create a new one.',
  },
  expired_api_key: {
    status: 401,
    type: 'authentication_error',
    retryable: false,
    message: 'The API key has expired. Rotate it or create a new one.',
    inShort: 'The API key has passed its expiry.',
    when: 'The key was valid until its expiry time, which has passed.',
    remedy: 'Rotate the key, or create a new one.',
  },
  insufficient_funds: {
    status: 402,
    type: 'insufficient_funds',
    retryable: false,
    message: 'The balance does not cover the maximum cost of this request. Nothing was charged.',
    inShort: "The balance does not cover the request's maximum cost. Nothing was held or charged.",
    when: 'The available balance of the account does not cover the maximum cost of the request. The message says what was needed, what is available, and that a lower `max_tokens` lowers it. Nothing was reserved or charged.',
    remedy: 'Add funds, or lower `max_tokens`.',
  },
  beta_access_required: {
    status: 403,
    type: 'access_denied',
    retryable: false,
    message: 'This account has no access to the service. Nothing was charged.',
    inShort: 'The credential is good, but the account has no access. Nothing was charged.',
    when: 'The credential is valid, but the account is not active in the invite-only beta. Nothing was charged. A stream that is running when the account is suspended ends with this error, and what it delivered is charged.',
    remedy: 'Ask for access. No retry and no other credential of the account can help.',
  },
  model_not_allowed: {
    status: 403,
    type: 'invalid_request_error',
    retryable: false,
    message: 'The policy of this API key does not permit the model.',
    inShort: "The key's own list bars the model.",
    when: 'The model exists and the account may use it, but the allow or block list of this API key bars it.',
    remedy: 'Use a permitted model, or change the list of the key.',
  },
  model_not_found: {
    status: 404,
    type: 'invalid_request_error',
    retryable: false,
    message: 'The model does not exist or is not available. GET /v1/models lists the available ones.',
    inShort: 'The model does not exist or is not offered to the account.',
    when: 'The model does not exist, is disabled, or is not offered to this account. All three get the same response.',
    remedy: 'Call `GET /v1/models`; it lists what this key may use.',
  },
  api_key_not_found: {
    status: 404,
    type: 'invalid_request_error',
    retryable: false,
    message: 'There is no such API key on this account.',
    inShort: 'There is no such key on the account. A key of another account answers the same.',
    when: 'The account has no API key with this id. A key of another account gets the same response.',
    remedy: 'Check the id.',
  },
  idempotency_conflict: {
    status: 409,
    type: 'invalid_request_error',
    retryable: false,
    message: 'This Idempotency-Key was used with a different request.',
    inShort: 'The `Idempotency-Key` was used with another body.',
    when: 'The `Idempotency-Key` was used before, by the same API key and with a different body, for a request that is in progress or was charged within the last 24 hours. Bodies are compared byte by byte. Nothing ran and nothing was charged.',
    remedy: 'Use a new key for a new request, or send the identical body.',
  },
  idempotency_in_progress: {
    status: 409,
    type: 'invalid_request_error',
    retryable: true,
    message: 'The first request with this Idempotency-Key has not finished yet.',
    inShort: 'The first request with this `Idempotency-Key` has not finished.',
    when: 'The first request with this `Idempotency-Key` has not finished. This one did not run and was not charged.',
    remedy:
      'Wait as long as `Retry-After` says, then retry with the same key and body: the response of the first request is given or, if that was not charged, the request runs.',
  },
  api_key_revoked: {
    status: 409,
    type: 'invalid_request_error',
    retryable: false,
    message: 'The API key is revoked and cannot be rotated or changed. Create a new one.',
    inShort: 'The key is revoked, and is not rotated or changed any more.',
    when: 'The API key is revoked. A revoked key cannot be rotated or changed.',
    remedy: 'Create a new key.',
  },
  request_too_large: {
    status: 413,
    type: 'invalid_request_error',
    retryable: false,
    message: 'The request body is larger than the service accepts.',
    inShort: 'The body is larger than the service accepts.',
    when: 'The body is larger than the service accepts (4 MiB by default). It was refused, not truncated.',
    remedy: 'Send less.',
  },
  rate_limit_error: {
    status: 429,
    type: 'rate_limit_error',
    retryable: true,
    message: 'Too many requests. Wait before the next one.',
    inShort: 'Too many requests, or too many at once. None of them was charged.',
    when: 'Too many requests in the window, too many at once for the key, a limit that the operator has set has no room, or a daily cap of the account is reached: of requests, of spending, of requests that were left before anything was delivered, or of new API keys or devices. The request was not charged and did not reach a model.',
    remedy:
      'Back off. If `Retry-After` is present, wait that long. `x-should-retry: false` says that waiting does not help soon: the cap of a day, or a wait of more than 60 seconds.',
  },
  spending_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    retryable: false,
    message: 'The monthly spending limit of this API key is reached.',
    inShort: "The key's own limit of the month does not cover the request.",
    when: 'The monthly spending limit of this API key does not leave room for the maximum cost of the request. The month is the UTC calendar month.',
    remedy: 'Raise the limit of the key, use another key, or lower `max_tokens`.',
  },
  internal_error: {
    status: 500,
    type: 'service_unavailable',
    retryable: true,
    message: 'The service failed to answer. Retry with backoff.',
    inShort: 'The service failed. Retry with backoff.',
    when: 'The service failed. What failed is in the log of the service, under the request id.',
    remedy: 'Retry with backoff. If it persists, give the operator the `X-Service-Request-Id`.',
  },
  billing_error: {
    status: 500,
    type: 'billing_error',
    retryable: false,
    message:
      'The request completed but its charge was not recorded. It is flagged for review; do not retry it.',
    inShort: 'The request was run, and its charge could not be recorded. Do not retry.',
    when: [
      'The request completed, but its charge was not recorded. The answer is withheld (a stream ends with this error) and the request is flagged for review.',
      'A retry under the same `Idempotency-Key` is answered in the same way until that is resolved, and also if the answer was charged but is not kept (it was too long, or too much is kept of the account) or can no longer be read. Such a repetition is free.',
    ].join('\n\n'),
    remedy:
      'Do not retry. The operator resolves it. If the charge is waived, the `Idempotency-Key` may be used again.',
  },
  service_unavailable: {
    status: 503,
    type: 'service_unavailable',
    retryable: true,
    message: 'The service is not accepting this request now. Retry with backoff.',
    inShort: 'The service cannot take the request now. Retry with backoff.',
    when: 'The service is not accepting the request now: it is starting, stopping or overloaded, or no model server could take the request. Nothing was charged.',
    remedy: 'Retry with backoff, after `Retry-After` if it is present.',
  },
  upstream_timeout: {
    status: 504,
    type: 'service_unavailable',
    retryable: true,
    message: 'The model did not respond in time. Retry, or ask for less output.',
    inShort: 'The model did not respond in time.',
    when: 'The model did not respond in time. Nothing that was not delivered was charged.',
    remedy: 'Retry. A shorter prompt or a lower `max_tokens` may help.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_CODES;
export type ErrorType = (typeof ERROR_CODES)[ErrorCode]['type'];

/**
 * How a charged request ended. `client_gone`: the client closed the connection. `upstream_failed`, `upstream_timeout`: the
 * stream broke off, or stood still, after something had been delivered. `shutdown`: the process had to end. `suspended`: the account lost its
 * access meanwhile.
 * Source: docs/design/contract.md. The type `usage_outcome` of the database has the same words.
 */
export const USAGE_OUTCOMES = [
  'completed',
  'client_gone',
  'upstream_failed',
  'upstream_timeout',
  'shutdown',
  'suspended',
] as const;

export type UsageOutcome = (typeof USAGE_OUTCOMES)[number];

/**
 * How a request ended that cost nothing. `refused`: it failed a condition and did not run. `failed`: it could not be
 * answered, or its client had left, before anything was delivered. The type `uncharged_outcome` of the database has
 * the same words.
 */
export const UNCHARGED_OUTCOMES = ['failed', 'refused'] as const;

export type UnchargedOutcome = (typeof UNCHARGED_OUTCOMES)[number];

/** The pages of docs/use/errors by file name: one for each code, and the index. `npm run openapi` writes them. */
export function errorPages(): Map<string, string> {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  return new Map([['README.md', index(codes)], ...codes.map((code) => [`${code}.md`, page(code)] as const)]);
}

function page(code: ErrorCode): string {
  const { status, type, retryable, when, remedy } = ERROR_CODES[code];
  return `# \`${code}\`

| | |
|---|---|
| HTTP status | ${String(status)} |
| type | \`${type}\` |
| retry by itself | ${retryable ? 'yes' : 'no'} |

## When

${when}

## What to do

${remedy}
`;
}

function index(codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => {
    const { status, type } = ERROR_CODES[code];
    return `| ${String(status)} | [\`${code}\`](${code}.md) | \`${type}\` |\n`;
  });
  return `# Errors

Every failed request is answered with the same envelope, whose \`code\` and \`type\` come from a closed set.
Branch on \`code\`; \`message\` is for people and may be reworded at any time.

\`\`\`json
{ "error": { "message": "…", "type": "invalid_request_error", "param": "messages", "code": "invalid_request_error" } }
\`\`\`

Every error carries \`x-should-retry: true\` or \`false\`, and \`X-Service-Request-Id\`, which the operator can look up.

| HTTP | code | type |
|---|---|---|
${rows.join('')}`;
}
