import type { TokenUsage } from '@farebox/catalog';
import type { Completion } from './completion';
import type { Hold } from './hold';

/** Faster than most servers write: the estimate is rather too high than too low. */
const TOKENS_PER_SECOND = 250;

/** Ends the hold of a request whose customer has left before anything of its response was written. */
export async function abandon(
  hold: Hold,
  estimate: (askedForMs: number) => Promise<TokenUsage>,
): Promise<void> {
  const askedForMs = hold.askedForMs();
  if (askedForMs === undefined) await hold.release();
  else await hold.abandon(await estimate(askedForMs));
}

/**
 * Estimates what a completion has used upstream of which nothing was delivered: its prompt, as the upstream has reported or
 * this service counts it, and as much output as it has reported or may have written since, seen or not.
 */
export function abandonCompletion(
  { hold, plan, countUsage }: Completion,
  reported?: TokenUsage,
): Promise<void> {
  return abandon(hold, async (askedForMs) => {
    const written = mostWritten(plan, askedForMs);
    if (reported) return { ...reported, completionTokens: Math.max(reported.completionTokens, written) };
    const { promptTokens } = await countUsage([]);
    return { promptTokens, completionTokens: written };
  });
}

/** The most that a stream can have used whose upstream has not said: `known`, with the output that there may be by now. */
export function mostWorked({ hold, plan }: Completion, known: TokenUsage): TokenUsage {
  const written = mostWritten(plan, hold.askedForMs() ?? 0);
  return { ...known, completionTokens: Math.max(known.completionTokens, written) };
}

function mostWritten({ maxOutputTokens, choices }: Completion['plan'], askedForMs: number): number {
  return Math.min(maxOutputTokens * choices, Math.ceil((askedForMs / 1_000) * TOKENS_PER_SECOND));
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
