import { leastTokensOf, type EmbeddingInputs } from '@farebox/catalog';
import { surelyRead } from './surely-read';

/** A report that is under the bound by no more gives nothing away that is worth a count and a review. */
const NEGLIGIBLE_TOKENS = 32;

/**
 * Whether a server can have read so few tokens of a body: no fewer than the longest tokens make of the texts that every
 * server reads. What is longer than the window may have been cut.
 */
export function canBePrompt(
  tokens: number,
  body: Readonly<Record<string, unknown>>,
  { contextWindow }: { contextWindow: number },
): boolean {
  const bytes = surelyRead(body).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return tokens + NEGLIGIBLE_TOKENS >= Math.min(leastTokensOf(bytes), contextWindow);
}

/** The same of inputs to embed, each of which is a token at least. */
export function canBeInputs(
  tokens: number,
  { texts, tokenCounts }: EmbeddingInputs,
  { contextWindow }: { contextWindow: number },
): boolean {
  const counts = [...texts.map((text) => leastTokensOf(Buffer.byteLength(text))), ...tokenCounts];
  const least = counts.reduce((sum, count) => sum + Math.min(count, contextWindow), 0);
  return tokens >= counts.length && tokens + NEGLIGIBLE_TOKENS >= least;
}
