import type { PromptOverhead, TokenizerName } from './catalog';

/** The texts of a request, by what they are. */
export interface PromptTexts {
  /** Every text of every message. */
  texts: readonly string[];
  /** Tool definitions, the response schema, and extra fields of other vendors, as JSON. */
  definitions: readonly string[];
  /** Options that control how a server generates. No model is known to read them. */
  options: readonly string[];
}

/** The parts of a request that become prompt tokens. */
export interface Prompt extends PromptTexts {
  /** The length of all texts of a kind, in bytes of UTF-8. */
  bytes: Readonly<Record<keyof PromptTexts, number>>;
  /** Messages, plus parts of messages that a template wraps in the same way. */
  messages: number;
  images: number;
  files: number;
  hasTools: boolean;
  /**
   * Tokens that extra fields can add beyond their text, and that servers add between the parts of a message.
   */
  extraTokens: number;
}

/** Bounds of the tokens of the texts. The two are equal if every text was counted. */
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
  /**
   * Never below the true count. No upstream accepts more than its context window, so it is capped at that.
   */
  tokensBound: number;
  /** Whether the texts alone certainly exceed the context window. */
  isOverContext: boolean;
}

interface PromptMeasure extends InputsMeasure {
  /** The certain minimum. */
  leastTokens: number;
}

/** The template of OpenAI's models. Source: OpenAI cookbook, "How to count tokens with tiktoken". */
const USUAL_TOKENS_AROUND_MESSAGE = 3;
const USUAL_TOKENS_AROUND_PROMPT = 3;

/** The longest token of the known tokenizers, a run of spaces. */
export const LONGEST_TOKEN_BYTES = 128;

/**
 * Templates print definitions again, with spaces and indentation: a line of two bytes becomes up to four
 * tokens.
 */
const PRINTED_COPIES = 2;

/** The texts that must be counted with the model's tokenizer for `boundCounted`. */
export function countedTexts({ texts, definitions }: Prompt): string[] {
  return [...texts, ...Array<readonly string[]>(PRINTED_COPIES).fill(definitions).flat()];
}

/**
 * Bounds a prompt without counting: a token has at least one byte of UTF-8 and at most `LONGEST_TOKEN_BYTES`.
 */
export function boundPrompt(
  prompt: Prompt,
  limits: PromptLimits & { tokenizer: string | undefined },
): PromptMeasure {
  const { texts, definitions } = prompt.bytes;
  const least = limits.tokenizer === undefined ? 0 : leastTokensOf(texts + definitions);
  return measureOf(prompt, limits, texts + PRINTED_COPIES * definitions, least);
}

/** Bounds a prompt by the count of its `countedTexts`. */
export function boundCounted(prompt: Prompt, limits: PromptLimits, count: TokenCount): PromptMeasure {
  const definitions = (PRINTED_COPIES - 1) * prompt.bytes.definitions;
  return measureOf(prompt, limits, count.most, Math.max(0, count.least - definitions));
}

function measureOf(prompt: Prompt, limits: PromptLimits, most: number, least: number): PromptMeasure {
  const { promptOverhead: overhead, contextWindow } = limits;
  const around =
    overhead.prompt + prompt.messages * overhead.message + (prompt.hasTools ? overhead.tools : 0);
  const beside = attachedTokens(prompt, limits) + prompt.extraTokens + prompt.bytes.options;
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

/** The prompt's tokens if the upstream reported none: the counted texts plus the usual template. */
export function estimatePromptTokens(prompt: Prompt, limits: PromptLimits, counted: number): number {
  const tokens =
    counted +
    prompt.messages * USUAL_TOKENS_AROUND_MESSAGE +
    attachedTokens(prompt, limits) +
    USUAL_TOKENS_AROUND_PROMPT;
  return Math.min(tokens, limits.contextWindow);
}

/** The fewest tokens that a prompt of these texts can have. */
export function leastPromptTokens({ bytes }: Prompt): number {
  return leastTokensOf(bytes.texts + bytes.definitions);
}

/** The fewest tokens that this many bytes can be in any known tokenizer. */
export function leastTokensOf(bytes: number): number {
  return Math.ceil(bytes / LONGEST_TOKEN_BYTES);
}

/** The output token limit per choice that is sent upstream: the requested limit, capped at the model's. */
export function outputTokensFor(
  model: { maxOutputTokens: number; defaultMaxOutputTokens: number | undefined },
  requested: number | undefined,
): number {
  return Math.min(requested ?? model.defaultMaxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens);
}

/** The input of an embeddings request: texts or token arrays. */
export interface EmbeddingInputs {
  texts: readonly string[];
  /** The length of each token array. */
  tokenCounts: readonly number[];
}

interface InputLimits {
  /** Per input. */
  contextWindow: number;
  /** `message`: upper bound of the tokens that a server adds to an input. */
  promptOverhead: { message: number };
}

/** Bounds inputs without counting: a token has at least one byte of UTF-8, and an input fits its window. */
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
    // An unknown tokenizer may have longer tokens.
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

/**
 * The fewest tokens that these inputs can have: at least one each, and no token longer than
 * `LONGEST_TOKEN_BYTES`.
 */
export function leastInputTokens({ texts, tokenCounts }: EmbeddingInputs): number {
  return texts.reduce(
    (sum, text) => sum + Math.ceil(Buffer.byteLength(text) / LONGEST_TOKEN_BYTES),
    sumOf(tokenCounts),
  );
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, tokens) => sum + tokens, 0);
}
