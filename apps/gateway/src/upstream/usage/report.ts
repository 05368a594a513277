import type { TokenUsage } from '@farebox/catalog';
import { isPositive, MOST_TOKENS, type PlaceOfUsage, type SaidCounts } from './counts';

/** A server's report of a response's usage. */
export interface ReadUsage extends TokenUsage {
  /** Numbers that decide the price contradict each other: an operator must look at it. */
  contradicts?: true;
}

/** `unreadable`: not a count, or more than the books can store. */
export type UsageReport = ReadUsage | 'unreadable';

type Counts = SaidCounts['counts'];

/**
 * Converts counts to the form of chat: the prompt with cache reads and writes, the completion with its
 * thoughts. Undefined if both are missing. A kind larger than the whole it belongs to counts as plain tokens.
 */
export function toReport(said: SaidCounts, { isCacheBeside }: PlaceOfUsage): UsageReport | undefined {
  const { counts } = said;
  const { prompt, completion } = counts;
  if (prompt === undefined && completion === undefined) return undefined;
  if (prompt === 'unreadable' || completion === 'unreadable') return 'unreadable';
  const total = countOf(counts.total);
  if (total === 0 && (prompt === undefined || completion === undefined)) return 'unreadable';

  const input = toInput(counts, isCacheBeside);
  const usage: ReadUsage = { ...input, ...toOutput(said, total - input.promptTokens) };
  if (Math.max(usage.promptTokens, usage.completionTokens) > MOST_TOKENS) return 'unreadable';
  if (said.contradicts || contradict(counts, usage)) usage.contradicts = true;
  return usage;
}

/** The usage of embeddings, which have no output. */
export function toInputReport({ counts, contradicts }: SaidCounts): UsageReport | undefined {
  const { prompt, total } = counts;
  if (prompt === undefined && total === undefined) return undefined;
  const promptTokens = prompt === undefined || prompt === 0 ? (total ?? prompt) : prompt;
  if (promptTokens === undefined || promptTokens === 'unreadable') return 'unreadable';
  return { promptTokens, completionTokens: 0, ...(contradicts && { contradicts: true }) };
}

type Input = Pick<TokenUsage, 'promptTokens' | 'cachedTokens' | 'cacheWriteTokens'>;

function toInput(counts: Counts, isCacheBeside: boolean): Input {
  const { cached, written } = counts;
  const [parts, completion, total] = [
    countOf(cached) + countOf(written),
    countOf(counts.completion),
    countOf(counts.total),
  ];
  const isUntold = countOf(counts.prompt) === 0 && !isCacheBeside && completion > 0;
  const said = isUntold ? Math.max(0, total - completion) : countOf(counts.prompt);
  // Some gateways count Claude's prompt as Anthropic does, but use the names of chat.
  const isInTotal = total === said + parts + completion && parts !== countOf(counts.reasoning);
  const isBeside = isCacheBeside || parts > said || isInTotal;
  const input: Input = { promptTokens: said + (isBeside ? parts : 0) };
  if (typeof cached === 'number' || isCacheBeside) input.cachedTokens = countOf(cached);
  if (typeof written === 'number' || isCacheBeside) input.cacheWriteTokens = countOf(written);
  return input;
}

type Output = Pick<TokenUsage, 'completionTokens' | 'reasoningTokens'>;

/** `rest`: the total without the prompt. Tokens that only the total has are thoughts. */
function toOutput({ counts, areThoughtsApart }: SaidCounts, rest: number): Output {
  const said = countOf(counts.completion);
  if (counts.completion === undefined) return { completionTokens: Math.max(0, rest) };
  const thoughts = countOf(counts.reasoning);
  const more = rest - said;
  if (more > 0) {
    const isWithin = thoughts <= said && thoughts !== more;
    const all = isWithin ? thoughts + more : Math.max(thoughts, more);
    return { completionTokens: rest, reasoningTokens: Math.min(all, rest) };
  }
  if (thoughts > said)
    return areThoughtsApart
      ? { completionTokens: said + thoughts, reasoningTokens: thoughts }
      : { completionTokens: said };
  return typeof counts.reasoning === 'number'
    ? { completionTokens: said, reasoningTokens: thoughts }
    : { completionTokens: said };
}

/** Whether the total is less than its parts, or a part exceeds its whole. */
function contradict(counts: Counts, { promptTokens, completionTokens, reasoningTokens }: ReadUsage): boolean {
  const [prompt, total] = [countOf(counts.prompt), countOf(counts.total)];
  const isTotalLess = total > 0 && total < prompt + countOf(counts.completion);
  const isBeside = prompt > 0 && promptTokens > prompt;
  const isTold = total === 0 || total >= promptTokens + completionTokens;
  return isTotalLess || (isBeside && !isTold) || countOf(reasoningTokens) < countOf(counts.reasoning);
}

function countOf(count: Counts[keyof Counts]): number {
  return isPositive(count) ? count : 0;
}

/** The report of the usual place, completed by that of another place. */
export function withMissing(
  usual: UsageReport | undefined,
  other: UsageReport | undefined,
): UsageReport | undefined {
  if (usual === undefined || usual === 'unreadable') return other ?? usual;
  if (other === undefined || other === 'unreadable') return usual;
  const input = usual.promptTokens === 0 ? inputOf(other) : withCache(inputOf(usual), inputOf(other));
  const output = usual.completionTokens === 0 ? outputOf(other) : outputOf(usual);
  return { ...input, ...output, ...(usual.contradicts && { contradicts: true }) };
}

/** The report of a response, plus further usage in the same response. */
export function withAdded(
  report: UsageReport | undefined,
  more: UsageReport | undefined,
): UsageReport | undefined {
  if (report === undefined || more === undefined) return report ?? more;
  if (report === 'unreadable' || more === 'unreadable') return 'unreadable';
  const sum: ReadUsage = {
    promptTokens: report.promptTokens + more.promptTokens,
    cachedTokens: countOf(report.cachedTokens) + countOf(more.cachedTokens),
    cacheWriteTokens: countOf(report.cacheWriteTokens) + countOf(more.cacheWriteTokens),
    completionTokens: report.completionTokens + more.completionTokens,
    ...(report.reasoningTokens !== undefined && { reasoningTokens: report.reasoningTokens }),
    ...((report.contradicts ?? more.contradicts) && { contradicts: true as const }),
  };
  return Math.max(sum.promptTokens, sum.completionTokens) > MOST_TOKENS ? 'unreadable' : sum;
}

function withCache(usual: Input, other: Input): Input {
  const hasCache = isPositive(usual.cachedTokens) || isPositive(usual.cacheWriteTokens);
  const fits = countOf(other.cachedTokens) + countOf(other.cacheWriteTokens) <= usual.promptTokens;
  return hasCache || !fits ? usual : { ...other, promptTokens: usual.promptTokens };
}

const inputOf = ({ promptTokens, cachedTokens, cacheWriteTokens }: TokenUsage): Input => ({
  promptTokens,
  ...(cachedTokens !== undefined && { cachedTokens }),
  ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
});

const outputOf = ({ completionTokens, reasoningTokens }: TokenUsage): Output => ({
  completionTokens,
  ...(reasoningTokens !== undefined && { reasoningTokens }),
});

/** Writes a report in the form of chat, from which the same report is read. */
export function toChatUsage(report: UsageReport): object {
  if (report === 'unreadable') return { prompt_tokens: report, completion_tokens: report };
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens } = report;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  };
}
