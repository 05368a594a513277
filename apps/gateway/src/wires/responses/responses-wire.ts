import {
  allTools,
  findFieldsBeside,
  isHosted,
  leftOutOf,
  parseBody,
  RESPONSES_FIELDS,
  responsesRequest,
  servedToolChoice,
  toolsOf,
  type ChatCompletionRequest,
  type ResponsesRequest,
  type UnknownFields,
} from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import { readApiKeySecret } from '../../identity/api-keys';
import type { Wire } from '../wire';
import { asksForCompaction } from './compaction';
import { toMessages } from './input-messages';
import { summaryOf } from './response-object';
import { responsesWriter, type ToTold } from './response-writer';
import { toToldError } from './told-errors';
import { toChatTools } from './tools';

/** `POST /v1/responses`. Stateless: nothing is stored that a later request could name. */
export const responsesWire: Wire = {
  path: '/v1/responses',
  readSecret: readApiKeySecret,
  read: (value) => readResponses(value),
  toErrorBody: (error) => ({ error: toToldError(error) }),
};

/** Reads a request. `toTold` gives its response in one piece another form. */
export function readResponses(value: unknown, toTold?: ToTold): ReturnType<Wire['read']> {
  const request = parseBody(responsesRequest, value);
  const body = toChatRequest(request);
  if (body.messages.length === 0)
    throw new ApiError('invalid_request_error', {
      param: 'input',
      message: "'input' must have an item that a model can be told of.",
    });
  const summary = summaryOf(request);
  return {
    body,
    ...(summary !== null && { reasoningSummary: summary }),
    unknown: findLeftOut(value, request),
    writer: responsesWriter(request, toTold),
  };
}

/** What is asked for, in the words of chat. */
function toChatRequest(request: ResponsesRequest): ChatCompletionRequest {
  const { text, reasoning, stream, top_logprobs } = request;
  const logprobs =
    request.include?.includes('message.output_text.logprobs') === true || (top_logprobs ?? 0) > 0;
  return {
    model: request.model,
    messages: toMessages(request),
    stream,
    max_completion_tokens: request.max_output_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    frequency_penalty: request.frequency_penalty,
    presence_penalty: request.presence_penalty,
    ...(logprobs && { logprobs, top_logprobs }),
    ...toChatTools(asksForCompaction(request) ? { ...request, tool_choice: 'none' } : request),
    ...(text?.format && !asksForCompaction(request) && { response_format: toResponseFormat(text.format) }),
    reasoning_effort: reasoning?.effort,
    prompt_cache_key: request.prompt_cache_key,
    user: request.user,
  };
}

type TextFormat = NonNullable<NonNullable<ResponsesRequest['text']>['format']>;

function toResponseFormat(format: TextFormat): ChatCompletionRequest['response_format'] {
  if (format.type !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

/** Also the tools and items that no model here could be told of, by their types. */
function findLeftOut(value: unknown, request: ResponsesRequest): UnknownFields {
  const { own, inner } = findFieldsBeside(RESPONSES_FIELDS, value, request);
  const { input, tool_choice: choice } = request;
  const tools = toolsOf(request);
  const leftOut = new Set<string>();
  for (const { tool } of allTools(tools)) if (isHosted(tool)) leftOut.add(`tools.${tool.type}`);
  for (const path of leftOutOf(input)) leftOut.add(path);
  if (choice != null && tools.length > 0 && !servedToolChoice({ tools, choice })) leftOut.add('tool_choice');
  return { own, inner: [...leftOut, ...inner] };
}
