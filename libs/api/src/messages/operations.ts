import { ApiError } from '@farebox/errors';
import { COMPLETION_ID, REQUEST_ID } from '../examples';
import { GATEWAY_PATHS } from '../gateway-paths';
import { json, type Operation } from '../operation';
import { COMPLETION_ERRORS, COMPLETION_HEADERS } from '../chat/operations';
import { countTokensRequest, messagesRequest } from './request';
import { createdMessage, messageEvent, toMessagesError, tokenCount } from './response';

const question = {
  model: 'farebox-small',
  messages: [{ role: 'user', content: 'What does a farebox do?' }],
};
const asked = { ...question, max_tokens: 100 };
const input_schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ name: 'weather', description: 'The weather of a city.', input_schema }];

const text = 'It takes the fare.';
const unused = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};
const usage = { ...unused, input_tokens: 14, output_tokens: 7, cost: '0.000006300' };
const message = {
  id: COMPLETION_ID.replace('chatcmpl-', 'msg_'),
  type: 'message',
  role: 'assistant',
  model: 'farebox-small',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage,
};

const events = (...data: { type: string }[]): string =>
  data.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const begun = [
  { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: unused } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
];
const ended = [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
  { type: 'message_stop' },
];

const LIMIT_HEADERS = [
  'X-RateLimit-Limit-Requests',
  'X-RateLimit-Remaining-Requests',
  'X-RateLimit-Reset-Requests',
] as const;

const createMessage = {
  id: 'createMessage',
  services: ['gateway'],
  method: 'POST',
  path: GATEWAY_PATHS.createMessage,
  tag: 'Chat',
  summary: 'Create a message',
  description: [
    "Request and response are those of Anthropic's messages API, for every model. What is said of chat completions holds here too: the hold, the charge, `Idempotency-Key`, and the order of refusals.",
    "A field that is not known is left out and named in the header `X-Ignored-Fields`; so are tools and blocks of machines that are not the client's (`web_search_20250305`). `top_k` goes to the model if the operator lets it through. `thinking` with a budget asks for effort: from 16,384 tokens on `high`, from 4,096 on `medium`, else `low`. Files by id or address are refused.",
    '`usage.input_tokens` are those that were neither read from a cache nor written into one; `usage.cost` says what was charged. A stream says both in `message_delta`, and `message_start` has zeros. `ping` keeps a silent stream alive. A stream that ends without `message_stop` has failed: its last event is `error`.',
    "Errors have Anthropic's envelope; `code` and `param` in it are the service's own.",
  ].join('\n\n'),
  credential: 'api_key',
  speaksMessages: true,
  headers: ['Idempotency-Key'],
  body: {
    schema: messagesRequest,
    isRequired: true,
    examples: {
      in_one_piece: asked,
      a_stream: { ...asked, stream: true },
      with_a_tool: { ...asked, system: 'Be brief.', tools, tool_choice: { type: 'auto' } },
    },
  },
  answers: [
    {
      status: 200,
      description: 'The message: in one piece, or as a stream if `stream` is true.',
      headers: COMPLETION_HEADERS,
      contents: [
        json(createdMessage, { in_one_piece: message }),
        {
          mediaType: 'text/event-stream',
          schema: messageEvent,
          saysItsEnd: true,
          examples: {
            a_stream: events(...begun, ...ended),
            a_failed_stream: events(...begun, toMessagesError(new ApiError('upstream_timeout'), REQUEST_ID)),
          },
        },
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      param: 'messages',
      when: 'A field is not valid or not served, the prompt is longer than the context window, or the model does not take what is sent; `param` names the field.',
    },
    ...COMPLETION_ERRORS,
  ],
} satisfies Operation;

const countMessageTokens = {
  id: 'countMessageTokens',
  services: ['gateway'],
  method: 'POST',
  path: GATEWAY_PATHS.countMessageTokens,
  tag: 'Chat',
  summary: 'Count the tokens of a message',
  description:
    "How many tokens the prompt of a message has: an estimate by the model's tokenizer, or, if the operator names none for the model, the bound that a request would be held for. Free of charge, and one of the key's requests.",
  credential: 'api_key',
  speaksMessages: true,
  body: {
    schema: countTokensRequest,
    isRequired: true,
    examples: { a_question: question, with_a_tool: { ...question, tools } },
  },
  answers: [
    {
      status: 200,
      description: 'The count.',
      headers: [...LIMIT_HEADERS, 'X-Ignored-Fields'],
      contents: [json(tokenCount, { a_count: { input_tokens: 14 } })],
    },
  ],
  errors: ['model_not_allowed', { code: 'model_not_found', param: 'model' }, 'rate_limit_error'],
} satisfies Operation;

export const messagesOperations = { createMessage, countMessageTokens };
