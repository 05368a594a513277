import type { Tokenizer } from './tokenizer';

/** What of a request becomes tokens of the prompt. */
export interface Prompt {
  /** Every text of every message, and the definitions of tools and of the response's schema as JSON. */
  texts: readonly string[];
  messages: number;
  images: number;
}

/** Chat templates put a few tokens around each message, and some before the first and after the last. */
const TOKENS_AROUND_MESSAGE = 8;
const TOKENS_AROUND_PROMPT = 16;

/**
 * The tokens of a prompt's texts alone: by the model's tokenizer where the catalogue names one. Without one, a token is
 * at least one byte of UTF-8, so that the bytes are an upper bound.
 */
export function countTextTokens(texts: readonly string[], tokenizer: Tokenizer | undefined): number {
  let tokens = 0;
  for (const text of texts) tokens += tokenizer ? tokenizer(text) : Buffer.byteLength(text);
  return tokens;
}

/**
 * An upper bound of a prompt's tokens. No upstream takes more than its context window, so the bound is never over it.
 */
export function boundPromptTokens(
  prompt: Prompt,
  model: { contextWindow: number; imageTokens: number | undefined },
  tokenizer: Tokenizer | undefined,
): number {
  const bound =
    countTextTokens(prompt.texts, tokenizer) +
    prompt.messages * TOKENS_AROUND_MESSAGE +
    prompt.images * (model.imageTokens ?? 0) +
    TOKENS_AROUND_PROMPT;
  return Math.min(bound, model.contextWindow);
}

/** What the service counts itself where the upstream did not report: the texts and the usual template. */
export function estimatePromptTokens(
  prompt: Prompt,
  model: { contextWindow: number; imageTokens: number | undefined },
  tokenizer: Tokenizer,
): number {
  const tokens =
    countTextTokens(prompt.texts, tokenizer) +
    prompt.messages * 3 +
    prompt.images * (model.imageTokens ?? 0) +
    3;
  return Math.min(tokens, model.contextWindow);
}
