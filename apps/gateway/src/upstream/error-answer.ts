import { asFields, asString } from './answer-parts';
import { UpstreamFailure } from './failure';

/** What a status that is not 200 says, with the body that came with it. */
export function failureOfStatus(status: number, body: string): UpstreamFailure {
  return failureOfError(status, parsed(body));
}

/** What an error says that comes where an answer should, under status 200. */
export function failureOfEvent(error: unknown): UpstreamFailure {
  const status = asFields(error)?.['code'];
  const isStatus = typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600;
  if (isStatus) return failureOfError(status, error);
  return new UpstreamFailure('garbage', { status: 200, cause: new Error('an error under status 200') });
}

function failureOfError(status: number, body: unknown): UpstreamFailure {
  if (status === 401 || status === 403 || status === 404)
    return new UpstreamFailure('misconfigured', { status });
  if (status === 429) return new UpstreamFailure('unavailable', { status });
  const fields = asFields(body);
  const error = asFields(fields?.['error']) ?? fields;
  const isOverContext = status === 413 || saysOverContext(error, fields?.['error']);
  if (isOverContext || status === 400 || status === 422)
    return new UpstreamFailure('refused_request', {
      status,
      param: asString(error?.['param']),
      isOverContext,
    });
  return new UpstreamFailure('unavailable', { status });
}

/** llama.cpp, and those who follow OpenAI. */
const OVER_CONTEXT_CODES = new Set<unknown>(['exceed_context_size_error', 'context_length_exceeded']);

/** vLLM, SGLang, TGI, Mistral, Anthropic, LM Studio: none of them has a code for it. */
const OVER_CONTEXT_WORDS =
  /context (?:length|size|window)|prompt is too long|maximum allowed length|must have less than \d+ tokens|prompt contains \d+ tokens/i;

function saysOverContext(error: Record<string, unknown> | undefined, only: unknown): boolean {
  if (OVER_CONTEXT_CODES.has(error?.['type']) || OVER_CONTEXT_CODES.has(error?.['code'])) return true;
  const said = [only, error?.['message'], error?.['detail']];
  return said.some((text) => typeof text === 'string' && OVER_CONTEXT_WORDS.test(text));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
