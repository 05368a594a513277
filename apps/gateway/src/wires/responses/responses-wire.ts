import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  allTools,
  clientTools,
  findFieldsBeside,
  isHosted,
  leftOutOf,
  namedItems,
  parseBody,
  RESPONSES_FIELDS,
  responsesRequest,
  resultsWithoutCall,
  servedToolChoice,
  toolsOf,
  type ChatCompletionRequest,
  type ResponsesRequest,
  type UnknownFields,
} from '@farebox/api';
import { responsesOperations } from '@farebox/api/operations';
import { ApiError } from '@farebox/errors';
import { requireApiKeySecret } from '../../identity/api-keys';
import type { Wire, WireRequest } from '../wire';
import { asksForCompaction } from './compaction';
import { toMessages } from './input-messages';
import { summaryOf } from './response-object';
import { keepsItems, responsesWriter, type ToTold } from './response-writer';
import { OWN_NAMES, toResponsesError } from './responses-errors';
import { clientToolsOf, customToolsOf, toChatTools } from './tools';

/** `POST /v1/responses`. Stateless, except for items that later requests may name. */
export const responsesWire: Wire = {
  path: responsesOperations.createResponse.path,
  readSecret: requireApiKeySecret,
  read: (value) => readResponses(value),
  readInTurns: (value) => readResponsesInTurns(value),
  toErrorBody: (error) => ({ error: toResponsesError(error) }),
};

/** Reads a request. `toTold` converts its non-streamed response to another form. */
export function readResponses(value: unknown, toTold?: ToTold): WireRequest {
  return toAsked(value, parseBody(responsesRequest, value), toTold);
}

/** `readResponses` for a long request. */
export async function readResponsesInTurns(value: unknown, toTold?: ToTold): Promise<WireRequest> {
  const request = parseBody(responsesRequest, value);
  await nextTurn();
  return toAsked(value, request, toTold);
}

function toAsked(value: unknown, request: ResponsesRequest, toTold?: ToTold): WireRequest {
  const ids = namedItems(request.input);
  const asked = toWireRequest(value, request, toTold);
  if (ids.length === 0) {
    requireMessages(asked);
    return asked;
  }
  return { ...asked, named: { ids, with: (found) => readWithItems(value, found, toTold) } };
}

const NOT_KEPT =
  'names an item that the conversation needs and that is not or no longer kept here: send the item itself. Clients do so ' +
  'with `store: false`';

/**
 * Completes a request with the items that it names. Missing ones are left out, except calls whose results are
 * present.
 */
function readWithItems(
  value: unknown,
  found: ReadonlyMap<string, object>,
  toTold: ToTold | undefined,
): WireRequest {
  const whole = withItems(value as { input: unknown[] }, found);
  const request = parseBody(responsesRequest, whole);
  const missing = typeof request.input === 'string' ? [] : request.input;
  const at = missing.findIndex((item) => item.type === 'item_reference' && !NEEDLESS.test(item.id));
  if (at >= 0 && resultsWithoutCall(request.input).length > 0) {
    const param = `input[${String(at)}].id`;
    throw new ApiError('invalid_request_error', { param, message: `'${param}' ${NOT_KEPT}.` });
  }
  const asked = toWireRequest(whole, request, toTold);
  requireMessages(asked);
  return asked;
}

/** Ids of texts and reasoning, which have no results. */
const NEEDLESS = /^(msg|rs)_/;

function withItems<Body extends { input: unknown[] }>(body: Body, found: ReadonlyMap<string, object>): Body {
  const input = body.input.map((item) => {
    const { type, id } = item as { type?: unknown; id?: unknown };
    const kept = type === 'item_reference' && typeof id === 'string' ? found.get(id) : undefined;
    return kept ?? item;
  });
  return { ...body, input };
}

function requireMessages({ body }: WireRequest): void {
  if (body.messages.length === 0)
    throw new ApiError('invalid_request_error', {
      param: 'input',
      message: "'input' must have an item that a model can receive.",
    });
}

function toWireRequest(value: unknown, request: ResponsesRequest, toTold: ToTold | undefined): WireRequest {
  const summary = summaryOf(request);
  return {
    body: toChatRequest(request),
    ...(summary !== null && { reasoningSummary: summary }),
    unknown: findLeftOut(value, request),
    keepsItems: keepsItems(request),
    customTools: customToolsOf(request),
    clientTools: clientToolsOf(request),
    ownNames: OWN_NAMES,
    writer: responsesWriter(request, toTold),
  };
}

/** Converts the request to chat. */
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

/** Includes, by type, the tools and items that no model here can get. */
function findLeftOut(value: unknown, request: ResponsesRequest): UnknownFields {
  const { own, inner } = findFieldsBeside(RESPONSES_FIELDS, value, request);
  const { input, tool_choice: choice } = request;
  const tools = toolsOf(request);
  const leftOut = new Set<string>();
  for (const { tool, namespace } of allTools(tools)) {
    const isMisplaced = namespace !== undefined && clientTools([tool]).length > 0;
    if (isHosted(tool) || isMisplaced) leftOut.add(`tools.${tool.type}`);
  }
  for (const path of leftOutOf(input)) leftOut.add(path);
  if (choice != null && tools.length > 0 && !servedToolChoice({ tools, choice })) leftOut.add('tool_choice');
  return { own, inner: [...leftOut, ...inner] };
}
