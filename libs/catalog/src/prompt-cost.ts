import type { PromptOverhead, TokenizerName } from './catalog';

/** What of a request becomes tokens of the prompt. */
export interface Prompt {
  /** Every text of every message. */
  texts: readonly string[];
  /** The definitions of tools and of the response's schema, and fields of other vendors, as JSON. */
  definitions: readonly string[];
  /** What is sent beside: how a server is to write. No model reads it, as far as is known. */
  options: readonly string[];
  /** And parts of messages that a template puts as much around. */
  messages: number;
  images: number;
  files: number;
  hasTools: boolean;
  /** What fields of other vendors can add beside their text, and servers between the parts of a message. */
  extraTokens: number;
}

/** How many tokens texts have, for sure. Both are the same if all of them were counted. */
export interface TokenCount {
  least: number;
  most: number;
}

interface PromptLimits {
  contextWindow: number;
  imageTokens: number | undefined;
  fileTokens: number | undefined;
  promptOverhead: PromptOverhead;
}

interface InputsMeasure {
  /** Never under the true count. No upstream takes more than its context window, so it is never over that. */
  tokensBound: number;
  /** Whether the texts alone are certainly longer than the context window. */
  isOverContext: boolean;
}

interface PromptMeasure extends InputsMeasure {
  /** So many tokens are certain. */
  leastTokens: number;
}

/** The template of OpenAI's models. Source: OpenAI cookbook, "How to count tokens with tiktoken". */
const USUAL_TOKENS_AROUND_MESSAGE = 3;
const USUAL_TOKENS_AROUND_PROMPT = 3;

/** The longest token of the known tokenizers, a run of spaces. */
export const LONGEST_TOKEN_BYTES = 128;

/** Templates print definitions again, with spaces and indentation: a line of two bytes becomes up to four tokens. */
const PRINTED_ANEW = 2;

/** The texts whose tokens, by the model's tokenizer, `boundCounted` needs. */
export function countedTexts({ texts, definitions }: Prompt): string[] {
  return [...texts, ...Array<readonly string[]>(PRINTED_ANEW).fill(definitions).flat()];
}

/** Bounds a prompt without counting: a token is at least one byte of UTF-8, and no longer than the longest is known to be. */
export function boundPrompt(
  prompt: Prompt,
  limits: PromptLimits & { tokenizer: string | undefined },
): PromptMeasure {
  const texts = bytesOf(prompt.texts);
  const definitions = bytesOf(prompt.definitions);
  const least = limits.tokenizer === undefined ? 0 : leastTokensOf(texts + definitions);
  return measureOf(prompt, limits, texts + PRINTED_ANEW * definitions, least);
}

/** Bounds a prompt by a count of its `countedTexts`. */
export function boundCounted(prompt: Prompt, limits: PromptLimits, count: TokenCount): PromptMeasure {
  const definitions = (PRINTED_ANEW - 1) * bytesOf(prompt.definitions);
  return measureOf(prompt, limits, count.most, Math.max(0, count.least - definitions));
}

function measureOf(prompt: Prompt, limits: PromptLimits, most: number, least: number): PromptMeasure {
  const { promptOverhead: overhead, contextWindow } = limits;
  const around =
    overhead.prompt + prompt.messages * overhead.message + (prompt.hasTools ? overhead.tools : 0);
  const beside = attachedTokens(prompt, limits) + prompt.extraTokens + bytesOf(prompt.options);
  return {
    tokensBound: Math.min(most + around + beside, contextWindow),
    isOverContext: least > contextWindow,
    leastTokens: least,
  };
}

function attachedTokens(
  { images, files }: Prompt,
  { imageTokens = 0, fileTokens = 0 }: PromptLimits,
): number {
  return images * imageTokens + files * fileTokens;
}

/** The prompt's tokens if the upstream did not report them: those counted of its texts, and the usual template around. */
export function estimatePromptTokens(prompt: Prompt, limits: PromptLimits, counted: number): number {
  const tokens =
    counted +
    prompt.messages * USUAL_TOKENS_AROUND_MESSAGE +
    attachedTokens(prompt, limits) +
    USUAL_TOKENS_AROUND_PROMPT;
  return Math.min(tokens, limits.contextWindow);
}

/** The least tokens that a prompt of these texts can have. */
export function leastPromptTokens({ texts, definitions }: Prompt): number {
  return leastTokensOf(bytesOf(texts) + bytesOf(definitions));
}

/** The least tokens of a known tokenizer that so many bytes can be. */
export function leastTokensOf(bytes: number): number {
  return Math.ceil(bytes / LONGEST_TOKEN_BYTES);
}

function bytesOf(texts: readonly string[]): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes;
}

/** The limit of output tokens that is sent upstream, for each choice: what was asked for, as far as the model goes. */
export function outputTokensFor(
  model: { maxOutputTokens: number; defaultMaxOutputTokens: number | undefined },
  requested: number | undefined,
): number {
  return Math.min(requested ?? model.defaultMaxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens);
}

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
): InputsMeasure {
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

/** Bounds inputs by a count of their texts. */
export function boundCountedInputs(inputs: EmbeddingInputs, limits: InputLimits, count: TokenCount): number {
  const { texts, tokenCounts } = inputs;
  const size = texts.length + tokenCounts.length;
  const around = size * limits.promptOverhead.message;
  const most = count.most + sumOf(tokenCounts) + around;
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
