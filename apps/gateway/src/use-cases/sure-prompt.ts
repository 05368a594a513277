import { leastTokensOf, type EmbeddingInputs, type Model } from '@farebox/catalog';
import { boundsOf } from '../token-counts/sure-words';
import { surelyRead } from '../upstream/surely-read';
import { lengthOf } from './output-limit';

type Limits = Pick<Model, 'tokenizer' | 'contextWindow'>;

/** Of most texts a token is shorter: only what is reported with longer ones is looked at more closely. */
const USUALLY_LONGER = 8;

/** Whether a server can have read so few tokens of a body: no fewer than are sure of the texts that every one reads. */
export function canBePrompt(
  tokens: number,
  body: Readonly<Record<string, unknown>>,
  { tokenizer, contextWindow }: Limits,
): boolean {
  const texts = surelyRead(body);
  if (tokens * USUALLY_LONGER >= lengthOf(texts)) return true;
  return tokens >= Math.min(leastOf(texts, tokenizer), contextWindow);
}

/** The same of inputs to embed, each of which is a token at least. What is longer than the window may have been cut. */
export function canBeInputs(
  tokens: number,
  { texts, tokenCounts }: EmbeddingInputs,
  { tokenizer, contextWindow }: Limits,
): boolean {
  const isUsual = tokens >= texts.length && tokens * USUALLY_LONGER >= lengthOf(texts);
  const counts = isUsual ? [] : texts.map((text) => leastOf([text], tokenizer));
  const least = [...counts, ...tokenCounts].map((count) => Math.max(1, Math.min(count, contextWindow)));
  return tokens >= least.reduce((sum, count) => sum + count, 0);
}

/** A tokenizer that nobody has named may not cut at words. */
function leastOf(texts: readonly string[], tokenizer: Limits['tokenizer']): number {
  if (tokenizer !== undefined) return boundsOf(texts).least;
  return leastTokensOf(texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0));
}
