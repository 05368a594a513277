import { leastTokensOf, type EmbeddingInputs } from '@farebox/catalog';
import type { SentBody } from '../upstream-body';
import { surelyRead } from './surely-read';

/** A report below the bound by at most this much is not worth a count and a review. */
const NEGLIGIBLE_TOKENS = 32;

/**
 * Whether a server can have read this few tokens of a body: at least what the longest tokens make of the
 * texts that every server reads. A prompt longer than the window may have been truncated.
 */
export function canBePrompt(
  tokens: number,
  { fields, prompt }: Pick<SentBody, 'fields' | 'prompt'>,
  { contextWindow }: { contextWindow: number },
): boolean {
  const coversBytes = (bytes: number): boolean =>
    tokens + NEGLIGIBLE_TOKENS >= Math.min(leastTokensOf(bytes), contextWindow);
  // Usual reports are far above this bound, and need no second look at the texts.
  if (coversBytes(prompt.bytes.texts + prompt.bytes.definitions)) return true;
  return coversBytes(surelyRead(fields).reduce((sum, text) => sum + Buffer.byteLength(text), 0));
}

/** The same for inputs to embed, each of which is at least one token. */
export function canBeInputs(
  tokens: number,
  { texts, tokenCounts }: EmbeddingInputs,
  { contextWindow }: { contextWindow: number },
): boolean {
  const counts = [...texts.map((text) => leastTokensOf(Buffer.byteLength(text))), ...tokenCounts];
  const least = counts.reduce((sum, count) => sum + Math.min(count, contextWindow), 0);
  return tokens >= counts.length && tokens + NEGLIGIBLE_TOKENS >= least;
}
