import { asFields, asString } from './answer-parts';
import { complaintOf } from './complaints';
import { UpstreamFailure } from './failure';

/**
 * Decides who is at fault for an error from a server. Servers report it in their own ways: the tests name the
 * vendor of each.
 */

type Fields = Readonly<Record<string, unknown>>;

/** Reads a status other than 200, with its body and the wait that its headers ask for. */
export function failureOfStatus(status: number, body: string, retryAfterMs?: number): UpstreamFailure {
  return failureOfError(status, parsed(body), { body, retryAfterMs });
}

/** Reads an error sent under status 200 in place of a response. */
export function failureOfEvent(error: unknown): UpstreamFailure {
  const status = asFields(error)?.['code'];
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600;
  if (isStatus) return failureOfError(status, error, { body: '', retryAfterMs: undefined });
  return new UpstreamFailure('garbage', { status: 200, cause: new Error('an error under status 200') });
}

interface Told {
  body: string;
  retryAfterMs: number | undefined;
}

function failureOfError(status: number, value: unknown, { body, retryAfterMs }: Told): UpstreamFailure {
  const error = readError(value);
  if (isOfAccount(status, error)) return new UpstreamFailure('misconfigured', { status });
  if (isFiltered(status, error)) return new UpstreamFailure('refused_request', { status, isFiltered: true });
  const wants = complaintOf(status, body);
  if (status === 401 || status === 403 || status === 404)
    return new UpstreamFailure('misconfigured', { status, wants });
  if (status === 429 || isOverRate(status, error))
    return new UpstreamFailure('unavailable', { status, retryAfterMs });
  const isOverContext = status === 413 || saysOverContext(error);
  if (isOverContext || status === 400 || status === 422)
    return new UpstreamFailure('refused_request', { status, param: error.param, isOverContext, wants });
  return new UpstreamFailure('unavailable', { status, retryAfterMs });
}

/** The parts of an error, wherever a server writes them. */
interface ReadError {
  /** Its codes, types and reasons. */
  names: ReadonlySet<unknown>;
  texts: readonly string[];
  param: string | undefined;
  fields: Fields;
}

/** Gemini sends its error in a list, xAI as a plain text, and FastAPI under `detail`. */
function readError(value: unknown): ReadError {
  const whole = asFields(Array.isArray(value) ? value[0] : value) ?? {};
  const error = asFields(whole['error']) ?? whole;
  const details = Array.isArray(error['details']) ? error['details'].map(asFields) : [];
  const inner = asFields(error['innererror']);
  return {
    names: new Set([
      ...[error['code'], error['type'], error['status'], inner?.['code']],
      ...details.map((detail) => detail?.['reason']),
    ]),
    texts: [whole['error'], error['message'], error['detail'], whole['message']].filter(
      (text) => typeof text === 'string',
    ),
    param: asString(error['param']),
    fields: error,
  };
}

const says = ({ texts }: ReadError, words: RegExp): boolean => texts.some((text) => words.test(text));
const isNamed = ({ names }: ReadError, known: ReadonlySet<unknown>): boolean =>
  [...names].some((name) => known.has(name));

/** The operator's key or payment: Gemini, OpenAI. */
const ACCOUNT_NAMES = new Set<unknown>([
  ...['API_KEY_INVALID', 'API_KEY_SERVICE_BLOCKED', 'invalid_api_key', 'account_deactivated'],
  ...['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active', 'insufficient_balance'],
]);

/** Matches only at the beginning: a quote of the request proves nothing. Gemini, xAI, Anthropic, DeepSeek. */
const ACCOUNT_WORDS =
  /^(?:API key (?:not valid|not found|expired)|Incorrect API key|Invalid API key|Your (?:team|account|newly created team)\b.{0,60}\b(?:credits|spending limit|licenses)|Your credit balance is too low|Insufficient Balance|User location is not supported)/i;

function isOfAccount(status: number, error: ReadError): boolean {
  return status === 402 || isNamed(error, ACCOUNT_NAMES) || says(error, ACCOUNT_WORDS);
}

/** OpenAI, Azure, Alibaba. */
const FILTER_NAMES = new Set<unknown>([
  ...['content_filter', 'ResponsibleAIPolicyViolation', 'content_policy_violation', 'moderation_blocked'],
  ...['data_inspection_failed', 'DataInspectionFailed', 'image_content_policy_violation'],
]);

/** xAI, OpenRouter, Anthropic, DeepSeek, OpenAI's Responses. */
const FILTER_WORDS =
  /^Content violates usage guidelines|requires moderation|^Output blocked by content filtering|^Content Exists Risk|flagged as potentially violating|rejected as a result of our safety system/i;

function isFiltered(status: number, error: ReadError): boolean {
  if (status !== 400 && status !== 403 && status !== 422) return false;
  const reasons = asFields(error.fields['metadata'])?.['reasons'];
  return isNamed(error, FILTER_NAMES) || says(error, FILTER_WORDS) || Array.isArray(reasons);
}

/** Groq returns 413 for a single request over the operator's tokens per minute. */
function isOverRate(status: number, error: ReadError): boolean {
  return (
    status === 413 && (error.names.has('rate_limit_exceeded') || says(error, /tokens per (?:minute|day)/i))
  );
}

/** llama.cpp, and servers that follow OpenAI. */
const OVER_CONTEXT_NAMES = new Set<unknown>([
  ...['exceed_context_size_error', 'context_length_exceeded', 'context_window_exceeded'],
  ...['string_above_max_length', 'request_too_large'],
]);

/** Servers without an error code for it. */
const OVER_CONTEXT_WORDS: readonly RegExp[] = [
  // vLLM, SGLang, TGI, Mistral, LM Studio, DeepSeek, OpenAI, Cerebras, MiniMax, Together
  /context (?:length|size|window|limit|overflow)/i,
  // Anthropic, Fireworks, Bedrock
  /prompt is too long|input is too long/i,
  // vLLM, llama.cpp
  /maximum allowed length|must have less than \d+ tokens/i,
  // Mistral
  /prompt contains \d+ tokens/i,
  // xAI
  /maximum prompt length is \d+/i,
  // Gemini
  /input token count\b.{0,40}\bexceeds the maximum/i,
  // Groq
  /reduce the length of the messages/i,
  // Moonshot
  /exceeded model token limit/i,
  // Zhipu
  /prompt exceeds max length/i,
  // Alibaba
  /range of input length should be/i,
  // TGI, Together
  /tokens \+ `?max_new_tokens`? must be <=/i,
  // Cohere
  /too many tokens/i,
];

function saysOverContext(error: ReadError): boolean {
  return isNamed(error, OVER_CONTEXT_NAMES) || OVER_CONTEXT_WORDS.some((words) => says(error, words));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
