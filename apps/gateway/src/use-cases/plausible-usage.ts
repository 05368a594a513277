import type { ReportedUsage, UsageReport } from '../upstream/answer-parts';

/** What bounds the usage of a completion, whatever an upstream says of it. */
export interface UsageBounds {
  contextWindow: number;
  /** Of all choices together. */
  maxOutputTokens: number;
  /** Characters of output that the answer has. */
  outputLength: number;
}

/** No token of a known tokenizer is longer: a run of spaces. */
export const LONGEST_TOKEN_BYTES = 128;

/**
 * The reported usage, if it can be true. A prompt is at least one token and fits into the context window; output is
 * no more than was asked for, and enough tokens for its text. What cannot be true is not believed in part either: the
 * service counts for itself.
 */
export function plausibleUsage(
  report: UsageReport | undefined,
  { contextWindow, maxOutputTokens, outputLength }: UsageBounds,
): ReportedUsage | undefined {
  if (report === undefined || report === 'unreadable') return undefined;
  const { promptTokens, completionTokens } = report;
  const isPlausible =
    promptTokens >= 1 &&
    promptTokens <= contextWindow &&
    completionTokens <= maxOutputTokens &&
    completionTokens * LONGEST_TOKEN_BYTES >= outputLength;
  return isPlausible ? report : undefined;
}
