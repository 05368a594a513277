import {
  boundPrompt,
  countedTexts,
  estimatePromptTokens,
  type Model,
  type Prompt,
  type TokenCount,
  type TokenizerName,
} from '@farebox/catalog';
import type { TokenWords } from '../token-counts/sure-words';
import type { TokenCounter } from '../token-counts/token-counter';
import type { CountedUsage } from './charged-usage';
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
  return countForPlan(counter, model, accountId, countedTexts(prompt));
}

/** `countPrompt` of any texts. */
export function countForPlan(
  counter: TokenCounter,
  { tokenizer }: Pick<Model, 'tokenizer'>,
  accountId: string,
  texts: readonly string[],
): Promise<TokenCount> | undefined {
  if (tokenizer === undefined) return undefined;
  return counter.count(texts, { tokenizer, accountId, timeoutMs: WAITED_FOR_TIMEOUT_MS });
}

/** The tokens of texts that an upstream was sent and did not count: never more than the truth. */
export async function countForCharge(
  counter: TokenCounter,
  { tokenizer = FALLBACK_TOKENIZER }: Pick<Model, 'tokenizer'>,
  accountId: string,
  texts: readonly string[],
): Promise<number> {
  return (await counter.count(texts, { tokenizer, accountId, timeoutMs: USAGE_TIMEOUT_MS })).least;
}

/**
 * The tokens of a prompt, for a client who asks how many it has: as the model's tokenizer counts them, or the bound if the
 * catalogue names none. Of what was not counted in time it has the fewest that there can be.
 */
export async function estimatePrompt(
  counter: TokenCounter,
  prompt: Prompt,
  model: Model,
  accountId: string,
): Promise<number> {
  const limits = { ...model, contextWindow: Infinity };
  const { tokenizer } = model;
  if (tokenizer === undefined) return boundPrompt(prompt, limits).tokensBound;
  const request = { tokenizer, accountId, timeoutMs: WAITED_FOR_TIMEOUT_MS };
  const count = await counter.count([...prompt.texts, ...prompt.definitions], request);
  return estimatePromptTokens(prompt, limits, count);
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
  return (await counter.count(texts, { tokenizer, accountId, timeoutMs: WAITED_FOR_TIMEOUT_MS })).least;
}

/** Some of the words that are one token for `countTexts`. */
export function wordsOf(
  counter: TokenCounter,
  { model: { tokenizer = FALLBACK_TOKENIZER } }: CompletionPlan,
): TokenWords {
  return counter.wordsOf(tokenizer);
}

/** What is charged if the upstream did not say; `isUncounted` if the count was not finished. */
export async function countUsage(
  counter: TokenCounter,
  { prompt, model }: Pick<CompletionPlan, 'prompt' | 'model'>,
  accountId: string,
  texts: readonly string[],
): Promise<CountedUsage> {
  const { tokenizer = FALLBACK_TOKENIZER } = model;
  const request = { tokenizer, accountId, timeoutMs: USAGE_TIMEOUT_MS };
  const [asked, written] = await Promise.all([
    counter.count([...prompt.texts, ...prompt.definitions], request),
    counter.count(texts, request),
  ]);
  return {
    promptTokens: estimatePromptTokens(prompt, model, asked),
    completionTokens: written.least,
    isUncounted: asked.least < asked.most || written.least < written.most,
  };
}
