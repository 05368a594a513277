export const TOKENIZERS = ['o200k_base', 'cl100k_base'] as const;
export type TokenizerName = (typeof TOKENIZERS)[number];

/** Counts the tokens of a text. */
export type Tokenizer = (text: string) => number;

const loaded = new Map<TokenizerName, Promise<Tokenizer>>();

/** Text that looks like a special token is counted as text: what a client writes is never a command. */
const AS_PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

/** Loads a tokenizer, once for each process. Its tables take some megabytes, so only what the catalogue names. */
export function loadTokenizer(name: TokenizerName): Promise<Tokenizer> {
  let tokenizer = loaded.get(name);
  if (!tokenizer) {
    tokenizer = importEncoding(name).then(
      ({ countTokens }) =>
        (text) =>
          countTokens(text, AS_PLAIN_TEXT),
    );
    loaded.set(name, tokenizer);
  }
  return tokenizer;
}

function importEncoding(name: TokenizerName) {
  switch (name) {
    case 'o200k_base':
      return import('gpt-tokenizer/encoding/o200k_base');
    case 'cl100k_base':
      return import('gpt-tokenizer/encoding/cl100k_base');
  }
}
