import { LONGEST_TOKEN_BYTES, type TokenUsage } from '@farebox/catalog';
import type { CountTexts } from '../../tokens/prompt-counts';
import type { ReadUsage, UsageReport } from './report';

/** The bounds of a completion's usage, whatever an upstream says of it. */
interface UsageBounds {
  contextWindow: number;
  /** Of all choices together. */
  maxOutputTokens: number;
  /** Characters of output that the response has. */
  outputLength: number;
  /** Whether what was sent can be so few tokens. */
  canBePrompt: (tokens: number) => boolean;
  /** If not, cached tokens are tokens like any others, and cost as much. */
  showsCache: boolean;
}

/**
 * The reported usage, if it can be true. A prompt has enough tokens for what was surely read of it and fits into the context
 * window; output is no more than was asked for, and enough tokens for its text. What cannot be true is not believed in part
 * either: the service counts for itself.
 */
export function plausibleUsage(
  report: UsageReport | undefined,
  { contextWindow, maxOutputTokens, outputLength, canBePrompt, showsCache }: UsageBounds,
): ReadUsage | undefined {
  if (report === undefined || report === 'unreadable') return undefined;
  const { promptTokens, completionTokens } = report;
  const isPlausible =
    promptTokens >= 1 &&
    promptTokens <= contextWindow &&
    completionTokens <= maxOutputTokens &&
    completionTokens * LONGEST_TOKEN_BYTES >= outputLength &&
    canBePrompt(promptTokens);
  if (!isPlausible) return undefined;
  return showsCache ? report : { ...report, cachedTokens: undefined, cacheWriteTokens: undefined };
}

/** Whether an operator is to look at a report: it was not believed, or contradicts itself. */
export function isDoubtful(report: UsageReport | undefined, believed: ReadUsage | undefined): boolean {
  return report !== undefined && (believed === undefined || believed.contradicts === true);
}

/** By how much several choices together are longer than the longest of them, if it is to be told from a miscount. */
const CLEARLY_MORE = 1.25;

/**
 * Whether a report is of one choice, though several were written: there are servers that count only the last, or the
 * first. `texts`: that of each choice. What cannot be counted now is not believed.
 */
export async function isOfOneChoice(
  { completionTokens }: TokenUsage,
  texts: readonly string[],
  count: CountTexts,
): Promise<boolean> {
  if (texts.length < 2) return false;
  try {
    const tokens = await Promise.all(texts.map((text) => count([text])));
    const longest = Math.max(...tokens);
    const all = tokens.reduce((sum, one) => sum + one, 0);
    return completionTokens <= longest && all >= CLEARLY_MORE * longest;
  } catch {
    return true;
  }
}
