import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from './fields';
import { maybe } from './chat-messages';
import { chatCompletionRequest } from './chat-request';
import { functionName, jsonSchema } from './chat-tools';
import { responsesInput } from './responses-input';
import { findChoiceMismatch, responsesToolChoice, responsesTools } from './responses-tools';

const { labelLength, topLogprobs } = CHAT_REQUEST_LIMITS;
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
  /** Of the Open Responses specification; OpenAI's own API has them in chat completions only. */
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
      /** What `summary` was called before. */
      generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    }),
  ),
  stream: z.boolean().nullish(),
};

/** Documented fields that mean nothing here and cannot raise the cost. */
const acceptedFields = {
  /** Nothing is stored; the response says so. */
  store: z.boolean().nullish(),
  metadata: ofChat.metadata,
  user: label,
  safety_identifier: label,
  prompt_cache_key: label,
  prompt_cache_retention: label,
  service_tier: label,
  truncation: z.enum(['auto', 'disabled']).nullish(),
  /** Of tools that OpenAI runs itself. */
  max_tool_calls: z.int().min(1).nullish(),
  client_metadata: z.record(z.string(), z.unknown()).nullish(),
  stream_options: z.object({ include_obfuscation: maybe(z.boolean()) }).nullish(),
};

const refuse = (message: string) => z.null(message).optional();

/** Documented fields that change what the response means, and that are not served: they may only say "none". */
const refusedFields = {
  previous_response_id: refuse('is not served: no response is stored. Send its items in `input`'),
  conversation: refuse('is not served: no conversation is stored. Send its items in `input`'),
  prompt: refuse('is not served: no prompt is stored. Send `instructions` and `input`'),
  background: z.literal(false, 'is not served: may only be false').nullish(),
  moderation: refuse('is not served'),
};

/**
 * Body of `POST /v1/responses`. What is not known is left out. Sources: OpenAI API reference, responses; the Open
 * Responses specification, `CreateResponseBody`.
 */
export const responsesRequest = z
  .object({ ...servedFields, ...acceptedFields, ...refusedFields })
  .superRefine((request, context) => {
    const mismatch = findChoiceMismatch(request);
    if (mismatch) context.addIssue({ code: 'custom', ...mismatch });
  });

export type ResponsesRequest = z.output<typeof responsesRequest>;

export const RESPONSES_FIELDS: ReadonlySet<string> = new Set(Object.keys(responsesRequest.shape));
