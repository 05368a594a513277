export type TokenizerName = 'o200k_base' | 'cl100k_base';

export interface Tokenizer {
  /** Text that looks like a special token is text. The time grows with the square of a run without a cut. */
  countTokens(text: string): number;
  encode(text: string): number[];
  /** The bytes of a token, not necessarily whole characters; a view of the table. */
  bytesOf(token: number): Uint8Array;
}

/** Loads the table of a tokenizer, once. */
export function openTokenizer(name: TokenizerName): Tokenizer;
