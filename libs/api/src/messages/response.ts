import { type ApiError, type ContextOverflow, ERROR_CODES, type ErrorCode } from '@farebox/errors';
import { z } from 'zod';
import { modelTerms } from '../models/schema';

const tokens = z.int().min(0);

/** Tokens and their cost. `input_tokens` were neither read from a cache nor written into one. */
const messageUsage = z.strictObject({
  input_tokens: tokens,
  cache_creation_input_tokens: tokens,
  cache_read_input_tokens: tokens,
  output_tokens: tokens,
  output_tokens_details: z.strictObject({ thinking_tokens: tokens }).optional(),
  cost: z
    .string()
    .regex(/^\d+\.\d{9}$/)
    .optional()
    .describe('In US dollars. Not known while a stream begins.'),
});

/**
 * A page that a text cites. Its content is unknown and nothing is encrypted: these fields are there for the clients.
 */
const webCitation = z.strictObject({
  type: z.literal('web_search_result_location'),
  url: z.string(),
  title: z.string().nullable(),
  cited_text: z.literal(''),
  encrypted_index: z.literal(''),
});

const contentBlock = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('text'),
    text: z.string(),
    citations: z.array(webCitation).optional(),
  }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
]);

const stopReason = z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal']);

/** Whole response of `POST /v1/messages`. */
export const createdMessage = z.strictObject({
  id: z.string().startsWith('msg_'),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(contentBlock),
  stop_reason: stopReason.nullable(),
  stop_sequence: z.string().nullable(),
  usage: messageUsage,
});

/** Error types that Anthropic's clients know. */
const messagesErrorType = z.enum([
  'invalid_request_error',
  'authentication_error',
  'billing_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'timeout_error',
  'api_error',
  'overloaded_error',
]);

/** Body of an error, and the event `error` of a stream. */
export const messagesError = z.strictObject({
  type: z.literal('error'),
  error: z.strictObject({
    type: messagesErrorType,
    message: z.string(),
    code: z
      .enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]])
      .describe('The code of the service, as on every wire.'),
    param: z.string().nullable(),
  }),
  request_id: z.string().optional(),
});

const blockIndex = { index: z.int().min(0) };

/** One event of a streamed message. */
export const messageEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('message_start'), message: createdMessage }),
  z.strictObject({ type: z.literal('content_block_start'), ...blockIndex, content_block: contentBlock }),
  z.strictObject({
    type: z.literal('content_block_delta'),
    ...blockIndex,
    delta: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text_delta'), text: z.string() }),
      z.strictObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
      z.strictObject({ type: z.literal('signature_delta'), signature: z.string() }),
      z.strictObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
      z.strictObject({ type: z.literal('citations_delta'), citation: webCitation }),
    ]),
  }),
  z.strictObject({ type: z.literal('content_block_stop'), ...blockIndex }),
  z.strictObject({
    type: z.literal('message_delta'),
    delta: z.strictObject({ stop_reason: stopReason, stop_sequence: z.string().nullable() }),
    usage: messageUsage,
  }),
  z.strictObject({ type: z.literal('message_stop') }),
  z.strictObject({ type: z.literal('ping') }),
  messagesError,
]);

/** Response of `POST /v1/messages/count_tokens`. */
export const tokenCount = z.strictObject({ input_tokens: tokens });

/** A model of the list, as Anthropic's clients read it, with prices and limits in addition. */
export const modelInfo = z.strictObject({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: z.iso.datetime(),
  max_input_tokens: z.int(),
  max_tokens: z.int(),
  ...modelTerms,
});

/** Their response of `GET /v1/models`. */
export const modelInfoPage = z.strictObject({
  data: z.array(modelInfo),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

export type ModelInfo = z.output<typeof modelInfo>;
export type ModelInfoPage = z.output<typeof modelInfoPage>;
export type WebCitation = z.output<typeof webCitation>;
export type CreatedMessage = z.output<typeof createdMessage>;
export type MessageBlock = z.output<typeof contentBlock>;
export type MessageEvent = z.output<typeof messageEvent>;
export type MessageUsage = z.output<typeof messageUsage>;
export type MessagesError = z.output<typeof messagesError>;
export type MessagesErrorType = z.output<typeof messagesErrorType>;
export type StopReason = z.output<typeof stopReason>;

/** The closed set of codes, as types that Anthropic's clients know. */
const TYPE_OF_CODE: Readonly<Record<ErrorCode, MessagesErrorType>> = {
  invalid_request_error: 'invalid_request_error',
  authentication_error: 'authentication_error',
  invalid_api_key: 'authentication_error',
  expired_api_key: 'authentication_error',
  insufficient_funds: 'billing_error',
  beta_access_required: 'permission_error',
  model_not_allowed: 'permission_error',
  model_not_found: 'not_found_error',
  api_key_not_found: 'not_found_error',
  idempotency_conflict: 'invalid_request_error',
  idempotency_in_progress: 'invalid_request_error',
  api_key_revoked: 'invalid_request_error',
  request_too_large: 'request_too_large',
  rate_limit_error: 'rate_limit_error',
  spending_limit_exceeded: 'rate_limit_error',
  internal_error: 'api_error',
  billing_error: 'billing_error',
  service_unavailable: 'overloaded_error',
  upstream_timeout: 'timeout_error',
};

/** An error in Anthropic's envelope. The service's own `code` and `param` are additional. */
export function toMessagesError(error: ApiError, requestId?: string): MessagesError {
  const { code, param, overflow } = error;
  const message = overflow ? toOverflow(overflow) : error.publicMessage;
  return {
    type: 'error',
    error: { type: TYPE_OF_CODE[code], message, code, param },
    ...(requestId !== undefined && { request_id: requestId }),
  };
}

/** Anthropic's own text, which agents look for: Claude Code reads the numbers as well. */
function toOverflow({ promptTokens, contextWindow }: ContextOverflow): string {
  return promptTokens === undefined || contextWindow === undefined
    ? 'prompt is too long: it exceeds the context window of this model, alone or with max_tokens'
    : `prompt is too long: ${String(promptTokens)} tokens > ${String(contextWindow)} maximum`;
}
