import {
  boundPrompt,
  countedTexts,
  estimatePromptTokens,
  type Model,
  type Prompt,
  type TokenCount,
  type TokenUsage,
  type TokenizerName,
} from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import type { TokenWords } from './single-token-words';
import { UncountedError, type TokenCounter } from './token-counter';

/** Counts the tokens of texts away from the event loop. Throws `service_unavailable` if it cannot. */
export type CountTexts = (texts: readonly string[]) => Promise<number>;

/** Tokens that the service counted itself. */
export interface CountedUsage extends TokenUsage {
  /** The count could not be finished: the tokens are an estimate, which is never charged without a review. */
  isUncounted?: boolean | undefined;
}

/** A prompt, and the model that it is for. */
interface ModelPrompt {
  prompt: Prompt;
  model: Model;
}

/** Tokenizer for the service's own counts if a model names none. */
const FALLBACK_TOKENIZER: TokenizerName = 'o200k_base';

/** A client waits for it. A megabyte of letters without a space takes a second, prose a twentieth. */
const FREE_TIMEOUT_MS = 1_500;

/**
 * Counts a prompt for its plan; undefined if the catalogue names no tokenizer for the model, because another's count
 * proves nothing.
 */
export function countPrompt(
  counter: TokenCounter,
  { prompt, model }: ModelPrompt,
  accountId: string,
): Promise<TokenCount> | undefined {
  return countForPlan(counter, model, accountId, countedTexts(prompt));
}

/** `countPrompt` for any texts. */
export function countForPlan(
  counter: TokenCounter,
  { tokenizer }: Pick<Model, 'tokenizer'>,
  accountId: string,
  texts: readonly string[],
): Promise<TokenCount> | undefined {
  if (tokenizer === undefined) return undefined;
  return counter.countFree(texts, { tokenizer, accountId, timeoutMs: FREE_TIMEOUT_MS });
}

/** The tokens of a count; undefined if not all of it was counted. */
export function exactTokens(count: TokenCount | undefined): number | undefined {
  return count && count.least === count.most ? count.least : undefined;
}

/**
 * The tokens of a prompt, for a client who asks: counted by the model's tokenizer, or by a common one if the
 * catalogue names none; the bound if it could not be counted now.
 */
export async function estimatePrompt(
  counter: TokenCounter,
  prompt: Prompt,
  model: Model,
  accountId: string,
): Promise<number> {
  const limits = { ...model, contextWindow: Infinity };
  const { tokenizer = FALLBACK_TOKENIZER } = model;
  const counting = countForPlan(counter, { tokenizer }, accountId, [...prompt.texts, ...prompt.definitions]);
  const tokens = exactTokens(await counting);
  return tokens === undefined
    ? boundPrompt(prompt, limits).tokensBound
    : estimatePromptTokens(prompt, limits, tokens);
}

/**
 * The tokens of texts that an upstream writes. A stream waits for it. Throws `service_unavailable` if they could not
 * be counted: output that may exceed the limit is not passed on.
 */
export async function countTexts(
  counter: TokenCounter,
  { model: { tokenizer = FALLBACK_TOKENIZER } }: Pick<ModelPrompt, 'model'>,
  accountId: string,
  texts: readonly string[],
): Promise<number> {
  try {
    return await counter.countPaid(texts, { tokenizer, accountId });
  } catch (cause) {
    throw new ApiError('service_unavailable', { cause });
  }
}

/** Some of the words that are one token for `countTexts`. */
export function wordsOf(
  counter: TokenCounter,
  { model: { tokenizer = FALLBACK_TOKENIZER } }: Pick<ModelPrompt, 'model'>,
): TokenWords {
  return counter.wordsOf(tokenizer);
}

/** The charged usage if the upstream reported none. Never rejects. */
export async function countUsage(
  counter: TokenCounter,
  { prompt, model }: ModelPrompt,
  accountId: string,
  texts: readonly string[],
): Promise<CountedUsage> {
  const [asked, written] = await Promise.all([
    countForCharge(counter, model, accountId, [...prompt.texts, ...prompt.definitions]),
    countForCharge(counter, model, accountId, texts),
  ]);
  return {
    promptTokens: estimatePromptTokens(prompt, model, asked.tokens),
    completionTokens: written.tokens,
    isUncounted: asked.isUncounted || written.isUncounted,
  };
}

/**
 * The tokens of texts that an upstream received or wrote and did not count; an estimate if they could not be counted.
 */
export async function countForCharge(
  counter: TokenCounter,
  { tokenizer = FALLBACK_TOKENIZER }: Pick<Model, 'tokenizer'>,
  accountId: string,
  texts: readonly string[],
): Promise<{ tokens: number; isUncounted: boolean }> {
  try {
    return { tokens: await counter.countPaid(texts, { tokenizer, accountId }), isUncounted: false };
  } catch (error) {
    if (!(error instanceof UncountedError)) throw error;
    return { tokens: error.estimate, isUncounted: true };
  }
}
