import type { Tokenizer } from './tokenizer';

/** What of a request becomes tokens of the prompt. */
export interface Prompt {
  /** Every text of every message, and the definitions of tools and of the response's schema as JSON. */
  texts: readonly string[];
  messages: number;
  images: number;
}

interface PromptLimits {
  contextWindow: number;
  imageTokens: number | undefined;
}

export interface PromptMeasure {
  /** Never under the true count. No upstream takes more than its context window, so it is never over that. */
  tokensBound: number;
  /** Whether the texts alone are certainly longer than the context window. */
  isOverContext: boolean;
}

/** Chat templates put a few tokens around each message, and some before the first and after the last. */
const MOST_TOKENS_AROUND_MESSAGE = 8;
const MOST_TOKENS_AROUND_PROMPT = 16;
/** The template of OpenAI's models. Source: OpenAI cookbook, "How to count tokens with tiktoken". */
const USUAL_TOKENS_AROUND_MESSAGE = 3;
const USUAL_TOKENS_AROUND_PROMPT = 3;

/** A tokenizer's time grows with the square of a run without spaces: it is given no longer ones than this. */
const SLICE_LENGTH = 1_024;
/** Beyond this, counting would hold up every other request of the process. */
const LONGEST_COUNTED_LENGTH = 128 * 1_024;
/** The longest token of the known tokenizers, a run of spaces. */
const LONGEST_TOKEN_BYTES = 128;

/**
 * Measures a prompt: by the model's tokenizer where the catalogue names one. Without one, and for a text too long to
 * count, a token is at least one byte of UTF-8, so that the bytes are an upper bound.
 */
export function measurePrompt(
  prompt: Prompt,
  limits: PromptLimits,
  tokenizer: Tokenizer | undefined,
): PromptMeasure {
  let most = 0;
  let least = 0;
  for (const text of prompt.texts) {
    if (tokenizer && text.length <= LONGEST_COUNTED_LENGTH) {
      const tokens = countInSlices(text, tokenizer);
      most += tokens;
      least += tokens;
    } else {
      const bytes = Buffer.byteLength(text);
      most += bytes;
      if (tokenizer) least += Math.ceil(bytes / LONGEST_TOKEN_BYTES);
    }
  }
  const around = prompt.messages * MOST_TOKENS_AROUND_MESSAGE + MOST_TOKENS_AROUND_PROMPT;
  const images = prompt.images * (limits.imageTokens ?? 0);
  return {
    tokensBound: Math.min(most + around + images, limits.contextWindow),
    isOverContext: least > limits.contextWindow,
  };
}

/** What the service counts itself where the upstream did not report: the texts, and the usual template around them. */
export function estimatePromptTokens(prompt: Prompt, limits: PromptLimits, tokenizer: Tokenizer): number {
  const tokens =
    countTokens(prompt.texts, tokenizer) +
    prompt.messages * USUAL_TOKENS_AROUND_MESSAGE +
    prompt.images * (limits.imageTokens ?? 0) +
    USUAL_TOKENS_AROUND_PROMPT;
  return Math.min(tokens, limits.contextWindow);
}

/** The tokens of texts by a tokenizer, however long they are. */
export function countTokens(texts: Iterable<string>, tokenizer: Tokenizer): number {
  let tokens = 0;
  for (const text of texts) tokens += countInSlices(text, tokenizer);
  return tokens;
}

function countInSlices(text: string, tokenizer: Tokenizer): number {
  if (text.length <= SLICE_LENGTH) return tokenizer(text);
  let tokens = 0;
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + SLICE_LENGTH, text.length);
    // A cut in front of a space is where the tokenizer itself would cut.
    const space = text.slice(start, end + 1).lastIndexOf(' ');
    if (end < text.length && space > 0) end = start + space;
    tokens += tokenizer(text.slice(start, end));
    start = end;
  }
  return tokens;
}
