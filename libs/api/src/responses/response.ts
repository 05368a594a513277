import { byTokenColumnOf } from '@farebox/money';
import { z } from 'zod';
import { messagePhase } from '../chat/messages';
import { responsesTools, responsesToolChoice } from './tools';

const tokens = z.int().min(0);

/** Tokens and their cost. `cost` is in US dollars with nine decimal places. */
const usage = z.strictObject({
  input_tokens: tokens,
  input_tokens_details: z.strictObject(byTokenColumnOf('prompt', () => tokens)),
  output_tokens: tokens,
  output_tokens_details: z.strictObject(byTokenColumnOf('completion', () => tokens)),
  total_tokens: tokens,
  cost: z.string().regex(/^\d+\.\d{9}$/),
});

const tokenLogprob = z.strictObject({
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.int()),
});

const logprobs = z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) }));

/** The page that a text cites, and where. */
const urlCitation = z.strictObject({
  type: z.literal('url_citation'),
  start_index: z.int().min(0),
  end_index: z.int().min(0),
  url: z.string(),
  title: z.string(),
});

const outputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(urlCitation),
  logprobs,
});

const refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });
const reasoningText = z.strictObject({ type: z.literal('reasoning_text'), text: z.string() });
const summaryText = z.strictObject({ type: z.literal('summary_text'), text: z.string() });

const status = z.enum(['in_progress', 'completed', 'incomplete']);

const outputItem = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    id: z.string().startsWith('msg_'),
    status,
    role: z.literal('assistant'),
    /** If the model's server told it. It is to be sent back with the message. */
    phase: messagePhase.exactOptional(),
    content: z.array(z.discriminatedUnion('type', [outputText, refusal])),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: z.string().startsWith('fc_'),
    status,
    call_id: z.string(),
    /** The tool's, if it has one. */
    namespace: z.string().exactOptional(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.strictObject({
    type: z.literal('custom_tool_call'),
    id: z.string().startsWith('ctc_'),
    status,
    call_id: z.string(),
    /** The tool's, if it has one. */
    namespace: z.string().exactOptional(),
    name: z.string(),
    input: z.string(),
  }),
  z.strictObject({
    type: z.literal('local_shell_call'),
    id: z.string().startsWith('lsh_'),
    status,
    call_id: z.string(),
    action: z.strictObject({
      type: z.literal('exec'),
      command: z.array(z.string()),
      env: z.record(z.string(), z.string()),
      timeout_ms: z.number().exactOptional(),
      user: z.string().exactOptional(),
      working_directory: z.string().exactOptional(),
    }),
  }),
  z.strictObject({
    type: z.literal('shell_call'),
    id: z.string().startsWith('sh_'),
    status,
    call_id: z.string(),
    action: z.strictObject({
      commands: z.array(z.string()),
      timeout_ms: z.number().nullable(),
      max_output_length: z.number().nullable(),
    }),
    /** The client's. */
    environment: z.null(),
  }),
  z.strictObject({
    type: z.literal('apply_patch_call'),
    id: z.string().startsWith('apc_'),
    status: z.enum(['in_progress', 'completed']),
    call_id: z.string(),
    operation: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('create_file'), path: z.string(), diff: z.string() }),
      z.strictObject({ type: z.literal('update_file'), path: z.string(), diff: z.string() }),
      z.strictObject({ type: z.literal('delete_file'), path: z.string() }),
    ]),
  }),
  z.strictObject({
    type: z.literal('tool_search_call'),
    id: z.string().startsWith('tsc_'),
    status,
    execution: z.literal('client'),
    call_id: z.string(),
    arguments: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().startsWith('rs_'),
    status,
    /** If a summary was requested, the reasons are there; otherwise in `content`. */
    summary: z.array(summaryText),
    content: z.array(reasoningText),
    /** If requested: data that the model's server, or this service, requires back in place of the reasons. */
    encrypted_content: z.string().exactOptional(),
  }),
  z.strictObject({
    type: z.literal('compaction'),
    id: z.string().startsWith('cmp_'),
    /** For the client to send back unchanged, in place of the earlier conversation. */
    encrypted_content: z.string(),
  }),
]);

/** Whole response of `POST /v1/responses`, and its state so far in the events of a stream. */
export const responsesResponse = z.strictObject({
  id: z.string().startsWith('resp_'),
  object: z.literal('response'),
  created_at: z.int(),
  /** Unknown: a repetition of a request has the same value as the first one. */
  completed_at: z.null(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.strictObject({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
  model: z.string(),
  output: z.array(outputItem),
  usage: usage.nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  metadata: z.record(z.string(), z.string()),
  parallel_tool_calls: z.boolean(),
  temperature: z.number(),
  top_p: z.number(),
  frequency_penalty: z.number(),
  presence_penalty: z.number(),
  top_logprobs: z.int(),
  reasoning: z.strictObject({ effort: z.string().nullable(), summary: z.string().nullable() }),
  text: z.strictObject({
    format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }),
    verbosity: z.enum(['low', 'medium', 'high']),
  }),
  tools: responsesTools,
  tool_choice: responsesToolChoice,
  truncation: z.literal('disabled'),
  previous_response_id: z.null(),
  background: z.literal(false),
  /** Whatever was requested: nothing is stored. */
  store: z.literal(false),
  service_tier: z.literal('default'),
  user: z.string().optional(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});

export type ResponsesResponse = z.output<typeof responsesResponse>;
/** Response of `POST /v1/responses/compact`. */
export const responsesCompaction = z.strictObject({
  id: z.string().startsWith('resp_'),
  object: z.literal('response.compaction'),
  created_at: z.int(),
  output: z.array(outputItem),
  usage,
});

export type ResponsesOutputItem = z.output<typeof outputItem>;
export type ResponsesLogprobs = z.output<typeof logprobs>;
export type ResponsesCitation = z.output<typeof urlCitation>;
export type ResponsesUsage = z.output<typeof usage>;

const sequence = { sequence_number: z.int().min(0) };
const ofItem = { ...sequence, item_id: z.string(), output_index: z.int().min(0) };
const ofPart = { ...ofItem, content_index: z.int().min(0) };
const ofSummary = { ...ofItem, summary_index: z.int().min(0) };

const named = <const Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), ...fields });

const snapshot = { ...sequence, response: responsesResponse };
const withItem = { ...sequence, output_index: z.int().min(0), item: outputItem };
const part = z.discriminatedUnion('type', [outputText, refusal, reasoningText]);

/** One event of a streamed response. Sources: OpenAI API reference, responses streaming; Open Responses, `events`. */
export const responsesEvent = z.discriminatedUnion('type', [
  named('response.created', snapshot),
  named('response.in_progress', snapshot),
  named('response.completed', snapshot),
  named('response.incomplete', snapshot),
  named('response.failed', snapshot),
  named('response.output_item.added', withItem),
  named('response.output_item.done', withItem),
  named('response.content_part.added', { ...ofPart, part }),
  named('response.content_part.done', { ...ofPart, part }),
  named('response.output_text.delta', { ...ofPart, delta: z.string(), logprobs }),
  named('response.output_text.done', { ...ofPart, text: z.string(), logprobs }),
  named('response.output_text.annotation.added', {
    ...ofPart,
    annotation_index: z.int().min(0),
    annotation: urlCitation,
  }),
  named('response.refusal.delta', { ...ofPart, delta: z.string() }),
  named('response.refusal.done', { ...ofPart, refusal: z.string() }),
  named('response.reasoning_text.delta', { ...ofPart, delta: z.string() }),
  named('response.reasoning_text.done', { ...ofPart, text: z.string() }),
  named('response.reasoning_summary_part.added', { ...ofSummary, part: summaryText }),
  named('response.reasoning_summary_part.done', { ...ofSummary, part: summaryText }),
  named('response.reasoning_summary_text.delta', { ...ofSummary, delta: z.string() }),
  named('response.reasoning_summary_text.done', { ...ofSummary, text: z.string() }),
  named('response.function_call_arguments.delta', { ...ofItem, delta: z.string() }),
  named('response.function_call_arguments.done', { ...ofItem, name: z.string(), arguments: z.string() }),
  named('response.custom_tool_call_input.delta', { ...ofItem, delta: z.string() }),
  named('response.custom_tool_call_input.done', { ...ofItem, input: z.string() }),
  named('error', {
    ...sequence,
    code: z.string(),
    message: z.string(),
    param: z.string().nullable(),
    /** The same again, for clients who look for it there. */
    error: z.strictObject({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string(),
    }),
  }),
]);

export type ResponsesEvent = z.output<typeof responsesEvent>;
