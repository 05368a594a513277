import { byTokenColumnOf } from '@farebox/money';
import { COMPLETION_ID, NOON } from '../examples';
import { GATEWAY_PATHS } from '../gateway-paths';
import { json, type Operation } from '../operation';
import { COMPLETION_ERRORS, COMPLETION_HEADERS } from '../chat/operations';
import { responsesCompaction, responsesEvent, responsesResponse } from './response';
import { responsesRequest } from './request';

const idBody = COMPLETION_ID.replace('chatcmpl-', '');
const asked = { model: 'farebox-small', input: 'What does a farebox do?' };
const tool = {
  type: 'function',
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const text = 'It takes the fare.';
const about = { output_index: 0, item_id: `msg_${idBody}_0` };

const message = {
  type: 'message',
  id: about.item_id,
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
};

const begun = {
  id: `resp_${idBody}`,
  object: 'response',
  completed_at: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: 1,
  top_p: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
  top_logprobs: 0,
  reasoning: { effort: null, summary: null },
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tools: [],
  tool_choice: 'auto',
  truncation: 'disabled',
  previous_response_id: null,
  background: false,
  store: false,
  service_tier: 'default',
  safety_identifier: null,
  prompt_cache_key: null,
  created_at: NOON,
  model: 'farebox-small',
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
};

const usage = {
  input_tokens: 14,
  input_tokens_details: byTokenColumnOf('prompt', () => 0),
  output_tokens: 7,
  output_tokens_details: byTokenColumnOf('completion', () => 0),
  total_tokens: 21,
  cost: '0.000010500',
};

const whole = { ...begun, status: 'completed', output: [message], usage };

const error = {
  message: 'The model did not respond in time. Retry, or ask for less output.',
  type: 'service_unavailable',
  param: null,
  code: 'upstream_timeout',
};
const { code } = error;

/** Events in the order in which they are sent. */
const stream = (events: readonly { type: string; [field: string]: unknown }[]): string =>
  events
    .map((event, i) => ({ ...event, sequence_number: i }))
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');

const opening = [
  { type: 'response.created', response: begun },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { ...message, status: 'in_progress', content: [] },
  },
  { type: 'response.output_text.delta', ...about, content_index: 0, delta: text, logprobs: [] },
];

const createResponse = {
  id: 'createResponse',
  services: ['gateway'],
  method: 'POST',
  path: GATEWAY_PATHS.createResponse,
  tag: 'Chat',
  summary: 'Create a response',
  description: [
    "Request and response are those of OpenAI's Responses API, without its memory of conversations. `store: true` is answered with `store: false`; `previous_response_id`, `conversation`, `prompt` and `background: true` are refused. Send the items of the conversation in `input`. An `item_reference` may name one that the same key was given within 24 hours, unless that request had `store: false` or an `Idempotency-Key`.",
    'Tools of the types `function` and `custom` are served, also those of a `namespace`, and those that the client itself runs: `local_shell`, `shell` (unless in a container), `apply_patch`, and `tool_search` with `execution: client`. Others are run by OpenAI itself: they are left out, and named in the header `X-Ignored-Fields`, as is every field that is not known.',
    'It is held, charged and repeated as a chat completion is; `usage.cost` says what was charged.',
    'With `stream: true` the response is a stream of numbered server-sent events, which `data: [DONE]` ends. A stream without it has failed: its last events are `error` and `response.failed`, and the connection is cut.',
  ].join('\n\n'),
  credential: 'api_key',
  headers: ['Idempotency-Key'],
  body: {
    schema: responsesRequest,
    isRequired: true,
    examples: {
      in_one_piece: asked,
      a_stream: { ...asked, stream: true, max_output_tokens: 100 },
      with_a_tool: { ...asked, tools: [tool], tool_choice: 'auto' },
    },
  },
  answers: [
    {
      status: 200,
      description: 'The response: in one piece, or as a stream if `stream` is true.',
      headers: COMPLETION_HEADERS,
      contents: [
        json(responsesResponse, { in_one_piece: whole }),
        {
          mediaType: 'text/event-stream',
          schema: responsesEvent,
          examples: {
            a_stream: `${stream([
              ...opening,
              { type: 'response.output_item.done', output_index: 0, item: message },
              { type: 'response.completed', response: whole },
            ])}data: [DONE]\n\n`,
            a_failed_stream: stream([
              ...opening,
              { type: 'error', code, message: error.message, param: null, error },
              {
                type: 'response.failed',
                response: { ...begun, status: 'failed', error: { code, message: error.message } },
              },
            ]),
          },
        },
      ],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      param: 'input',
      when: 'A field is not valid or not served, the prompt is longer than the context window, or the model does not take what is sent; `param` names the field.',
    },
    ...COMPLETION_ERRORS,
  ],
} satisfies Operation;

const compactResponse = {
  id: 'compactResponse',
  services: ['gateway'],
  method: 'POST',
  path: GATEWAY_PATHS.compactResponse,
  tag: 'Chat',
  summary: 'Make a conversation shorter',
  description: [
    'The model writes a summary of the conversation in `input`. The response has one item of the type `compaction`, to be sent back in place of what it stands for. Nothing is stored: the item has the summary.',
    'It is held and charged as a response is. An `input` of `POST /v1/responses` that ends in an item of the type `compaction_trigger` asks for the same.',
  ].join('\n\n'),
  credential: 'api_key',
  headers: ['Idempotency-Key'],
  body: {
    schema: responsesRequest,
    isRequired: true,
    examples: { a_conversation: { ...asked, input: [{ role: 'user', content: asked.input }] } },
  },
  answers: [
    {
      status: 200,
      description: 'The item that stands for the conversation.',
      headers: COMPLETION_HEADERS,
      contents: [
        json(responsesCompaction, {
          a_summary: {
            id: whole.id,
            object: 'response.compaction',
            created_at: whole.created_at,
            output: [
              {
                type: 'compaction',
                id: `cmp_${idBody}_0`,
                encrypted_content: 'farebox-1.VGhleSBhc2tlZCB3aGF0IGEgZmFyZWJveCBkb2VzLg==',
              },
            ],
            usage: whole.usage,
          },
        }),
      ],
    },
  ],
  errors: createResponse.errors,
} satisfies Operation;

export const responsesOperations = { createResponse, compactResponse };
