import type { TokenUsage } from '@farebox/catalog';
import { abandon } from '../paid/end-hold';
import type { Completion } from './completion';

/** Faster than most servers write, so the estimate is more likely too high than too low. */
const TOKENS_PER_SECOND = 250;

/**
 * Ends the hold of a completion that delivered nothing. Its prompt is taken from the upstream's report or this
 * service's count, its output from the report or from an estimate of what was written since, seen or not.
 */
export function abandonCompletion(completion: Completion, reported?: TokenUsage): Promise<void> {
  return abandon(completion.hold, async (askedForMs) =>
    mostWorked(completion.plan, reported ?? (await completion.countUsage([])), askedForMs),
  );
}

/** `known` usage, with an estimate of the output that the upstream may have written since it was asked. */
export function mostWorked(
  { maxOutputTokens, choices }: Completion['plan'],
  known: TokenUsage,
  askedForMs: number,
): TokenUsage {
  const written = Math.min(maxOutputTokens * choices, Math.ceil((askedForMs / 1_000) * TOKENS_PER_SECOND));
  return { ...known, completionTokens: Math.max(known.completionTokens, written) };
}

/** Usage of a stream that its upstream broke off: the count of the delivered text, at most the report. */
export function usageOfBroken(reported: TokenUsage, countedTokens: number): TokenUsage {
  const completionTokens = Math.min(countedTokens, reported.completionTokens);
  const { reasoningTokens } = reported;
  if (reasoningTokens === undefined) return { ...reported, completionTokens };
  return { ...reported, completionTokens, reasoningTokens: Math.min(reasoningTokens, completionTokens) };
}

/**
 * Usage of a stream that its customer left: the upstream's report of its whole output, in proportion to the delivered
 * share of the text. Reasoning that nobody sees is so paid for like the words that it led to. The result is at least
 * the count of the delivered text, and at most the report.
 */
export function usageOfShare(reported: TokenUsage, share: number, countedTokens: number): TokenUsage {
  const { completionTokens: all, reasoningTokens } = reported;
  const completionTokens = Math.min(all, Math.max(countedTokens, Math.ceil(all * share)));
  if (reasoningTokens === undefined) return { ...reported, completionTokens };
  return { ...reported, completionTokens, reasoningTokens: Math.ceil(reasoningTokens * share) };
}
