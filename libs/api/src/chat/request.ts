import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from '../fields';
import { findFieldsBeside, type UnknownFields } from '../describe-issue';
import { problemBy } from '../own-reading';
import { maybe, message, type ChatMessage, type FunctionCall, type MessagePhase } from './messages';
import {
  findToolMismatch,
  isServedChoice,
  isServedTool,
  responseFormat,
  toolChoice,
  tools,
  type FunctionTool,
} from './tools';

const {
  modelLength,
  messages: mostMessages,
  choices,
  stopSequences,
  logitBiases,
  topLogprobs,
  metadataEntries,
  metadataKeyLength,
  metadataValueLength,
  labelLength,
} = CHAT_REQUEST_LIMITS;

const tokenLimit = z.int().min(1);
const label = z.string().max(labelLength).nullish();
const stopSequence = z.string().min(1);

const atMost = (entries: number) =>
  [
    (value: object): boolean => Object.keys(value).length <= entries,
    `must have at most ${String(entries)} entries`,
  ] as const;

/** Fields that change the response, and go upstream unchanged. */
const forwardedFields = {
  messages: z.array(message).min(1).max(mostMessages),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  logit_bias: z
    .record(z.string().regex(/^\d{1,7}$/, 'must be the number of a token'), z.number().min(-100).max(100))
    .refine(...atMost(logitBiases))
    .nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(topLogprobs).nullish(),
  n: z.int().min(1).max(choices).nullish(),
  seed: z.int().nullish(),
  stop: z
    .union(
      [stopSequence, z.array(stopSequence).max(stopSequences)],
      `must be a text or a list of at most ${String(stopSequences)} texts`,
    )
    .nullish(),
  tools: tools.nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormat.nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
};

/** Two are documented. */
const CACHE_OPTIONS = 8;

/** Documented fields that have no effect here and cannot raise the cost: accepted, and sent nowhere. */
const acceptedFields = {
  user: label,
  metadata: z
    .record(z.string().max(metadataKeyLength), z.string().max(metadataValueLength))
    .refine(...atMost(metadataEntries))
    .nullish(),
  store: z.boolean().nullish(),
  service_tier: label,
  prompt_cache_key: label,
  prompt_cache_retention: label,
  prompt_cache_options: z
    .record(z.string(), z.unknown())
    .refine(...atMost(CACHE_OPTIONS))
    .nullish(),
  safety_identifier: label,
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
};

const NOT_SERVED = 'is not served';
const notServed = z.null(NOT_SERVED).optional();

/**
 * Documented fields that change the meaning of a response, and that no model here supports: they may only say "none".
 */
const refusedFields = {
  audio: notServed,
  prediction: notServed,
  web_search_options: notServed,
  moderation: notServed,
  functions: z.array(z.never(NOT_SERVED), NOT_SERVED).nullish(),
  function_call: notServed,
  modalities: z.array(z.literal('text', 'must be "text"'), 'must be ["text"]').nullish(),
};

/**
 * Body of `POST /v1/chat/completions`. Unknown fields are dropped: they go upstream only if the catalogue allows them
 * for the model, since they could cost money unseen. Source: OpenAI API reference, chat completions;
 * docs/design/decisions.md, "Chat completions".
 */
export const chatCompletionRequest = z
  .object({
    model: z.string().min(1).max(modelLength),
    ...forwardedFields,
    ...acceptedFields,
    ...refusedFields,
    max_tokens: tokenLimit.nullish(),
    max_completion_tokens: tokenLimit.nullish(),
    stream: z.boolean().nullish(),
    stream_options: z
      .object({ include_usage: maybe(z.boolean()), include_obfuscation: maybe(z.boolean()) })
      .nullish(),
  })
  .refine((request) => request.stream === true || request.stream_options == null, {
    path: ['stream_options'],
    message: 'goes with stream: true only',
  })
  .refine((request) => request.top_logprobs == null || request.logprobs === true, {
    path: ['top_logprobs'],
    message: 'goes with logprobs: true only',
  })
  .check(problemBy(findToolMismatch));

/** A request as a client sends it. */
export type ChatCompletionBody = z.output<typeof chatCompletionRequest>;

type Parts = Extract<ChatMessage, { role: 'user' }>['content'];
type Texts = Extract<ChatMessage, { role: 'system' }>['content'];
type SaidBefore = Extract<ChatMessage, { role: 'assistant' }>;

/** A message as model servers take it: they know only functions, and only a user sends content other than text. */
export type ServedMessage =
  | Exclude<ChatMessage, { role: 'assistant' | 'tool' }>
  | (Omit<SaidBefore, 'tool_calls'> & {
      tool_calls?: FunctionCall[] | null | undefined;
      phase?: MessagePhase;
    })
  | { role: 'tool'; content: Texts; tool_call_id: string; name?: string | undefined };

/** The request for a completion, whatever wire its client speaks. */
export type ChatCompletionRequest = Omit<ChatCompletionBody, 'messages' | 'tools' | 'tool_choice'> & {
  messages: ServedMessage[];
  tools?: FunctionTool[] | null | undefined;
  tool_choice?:
    'none' | 'auto' | 'required' | { type: 'function'; function: { name: string } } | null | undefined;
};

/** A part of a user's message. */
export type ChatPart = Exclude<Parts, string>[number];

export const FORWARDED_FIELDS = Object.keys(forwardedFields) as (keyof typeof forwardedFields)[];

const KNOWN_FIELDS = new Set(Object.keys(chatCompletionRequest.shape));

/** The dropped parts of a body that was read as `taken`: fields, and tools of other machines. */
export function findUnknownFields(body: unknown, taken: ChatCompletionBody): UnknownFields {
  const { own, inner } = findFieldsBeside(KNOWN_FIELDS, body, taken);
  const { tools: given, tool_choice: choice } = taken;
  const hosted = (given ?? []).filter((tool) => !isServedTool(tool));
  const isHostedChoice = choice != null && !isServedChoice(choice);
  if (hosted.length === 0 && !isHostedChoice) return { own, inner };
  const elsewhere = new Set(hosted.map(({ type }) => `tools.${type}`));
  const hasOthers = hosted.length < (given?.length ?? 0);
  if (choice != null && (isHostedChoice || !hasOthers)) elsewhere.add('tool_choice');
  return { own, inner: [...elsewhere, ...inner] };
}
