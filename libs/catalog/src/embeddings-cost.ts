import type { TokenizerName } from './catalog';
import { LONGEST_TOKEN_BYTES, type PromptMeasure, type TokenCount } from './prompt-cost';

/** What is to be embedded: texts, or what came as tokens. */
export interface EmbeddingInputs {
  texts: readonly string[];
  /** How many tokens each input has that came as tokens. */
  tokenCounts: readonly number[];
}

interface InputLimits {
  /** Of one input. */
  contextWindow: number;
  /** `message`: the most tokens that a server adds around an input. */
  promptOverhead: { message: number };
}

/** Bounds inputs without counting: a token is at least one byte of UTF-8, and an input no longer than its window. */
export function boundInputs(
  { texts, tokenCounts }: EmbeddingInputs,
  { contextWindow, promptOverhead, tokenizer }: InputLimits & { tokenizer: TokenizerName | undefined },
): PromptMeasure {
  const around = promptOverhead.message;
  let tokensBound = 0;
  let isOverContext = false;
  for (const text of texts) {
    const bytes = Buffer.byteLength(text);
    tokensBound += Math.min(bytes + around, contextWindow);
    // What is no token of a known tokenizer may be longer.
    isOverContext ||= tokenizer !== undefined && Math.ceil(bytes / LONGEST_TOKEN_BYTES) > contextWindow;
  }
  for (const tokens of tokenCounts) {
    tokensBound += Math.min(tokens + around, contextWindow);
    isOverContext ||= tokens > contextWindow;
  }
  return { tokensBound, isOverContext };
}

/** Bounds inputs by a count of their texts. Of what was not counted, the bytes are the bound. */
export function boundCountedInputs(inputs: EmbeddingInputs, limits: InputLimits, count: TokenCount): number {
  const { texts, tokenCounts } = inputs;
  const size = texts.length + tokenCounts.length;
  const around = size * limits.promptOverhead.message;
  const most = count.tokens + count.uncountedBytes + sumOf(tokenCounts) + around;
  return Math.min(most, size * limits.contextWindow);
}

/** The least tokens that these inputs can have: one each, and no token is longer than the longest known. */
export function leastInputTokens({ texts, tokenCounts }: EmbeddingInputs): number {
  return texts.reduce(
    (sum, text) => sum + Math.ceil(Buffer.byteLength(text) / LONGEST_TOKEN_BYTES),
    sumOf(tokenCounts),
  );
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, tokens) => sum + tokens, 0);
}
