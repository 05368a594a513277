import { byTokenColumnOf } from '@farebox/money';
import { z } from 'zod';

const tokens = z.int().min(0);

/** Tokens and their cost. `cost` is in US dollars with nine decimal places. */
const completionUsage = z.strictObject({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  total_tokens: tokens,
  prompt_tokens_details: z
    .strictObject(byTokenColumnOf('prompt', () => tokens))
    .optional()
    .describe('Of the prompt tokens. Zeros if the upstream did not tell.'),
  completion_tokens_details: z
    .strictObject(byTokenColumnOf('completion', () => tokens))
    .optional()
    .describe('Of the completion tokens. Zero if the upstream did not tell.'),
  cost: z.string().regex(/^\d+\.\d{9}$/),
});

const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter']);

const logprobEntry = z.strictObject({
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.int()).nullable(),
});

const logprobs = z.strictObject({
  content: z.array(logprobEntry.extend({ top_logprobs: z.array(logprobEntry) })).nullable(),
  refusal: z.array(logprobEntry.extend({ top_logprobs: z.array(logprobEntry) })).nullable(),
});

/** The model's server requires it back with the call. Google's name for it. */
const extraContent = z.strictObject({ google: z.strictObject({ thought_signature: z.string() }) }).optional();

const toolCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  extra_content: extraContent,
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

/**
 * Opaque data that a model requires back with its reasoning: a signature of the text, or the text itself, encrypted.
 * In a stream, the signature follows its text. OpenRouter's name for it.
 */
const reasoningDetail = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('reasoning.text'), text: z.string().optional(), signature: z.string() }),
  z.strictObject({ type: z.literal('reasoning.encrypted'), data: z.string() }),
]);

/** The page that a text cites, and where: the characters from `start_index` up to `end_index`. */
const urlCitation = z.strictObject({
  type: z.literal('url_citation'),
  url_citation: z.strictObject({
    start_index: z.int().min(0),
    end_index: z.int().min(0),
    url: z.string(),
    title: z.string(),
  }),
});

const annotations = z.array(urlCitation).optional();

/** The stop sequence that ended the text, if the model's server reports it. */
const stopSequence = z.string().optional();

const answeredMessage = z.strictObject({
  role: z.literal('assistant'),
  content: z.string().nullable(),
  refusal: z.string().nullable(),
  reasoning_content: z.string().optional(),
  reasoning_details: z.array(reasoningDetail).optional(),
  tool_calls: z.array(toolCall).optional(),
  annotations,
});

/** A whole completion, as a model's server sends it. */
export const chatCompletion = z.strictObject({
  id: z.string().startsWith('chatcmpl-'),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int().min(0),
      message: answeredMessage,
      logprobs: logprobs.nullable(),
      finish_reason: finishReason,
      stop_sequence: stopSequence,
    }),
  ),
  usage: completionUsage,
});

const delta = z.strictObject({
  role: z.literal('assistant').optional(),
  content: z.string().nullable().optional(),
  refusal: z.string().nullable().optional(),
  reasoning_content: z.string().optional(),
  reasoning_details: z.array(reasoningDetail).optional(),
  tool_calls: z
    .array(
      z.strictObject({
        index: z.int().min(0),
        id: z.string().optional(),
        type: z.literal('function').optional(),
        extra_content: extraContent,
        function: z
          .strictObject({ name: z.string().optional(), arguments: z.string().optional() })
          .optional(),
      }),
    )
    .optional(),
  annotations,
});

/** One event of a stream, as a model's server sends it. */
export const chatCompletionChunk = z.strictObject({
  id: z.string().startsWith('chatcmpl-'),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int().min(0),
      delta,
      logprobs: logprobs.nullable().optional(),
      finish_reason: finishReason.nullable(),
      stop_sequence: stopSequence,
    }),
  ),
  usage: completionUsage.nullable().optional(),
});

/** A call of a tool whose input is a text. */
const customToolCall = z.strictObject({
  id: z.string(),
  type: z.literal('custom'),
  custom: z.strictObject({ name: z.string(), input: z.string() }),
});

const [wholeChoice, pieceOfChoice] = [
  chatCompletion.shape.choices.element,
  chatCompletionChunk.shape.choices.element,
];

/** Whole response of `POST /v1/chat/completions`. */
export const toldChatCompletion = chatCompletion.extend({
  choices: z.array(
    wholeChoice.extend({
      message: answeredMessage.extend({
        tool_calls: z.array(z.discriminatedUnion('type', [toolCall, customToolCall])).optional(),
      }),
    }),
  ),
});

const toolCallPiece = pieceOfChoice.shape.delta.shape.tool_calls.unwrap().element;

/** One event of a streamed response. The last one before `[DONE]` has the usage, if it was requested. */
export const toldChatCompletionChunk = chatCompletionChunk.extend({
  choices: z.array(
    pieceOfChoice.extend({
      delta: delta.extend({
        tool_calls: z
          .array(
            toolCallPiece.extend({
              type: z.enum(['function', 'custom']).optional(),
              custom: z
                .strictObject({ name: z.string().optional(), input: z.string().optional() })
                .optional()
                .describe('Of a custom tool. Its input comes in one piece, at the end.'),
            }),
          )
          .optional(),
      }),
    }),
  ),
});

export type ChatCompletion = z.output<typeof chatCompletion>;
export type ChatCompletionChunk = z.output<typeof chatCompletionChunk>;
export type CompletionUsage = z.output<typeof completionUsage>;
export type FinishReason = z.output<typeof finishReason>;
export type Logprobs = z.output<typeof logprobs>;
export type ReasoningDetail = z.output<typeof reasoningDetail>;
export type UrlCitation = z.output<typeof urlCitation>;
export type ToolCall = z.output<typeof toolCall>;
