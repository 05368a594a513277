import {
  atLeast,
  countedTexts,
  estimatePromptTokens,
  type TokenCount,
  type TokenizerName,
  type TokenUsage,
} from '@farebox/catalog';
import type { TokenCounter } from '../token-counts/token-counter';
import type { CompletionPlan } from './plan-completion';

/** For what the service counts itself if a model names no tokenizer. */
const FALLBACK_TOKENIZER: TokenizerName = 'o200k_base';

/** A client waits for it. A megabyte of letters without a space takes a second, prose a twentieth. */
const WAITED_FOR_TIMEOUT_MS = 1_500;
/** It decides a charge: long enough for the longest request, a body full of CJK, if the thread is not busy. */
const USAGE_TIMEOUT_MS = 10_000;

/** Counts a prompt for its plan; undefined if the catalogue names no tokenizer for the model: another's proves nothing. */
export function countPrompt(
  counter: TokenCounter,
  { prompt, model }: CompletionPlan,
  accountId: string,
): Promise<TokenCount> | undefined {
  const { tokenizer } = model;
  if (tokenizer === undefined) return undefined;
  return counter.count(countedTexts(prompt), { tokenizer, accountId, timeoutMs: WAITED_FOR_TIMEOUT_MS });
}

/**
 * The tokens of texts that an upstream writes; of what was not counted in time the fewest that it can be. A stream
 * waits for it.
 */
export async function countTexts(
  counter: TokenCounter,
  { model: { tokenizer = FALLBACK_TOKENIZER } }: CompletionPlan,
  accountId: string,
  texts: readonly string[],
): Promise<number> {
  return atLeast(await counter.count(texts, { tokenizer, accountId, timeoutMs: WAITED_FOR_TIMEOUT_MS }));
}

/**
 * What is charged if the upstream did not say. If the count was not finished, it is what was counted and, of the rest, the
 * fewest tokens that its bytes can be: never more than the truth.
 */
export async function countUsage(
  counter: TokenCounter,
  { prompt, model }: CompletionPlan,
  accountId: string,
  texts: readonly string[],
): Promise<TokenUsage> {
  const { tokenizer = FALLBACK_TOKENIZER } = model;
  const request = { tokenizer, accountId, timeoutMs: USAGE_TIMEOUT_MS };
  const [asked, written] = await Promise.all([
    counter.count([...prompt.texts, ...prompt.definitions], request),
    counter.count(texts, request),
  ]);
  return {
    promptTokens: estimatePromptTokens(prompt, model, asked),
    completionTokens: atLeast(written),
  };
}
