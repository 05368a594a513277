import { z } from 'zod';
import { message } from './messages';

const MAX_MESSAGES = 4_096;
const MAX_STOPS = 4;
const MAX_TOOLS = 128;
const MAX_LOGIT_BIASES = 1_024;
const MAX_CHOICES = 128;

const tokenLimit = z.int().min(1);
const functionName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -');
const jsonSchema = z.record(z.string(), z.unknown());

const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: functionName,
    description: z.string().optional(),
    parameters: jsonSchema.optional(),
    strict: z.boolean().nullish(),
  }),
});

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: functionName }) }),
]);

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: functionName,
      description: z.string().optional(),
      schema: jsonSchema.optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

/** Fields that change the answer, and go upstream as they are. */
const forwardedFields = {
  messages: z.array(message).min(1).max(MAX_MESSAGES),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  logit_bias: z
    .record(z.string().regex(/^\d{1,7}$/), z.number().min(-100).max(100))
    .refine(
      (bias) => Object.keys(bias).length <= MAX_LOGIT_BIASES,
      `must have at most ${String(MAX_LOGIT_BIASES)} entries`,
    )
    .nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  n: z.int().min(1).max(MAX_CHOICES).nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string()).min(1).max(MAX_STOPS)]).nullish(),
  tools: z.array(tool).min(1).max(MAX_TOOLS).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: responseFormat.optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
};

/** Documented fields that mean nothing here and cannot raise the cost: accepted, and not sent anywhere. */
const acceptedFields = {
  user: z.string().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  store: z.boolean().nullish(),
  service_tier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
};

/**
 * Body of `POST /v1/chat/completions`. A field that is not known is refused with its name: it could cost money unseen.
 * Source: OpenAI API reference, chat completions; decisions, "Chat completions".
 */
export const chatCompletionRequest = z
  .strictObject({
    model: z.string().min(1).max(256),
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
  });

export type ChatCompletionRequest = z.output<typeof chatCompletionRequest>;

export const FORWARDED_FIELDS = Object.keys(forwardedFields) as (keyof typeof forwardedFields)[];
