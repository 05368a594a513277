import { LONGEST_TOKEN_BYTES, type TokenUsage } from '@farebox/catalog';
import type { CountTexts } from '../../tokens/prompt-counts';
import type { ReadUsage, UsageReport } from './report';

/** The bounds of a completion's usage, whatever an upstream reports. */
interface UsageBounds {
  contextWindow: number;
  /** Over all choices. */
  maxOutputTokens: number;
  /** Characters of output in the response. */
  outputLength: number;
  /** Whether the sent prompt can have this few tokens. */
  canBePrompt: (tokens: number) => boolean;
  /** If false, cached tokens count and cost as plain tokens. */
  showsCache: boolean;
}

/**
 * Returns the reported usage if it can be true. The prompt must have enough tokens for the texts that were
 * surely read, and fit into the context window. The output must not exceed the requested limit, and must have
 * enough tokens for its text. An implausible report is rejected as a whole: the service counts for itself.
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

/** Whether an operator must look at a report: it was not believed, or contradicts itself. */
export function isDoubtful(report: UsageReport | undefined, believed: ReadUsage | undefined): boolean {
  return report !== undefined && (believed === undefined || believed.contradicts === true);
}

/** How much longer all choices must be than the longest one, to rule out a miscount. */
const CLEARLY_MORE = 1.25;

/**
 * Whether a report covers one choice, though several were written: some servers count only the last or the
 * first. `texts`: the text of each choice. A report that cannot be checked now is not believed.
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
