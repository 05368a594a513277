import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from './chat-limits';
import { message } from './chat-messages';
import { findToolMismatch, responseFormat, toolChoice, tools } from './chat-tools';

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

/** Fields that change the answer, and go upstream as they are. */
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
      [stopSequence, z.array(stopSequence).min(1).max(stopSequences)],
      `must be a text or a list of 1 to ${String(stopSequences)} texts`,
    )
    .nullish(),
  tools: tools.optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: responseFormat.optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
};

/** Documented fields that mean nothing here and cannot raise the cost: accepted, and not sent anywhere. */
const acceptedFields = {
  user: label,
  metadata: z
    .record(z.string().max(metadataKeyLength), z.string().max(metadataValueLength))
    .refine(...atMost(metadataEntries))
    .nullish(),
  store: z.boolean().nullish(),
  service_tier: label,
  prompt_cache_key: label,
  safety_identifier: label,
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
};

/**
 * Body of `POST /v1/chat/completions`. A field that is not known is refused with its name: it could cost money unseen.
 * Source: OpenAI API reference, chat completions; docs/decisions.md, "Chat completions".
 */
export const chatCompletionRequest = z
  .strictObject({
    model: z.string().min(1).max(modelLength),
    ...forwardedFields,
    ...acceptedFields,
    max_tokens: tokenLimit.nullish(),
    max_completion_tokens: tokenLimit.nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
  })
  .refine((request) => request.stream === true || request.stream_options == null, {
    path: ['stream_options'],
    message: 'goes with stream: true only',
  })
  .refine((request) => request.top_logprobs == null || request.logprobs === true, {
    path: ['top_logprobs'],
    message: 'goes with logprobs: true only',
  })
  .superRefine((request, context) => {
    const mismatch = findToolMismatch(request);
    if (mismatch) context.addIssue({ code: 'custom', ...mismatch });
  });

export type ChatCompletionRequest = z.output<typeof chatCompletionRequest>;

export const FORWARDED_FIELDS = Object.keys(forwardedFields) as (keyof typeof forwardedFields)[];
