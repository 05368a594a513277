import { COMPLETION_ID, NOON } from '../examples';
import { GATEWAY_PATHS } from '../gateway-paths';
import { json, type Operation } from '../operation';
import { toldChatCompletion, toldChatCompletionChunk } from './response';
import { chatCompletionRequest } from './request';

const asked = { model: 'farebox-small', messages: [{ role: 'user', content: 'What does a farebox do?' }] };
const tool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const about = { id: COMPLETION_ID, created: NOON, model: 'farebox-small' };
const usage = { prompt_tokens: 14, completion_tokens: 7, total_tokens: 21, cost: '0.000010500' };
const text = 'It takes the fare.';

const completion = {
  ...about,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: text, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage,
};

const chunk = (delta: object, finish_reason: string | null): string =>
  JSON.stringify({
    ...about,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
const finalChunk = JSON.stringify({ ...about, object: 'chat.completion.chunk', choices: [], usage });
const events = (...data: string[]): string => data.map((line) => `data: ${line}\n\n`).join('');
const failure = JSON.stringify({
  object: 'error',
  error: {
    message: 'The model did not respond in time. Retry, or ask for less output.',
    type: 'service_unavailable',
    param: null,
    code: 'upstream_timeout',
  },
});
const begun = chunk({ role: 'assistant', content: text }, null);

/** For the response to any paid request, whatever its wire. */
export const COMPLETION_HEADERS = [
  'X-RateLimit-Limit-Requests',
  'X-RateLimit-Remaining-Requests',
  'X-RateLimit-Reset-Requests',
  'X-RateLimit-Limit-Tokens',
  'X-RateLimit-Remaining-Tokens',
  'X-RateLimit-Reset-Tokens',
  'Idempotent-Replayed',
  'X-Ignored-Fields',
] as const;

/** In addition to `invalid_request_error`, whose field has a different name on each wire. */
export const COMPLETION_ERRORS = [
  'insufficient_funds',
  'model_not_allowed',
  { code: 'model_not_found', param: 'model' },
  'idempotency_conflict',
  'idempotency_in_progress',
  {
    code: 'rate_limit_error',
    when: 'Too many requests of the key in its window, too many at once, or a daily cap or a limit of the account is reached. Nothing was charged.',
  },
  'spending_limit_exceeded',
  'billing_error',
  'upstream_timeout',
] as const;

const createChatCompletion = {
  id: 'createChatCompletion',
  services: ['gateway'],
  method: 'POST',
  path: GATEWAY_PATHS.createChatCompletion,
  tag: 'Chat',
  summary: 'Create a chat completion',
  description: [
    "Request and response are those of OpenAI's chat-completions API. A field that is not known is left out and named in the header `X-Ignored-Fields`, unless the operator lets it through for the model. `audio`, `prediction`, `web_search_options` and `functions` are not served, and refused.",
    'Before anything runs, the maximum cost is held: the upper bound of the prompt at the input price, plus the most output tokens times `n` at the output price. A lower `max_tokens` lowers it. Charged is what was delivered, never more than was held; `usage.cost` says it.',
    'With `stream: true` the answer is a stream of server-sent events, which `data: [DONE]` ends. A stream without it has failed: its last event is `{"object":"error","error":{…}}`, and the connection is cut. A comment keeps a silent stream alive.',
    'Where several things are wrong, the first of these is the answer: credential, access, size of the body, body, model, request limit, `Idempotency-Key`, caps of the account, limit of the key, balance.',
  ].join('\n\n'),
  credential: 'api_key',
  headers: ['Idempotency-Key'],
  body: {
    schema: chatCompletionRequest,
    isRequired: true,
    examples: {
      in_one_piece: asked,
      a_stream: { ...asked, stream: true, stream_options: { include_usage: true }, max_tokens: 100 },
      with_a_tool: { ...asked, tools: [tool], tool_choice: 'auto' },
    },
  },
  answers: [
    {
      status: 200,
      description: 'The completion: in one piece, or as a stream where `stream` is true.',
      headers: COMPLETION_HEADERS,
      contents: [
        json(toldChatCompletion, { in_one_piece: completion }),
        {
          mediaType: 'text/event-stream',
          schema: toldChatCompletionChunk,
          examples: {
            a_stream: events(begun, chunk({}, 'stop'), finalChunk, '[DONE]'),
            a_failed_stream: events(begun, failure),
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

export const chatOperations = { createChatCompletion };
