import { z } from 'zod';
import { fileData, imageUrl, maybe, messagePhase } from '../chat/messages';
import { chatCompletionRequest } from '../chat/request';
import { functionName, jsonSchema } from '../chat/tools';
import { CHAT_REQUEST_LIMITS } from '../fields';
import { givenObject } from '../given-object';
import { noneOf, toOther } from '../describe-issue';
import { changed, problemBy } from '../own-reading';
import { findChoiceMismatch, responsesToolChoice, responsesTools, type ResponsesTool } from './tools';

const {
  fileNameLength,
  labelLength,
  messages: mostItems,
  partsOfMessage,
  toolCallIdLength,
} = CHAT_REQUEST_LIMITS;

const NOT_STORED = 'is not served: nothing is stored here that it could name';

const inputText = z.object({ type: z.literal('input_text'), text: z.string() });

const inputImage = z.object({
  type: z.literal('input_image'),
  file_id: z.null(NOT_STORED).optional(),
  image_url: imageUrl,
  detail: maybe(z.enum(['auto', 'low', 'high', 'original'])),
});

const inputFile = z.object({
  type: z.literal('input_file'),
  file_id: z.null(NOT_STORED).optional(),
  file_url: z.null('is not served: send file_data').optional(),
  file_data: fileData,
  filename: maybe(z.string().max(fileNameLength)),
});

/** An earlier output of the service; its annotations and log probabilities mean nothing to a model. */
const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.unknown().optional(),
  logprobs: z.unknown().optional(),
});

const refusal = z.object({ type: z.literal('refusal'), refusal: z.string() });

/** An item of any other type. */
function otherThan(types: readonly string[], message: string) {
  const type = z
    .string()
    .max(64)
    .refine(...noneOf(types, message));
  return changed(z.looseObject({ type }), toOther);
}

const PARTS_MESSAGE = 'must be a text or a list of parts';
const contentOf = <Part extends z.ZodType>(part: Part) =>
  z.union([z.string(), z.array(part).max(partsOfMessage)], PARTS_MESSAGE);

const textContent = contentOf(z.discriminatedUnion('type', [inputText]));
const inputContent = contentOf(z.discriminatedUnion('type', [inputText, inputImage, inputFile]));

const KNOWN_PARTS = ['input_text', 'input_image', 'input_file', 'output_text', 'refusal'];

/** An unknown part of the conversation: dropped. */
const otherPart = otherThan(KNOWN_PARTS, 'must be the type of a part that may stand here');
const assistantContent = contentOf(
  z.union([z.discriminatedUnion('type', [inputText, outputText, refusal]), otherPart]),
);
const outputContent = contentOf(
  z.union([z.discriminatedUnion('type', [inputText, inputImage, inputFile]), otherPart]),
);

/** Fields of an earlier item of the service. They mean nothing here: only the item's position counts. */
const ofAnyItem = {
  id: z.string().nullish(),
  status: z.enum(['in_progress', 'completed', 'incomplete']).nullish(),
};

const ofMessage = {
  type: z.literal('message').optional(),
  ...ofAnyItem,
  phase: messagePhase.nullish().catch(undefined),
};

/** A message may omit its type. */
const messageItem = z.discriminatedUnion('role', [
  z.object({ ...ofMessage, role: z.literal('user'), content: inputContent }),
  z.object({ ...ofMessage, role: z.literal('system'), content: textContent }),
  z.object({ ...ofMessage, role: z.literal('developer'), content: textContent }),
  z.object({ ...ofMessage, role: z.literal('assistant'), content: assistantContent }),
]);

const callId = z.string().min(1).max(toolCallIdLength);
const calledName = z.string().min(1).max(128);

const functionCall = z.object({
  type: z.literal('function_call'),
  ...ofAnyItem,
  call_id: callId,
  namespace: maybe(functionName),
  name: calledName,
  arguments: z.string(),
});

const customToolCall = z.object({
  type: z.literal('custom_tool_call'),
  ...ofAnyItem,
  call_id: callId,
  namespace: maybe(functionName),
  name: calledName,
  input: z.string(),
});

const toolOutput = z.object({
  type: z.enum(['function_call_output', 'custom_tool_call_output']),
  ...ofAnyItem,
  call_id: callId,
  output: outputContent,
});

const reasoningItem = z.object({
  type: z.literal('reasoning'),
  ...ofAnyItem,
  summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })).nullish(),
  content: z.array(z.object({ type: z.enum(['reasoning_text', 'text']), text: z.string() })).nullish(),
  /** The service's own, or another's: only that one can read it. */
  encrypted_content: z.string().nullish(),
});

/** Names an earlier item of the service, in place of the item. */
const itemReference = z.object({ type: z.literal('item_reference'), id: z.string() });

/** Tools that a client adds later in a conversation: Codex adds all of its own, a search its results. */
const toolsItem = z.object({
  type: z.enum(['additional_tools', 'tool_search_output']),
  ...ofAnyItem,
  call_id: callId.nullish(),
  execution: z.string().max(labelLength).nullish(),
  tools: responsesTools.nullish(),
});

/** Calls of tools that the client runs itself. A search by a server has no `call_id`. */
const clientCall = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['local_shell_call', 'shell_call']),
    ...ofAnyItem,
    call_id: callId,
    action: givenObject,
  }),
  z.object({ type: z.literal('apply_patch_call'), ...ofAnyItem, call_id: callId, operation: givenObject }),
  z.object({
    type: z.literal('tool_search_call'),
    ...ofAnyItem,
    call_id: callId.nullish(),
    execution: z.string().max(labelLength).nullish(),
    arguments: z.unknown(),
  }),
]);

/** Their results: a text, or converted to one. */
const clientOutput = z.object({
  type: z.enum(['local_shell_call_output', 'shell_call_output', 'apply_patch_call_output']),
  id: z.string().nullish(),
  status: z.string().max(labelLength).nullish(),
  call_id: callId.nullish(),
  max_output_length: z.number().nullish(),
  output: z.unknown(),
});

/** The beginning of a summary that was written here. */
export const OWN_SUMMARY = 'farebox-1.';

/** Whether a summary was written here: nobody else can read another service's. */
export function isOwnSummary(encrypted: string | null | undefined): encrypted is string {
  return encrypted?.startsWith(OWN_SUMMARY) === true;
}

/** Replaces the conversation before it. */
const compactionItem = z.object({
  type: z.enum(['compaction', 'compaction_summary']),
  ...ofAnyItem,
  encrypted_content: z.string().nullish(),
});

/** At the end of an input: requests that the conversation becomes one such item. */
const compactionTrigger = z.object({ type: z.literal('compaction_trigger'), ...ofAnyItem });

const SERVED_ITEMS = [
  ...['compaction', 'compaction_summary', 'compaction_trigger'],
  ...['message', 'function_call', 'custom_tool_call', 'function_call_output', 'custom_tool_call_output'],
  ...['reasoning', 'item_reference', 'additional_tools', 'tool_search_output', 'tool_search_call'],
  ...['local_shell_call', 'shell_call', 'apply_patch_call'],
  ...['local_shell_call_output', 'shell_call_output', 'apply_patch_call_output'],
];

/** Items of other services' tools, and unknown ones: dropped. */
const otherItem = otherThan(SERVED_ITEMS, 'must be the type of an item that may stand here');

const item = z.union([
  z.discriminatedUnion('type', [
    messageItem,
    functionCall,
    customToolCall,
    toolOutput,
    reasoningItem,
    itemReference,
    toolsItem,
    clientCall,
    clientOutput,
    compactionItem,
    compactionTrigger,
  ]),
  otherItem,
]);

/** The input of a model: a text, or the items of a conversation. Source: OpenAI API reference, responses, `input`. */
const responsesInput = z.union(
  [z.string(), z.array(item).min(1).max(mostItems)],
  'must be a text or a list of items',
);

type ResponsesItem = z.output<typeof item>;
export type ResponsesContent = z.output<typeof inputContent>;
export type ResponsesAssistantContent = z.output<typeof assistantContent>;
export type ResponsesOutput = z.output<typeof outputContent>;
type ToolsItem = z.output<typeof toolsItem>;
type UnsaidItem =
  (ToolsItem & { type: 'additional_tools' }) | { type: 'other' | 'item_reference' | 'compaction_trigger' };
export type ServedItem = Exclude<ResponsesItem, UnsaidItem>;

const bringsTools = (item: ResponsesItem): item is ToolsItem =>
  item.type === 'additional_tools' || item.type === 'tool_search_output';

const CLIENT_OUTPUTS = new Set(clientOutput.shape.type.options as readonly string[]);
const isClientOutput = (item: ResponsesItem): item is z.output<typeof clientOutput> =>
  CLIENT_OUTPUTS.has(item.type ?? '');

const isSummary = (item: ResponsesItem): item is z.output<typeof compactionItem> =>
  item.type === 'compaction' || item.type === 'compaction_summary';

/** Whether an item becomes a part of the conversation that a model here gets. */
export function isServedItem(item: ResponsesItem): item is ServedItem {
  if (item.type === 'item_reference' || item.type === 'other' || item.type === 'compaction_trigger')
    return false;
  if (isSummary(item)) return isOwnSummary(item.encrypted_content);
  if (item.type === 'tool_search_call' || item.type === 'tool_search_output') return item.call_id != null;
  return item.type !== 'additional_tools';
}

/** The items of earlier responses that a request names instead of sending them. */
export function namedItems(input: ToolFields['input']): string[] {
  if (typeof input === 'string') return [];
  return input.flatMap((item) => (item.type === 'item_reference' ? [item.id] : []));
}

/** The results of calls that are missing in the request, by position. */
export function resultsWithoutCall(input: ToolFields['input']): number[] {
  if (typeof input === 'string') return [];
  const called = new Set<string>();
  return input.flatMap((item, at) => {
    if (isClientOutput(item)) return called.has(item.call_id ?? item.id ?? '') ? [] : [at];
    if (!('call_id' in item) || item.call_id == null) return [];
    if (item.type.endsWith('_call')) called.add(item.call_id);
    return item.type.endsWith('_output') && !called.has(item.call_id) ? [at] : [];
  });
}

interface ToolFields {
  tools?: readonly ResponsesTool[] | null | undefined;
  input: string | readonly ResponsesItem[];
}

/** All tools of a request, at any position. */
export function toolsOf({ tools, input }: ToolFields): ResponsesTool[] {
  const later = typeof input === 'string' ? [] : input.filter(bringsTools);
  return [...(tools ?? []), ...later.flatMap((item) => item.tools ?? [])];
}

/** The parts of the conversation that no model here gets, by position and type. */
export function leftOutOf(input: ToolFields['input']): string[] {
  if (typeof input === 'string') return [];
  const lost = new Set(resultsWithoutCall(input));
  return input.flatMap((item, at) => {
    if (isSummary(item)) return isOwnSummary(item.encrypted_content) ? [] : [`input.${item.type}`];
    if (item.type === 'compaction_trigger')
      return at === input.length - 1 ? [] : ['input.compaction_trigger'];
    if (item.type === 'other') return [`input.${item.of}`];
    if (item.type === 'item_reference') return ['input.item_reference'];
    if (item.type === 'tool_search_call') return item.call_id == null ? ['input.tool_search_call'] : [];
    if (isClientOutput(item)) return lost.has(at) ? [`input.${item.type}`] : [];
    const content = 'content' in item ? item.content : 'output' in item ? item.output : undefined;
    const field = 'content' in item ? 'content' : 'output';
    const parts = Array.isArray(content) ? content : [];
    return parts.flatMap((part) => (part.type === 'other' ? [`input.${field}.${part.of}`] : []));
  });
}

const { topLogprobs } = CHAT_REQUEST_LIMITS;
const label = z.string().max(labelLength).nullish();
const ofChat = chatCompletionRequest.shape;

const textFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    name: functionName,
    description: maybe(z.string()),
    schema: maybe(jsonSchema),
    strict: z.boolean().nullish(),
  }),
]);

/** Fields that change the response. */
const servedFields = {
  model: ofChat.model,
  input: responsesInput,
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  temperature: ofChat.temperature,
  top_p: ofChat.top_p,
  /** From the Open Responses specification; OpenAI's own API has them in chat completions only. */
  frequency_penalty: ofChat.frequency_penalty,
  presence_penalty: ofChat.presence_penalty,
  top_logprobs: z.int().min(0).max(topLogprobs).nullish(),
  include: z.array(z.string().max(labelLength)).max(64).nullish(),
  tools: responsesTools.nullish(),
  tool_choice: responsesToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: maybe(z.object({ format: maybe(textFormat), verbosity: ofChat.verbosity })),
  reasoning: maybe(
    z.object({
      effort: ofChat.reasoning_effort,
      summary: z.enum(['auto', 'concise', 'detailed', 'none']).nullish(),
      /** The former name of `summary`. */
      generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    }),
  ),
  stream: z.boolean().nullish(),
};

/** Documented fields that have no effect here and cannot raise the cost. */
const acceptedFields = {
  /** Nothing is stored, as the response says. */
  store: z.boolean().nullish(),
  metadata: ofChat.metadata,
  user: label,
  safety_identifier: label,
  prompt_cache_key: label,
  prompt_cache_retention: label,
  service_tier: label,
  truncation: z.enum(['auto', 'disabled']).nullish(),
  /** For tools that OpenAI runs itself. */
  max_tool_calls: z.int().min(1).nullish(),
  client_metadata: givenObject.nullish(),
  stream_options: z.object({ include_obfuscation: maybe(z.boolean()) }).nullish(),
};

const refuse = (message: string) => z.null(message).optional();

/**
 * Documented fields that change the meaning of the response, and that are not supported: they may only say "none".
 */
const refusedFields = {
  previous_response_id: refuse('is not served: no response is stored. Send its items in `input`'),
  conversation: refuse('is not served: no conversation is stored. Send its items in `input`'),
  prompt: refuse('is not served: no prompt is stored. Send `instructions` and `input`'),
  background: z.literal(false, 'is not served: may only be false').nullish(),
  moderation: refuse('is not served'),
};

/**
 * Body of `POST /v1/responses`. Unknown fields are dropped. Sources: OpenAI API reference, responses; the Open
 * Responses specification, `CreateResponseBody`.
 */
export const responsesRequest = z
  .object({ ...servedFields, ...acceptedFields, ...refusedFields })
  .check(
    problemBy((request) => findChoiceMismatch({ tools: toolsOf(request), choice: request.tool_choice })),
  );

export type ResponsesRequest = z.output<typeof responsesRequest>;

export const RESPONSES_FIELDS: ReadonlySet<string> = new Set(Object.keys(responsesRequest.shape));
