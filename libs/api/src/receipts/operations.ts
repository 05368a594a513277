import { chatCompletionRequest } from '../chat/request';
import { COMPLETION_ID, DAY, json, KEY_ID, NOON, type Operation, REQUEST_ID } from '../operation';
import { quote, quoteQuery, type QuoteRecord, receipt, type Receipt } from './schema';

const charged: Receipt = {
  object: 'request',
  id: COMPLETION_ID,
  request_id: REQUEST_ID,
  state: 'charged',
  model: 'farebox-small',
  key_public_id: KEY_ID,
  hold: null,
  usage: { prompt_tokens: 14, completion_tokens: 14, total_tokens: 28 },
  cost: '0.000010500',
  refunded: '0.000000000',
  currency: 'usd',
  costs: [
    { kind: 'input', count: 14, price: '0.150000000', unit: '1M tokens', cost: '0.000002100' },
    { kind: 'output', count: 14, price: '0.600000000', unit: '1M tokens', cost: '0.000008400' },
  ],
  price_version: { id: 'price_01kag0s0ard3h8p2pt9vn4yzrq', starts_at: NOON - 3_600 },
  outcome: 'completed',
  streamed: true,
  estimated: false,
  latency_ms: 840,
  first_token_ms: 210,
  ended_at: NOON + 60,
  error_code: null,
  http_status: null,
  review: null,
};

const uncharged = {
  ...charged,
  ...{
    usage: null,
    cost: '0.000000000',
    costs: [],
    price_version: null,
    outcome: null,
    first_token_ms: null,
  },
} satisfies Receipt;

const running: Receipt = {
  ...uncharged,
  state: 'running',
  hold: { amount: '0.002457600', since: NOON, ends_by: NOON + 720 },
  price_version: charged.price_version,
  ...{ streamed: null, latency_ms: null, ended_at: null },
};

const refused: Receipt = {
  ...uncharged,
  ...{ state: 'refused', latency_ms: 3, error_code: 'rate_limit_error', http_status: 429 },
};

const inReview: Receipt = {
  ...charged,
  state: 'in_review',
  review: {
    state: 'open',
    reason: 'charge_failed',
    message:
      'The charge could not be recorded. What was measured is reserved until it is charged or released.',
    opened_at: NOON + 60,
    closed_at: null,
  },
};

const getRequest = {
  services: ['account'],
  method: 'GET',
  tag: 'Usage',
  credential: 'session',
  takesApiKey: true,
  id: 'getRequest',
  path: '/v1/requests/{request_id}',
  summary: 'Get the receipt of a request',
  description:
    'What has become of a request: what is held for it, what each kind of token cost, or why it cost nothing. A session ' +
    "finds every request of its account, an API key those that were made with it. The id is the response's " +
    '`X-Service-Request-Id`, or that of the completion. An id that the client gave in `X-Request-Id` finds the newest of ' +
    'the last 10,000 requests that has it. A request that cost nothing may be found a moment after its response.',
  answers: [
    {
      status: 200,
      description: 'The receipt.',
      contents: [json(receipt, { charged, running, in_review: inReview, refused })],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      status: 404,
      param: 'request_id',
      when: 'There is no such request of the account or of the key, or it had its time. A request of another account answers the same.',
    },
  ],
} satisfies Operation;

export const receiptOperations = { getRequest };

const asked = {
  model: 'farebox-small',
  messages: [{ role: 'user', content: 'What does a farebox do?' }],
  max_tokens: 2_000,
};

const quoted: QuoteRecord = {
  object: 'quote',
  model: 'farebox-small',
  currency: 'usd',
  maximum_cost: '0.001244250',
  hold: '0.001244250',
  prompt_tokens: { bound: 295, counted: 12 },
  max_output_tokens: 2_000,
  choices: 1,
  costs: [
    { output_tokens: 500, cost: '0.000301800' },
    { output_tokens: 1_000, cost: '0.000601800' },
    { output_tokens: 2_000, cost: '0.001201800' },
  ],
  binds: null,
  limits: {
    balance: { balance: '24.998000000', held: '0.030000000', left: '24.968000000', running: 3 },
    key_month: null,
    account_day: {
      limit: '100.000000000',
      spent: '0.002000000',
      held: '0.030000000',
      left: '99.968000000',
      opens_at: NOON + DAY / 2,
      request_limit: 10_000,
      requests: 17,
    },
  },
};

const noRoom: QuoteRecord = {
  ...quoted,
  binds: 'balance',
  limits: {
    ...quoted.limits,
    balance: { balance: '0.031000000', held: '0.030000000', left: '0.001000000', running: 3 },
  },
};

const createQuote = {
  id: 'createQuote',
  services: ['gateway'],
  method: 'POST',
  path: '/v1/quotes',
  tag: 'Chat',
  summary: 'Ask what a request would cost',
  description:
    'The body is a request, as it would be sent. It does not run, and nothing is held or charged. The answer says what it ' +
    'can cost at most, what it would cost with a given length of output, and whether balance or limits leave room for it ' +
    'now, by the rules of the admission. A moment later it may be otherwise. It counts for the request limit, as any request ' +
    'does. `wire` says of which endpoint the body is; the document shows that of chat completions.',
  credential: 'api_key',
  query: quoteQuery,
  body: { schema: chatCompletionRequest, isRequired: true, examples: { asked } },
  answers: [
    {
      status: 200,
      description: 'The quote.',
      headers: [
        'X-RateLimit-Limit-Requests',
        'X-RateLimit-Remaining-Requests',
        'X-RateLimit-Reset-Requests',
        'X-Ignored-Fields',
      ],
      contents: [json(quote, { room: quoted, no_room: noRoom })],
    },
  ],
  errors: [
    { code: 'invalid_request_error', param: 'messages' },
    'model_not_allowed',
    'model_not_found',
    'rate_limit_error',
  ],
} satisfies Operation;

export const quoteOperations = { createQuote };
