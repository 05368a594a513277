import type { FinishReason, Logprobs } from '@farebox/contracts';

/**
 * What is let through of an upstream's answer. Everything here takes the parts that are known and of the right kind,
 * and nothing else: no id, name, fingerprint or text of the upstream's own passes.
 */

type Fields = Record<string, unknown>;

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asIndex(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  function_call: 'tool_calls',
};

/** A reason that is not of the API (some servers have more) reads as `stop`; none at all is no finish. */
export function asFinishReason(value: unknown): FinishReason | undefined {
  return typeof value === 'string' ? (FINISH_REASONS[value] ?? 'stop') : undefined;
}

export interface ReportedUsage {
  promptTokens: number;
  completionTokens: number;
}

export function asUsage(value: unknown): ReportedUsage | undefined {
  const fields = asFields(value);
  const promptTokens = asIndex(fields?.['prompt_tokens']);
  const completionTokens = asIndex(fields?.['completion_tokens']);
  return promptTokens === undefined || completionTokens === undefined
    ? undefined
    : { promptTokens, completionTokens };
}

type TokenLogprobs = NonNullable<Logprobs['content']>;

export function asLogprobs(value: unknown): Logprobs | null {
  const fields = asFields(value);
  if (!fields) return null;
  return { content: asTokenLogprobs(fields['content']), refusal: asTokenLogprobs(fields['refusal']) };
}

function asTokenLogprobs(value: unknown): TokenLogprobs | null {
  if (!Array.isArray(value)) return null;
  return value.map((entry) => {
    const top: unknown = asFields(entry)?.['top_logprobs'];
    return { ...asTokenLogprob(entry), top_logprobs: Array.isArray(top) ? top.map(asTokenLogprob) : [] };
  });
}

function asTokenLogprob(value: unknown): { token: string; logprob: number; bytes: number[] | null } {
  const fields = asFields(value);
  const bytes: unknown = fields?.['bytes'];
  const logprob = fields?.['logprob'];
  return {
    token: asString(fields?.['token']) ?? '',
    logprob: typeof logprob === 'number' ? logprob : 0,
    bytes: Array.isArray(bytes) ? bytes.filter((byte) => asIndex(byte) !== undefined) : null,
  };
}
