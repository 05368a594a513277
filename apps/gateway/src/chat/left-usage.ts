import type { TokenUsage } from '@farebox/catalog';
import { abandon } from '../paid/end-hold';
import type { Completion } from './completion';

/** Faster than most servers write: the estimate is rather too high than too low. */
const TOKENS_PER_SECOND = 250;

/**
 * Ends the hold of a completion of which nothing was delivered. Its prompt is as the upstream has reported or this service
 * counts it, its output as much as was reported or may have been written since, seen or not.
 */
export function abandonCompletion(completion: Completion, reported?: TokenUsage): Promise<void> {
  return abandon(completion.hold, async (askedForMs) =>
    mostWorked(completion.plan, reported ?? (await completion.countUsage([])), askedForMs),
  );
}

/** `known` usage, with as much output as an upstream that was asked so long ago may have written. */
export function mostWorked(
  { maxOutputTokens, choices }: Completion['plan'],
  known: TokenUsage,
  askedForMs: number,
): TokenUsage {
  const written = Math.min(maxOutputTokens * choices, Math.ceil((askedForMs / 1_000) * TOKENS_PER_SECOND));
  return { ...known, completionTokens: Math.max(known.completionTokens, written) };
}

/** Usage of a stream that its upstream broke off: what was counted of the delivered text, and never more than the report. */
export function usageOfBroken(reported: TokenUsage, countedTokens: number): TokenUsage {
  const completionTokens = Math.min(countedTokens, reported.completionTokens);
  const { reasoningTokens } = reported;
  if (reasoningTokens === undefined) return { ...reported, completionTokens };
  return { ...reported, completionTokens, reasoningTokens: Math.min(reasoningTokens, completionTokens) };
}

/**
 * Usage of a stream that was left: what the upstream reports of all that it wrote, in proportion to the share of its text
 * that was delivered, so that reasoning which nobody sees is paid for like the words that it led to. It is never less than
 * what was counted of the delivered text, and never more than the report.
 */
export function usageOfShare(reported: TokenUsage, share: number, countedTokens: number): TokenUsage {
  const { completionTokens: all, reasoningTokens } = reported;
  const completionTokens = Math.min(all, Math.max(countedTokens, Math.ceil(all * share)));
  if (reasoningTokens === undefined) return { ...reported, completionTokens };
  return { ...reported, completionTokens, reasoningTokens: Math.ceil(reasoningTokens * share) };
}
