import { chatCompletionRequest } from '../chat/request';
import { DAY, NOON } from '../examples';
import { GATEWAY_PATHS } from '../gateway-paths';
import { json, type Operation } from '../operation';
import { quote, quoteQuery, type QuoteRecord } from './schema';

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
    policy: null,
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
  path: GATEWAY_PATHS.createQuote,
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
