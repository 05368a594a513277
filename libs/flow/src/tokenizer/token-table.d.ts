import type { TokenizerName } from './tokenizer';

/** The table as a file. */
export function packTable(name: TokenizerName): Buffer;
