/**
 * The kinds of tokens that are distinguished within a prompt or a completion, as far as upstreams tell, each with its name in
 * tables, in JSON and in the log. Whatever treats all of them alike takes them from here.
 */
export const TOKEN_KINDS = {
  cachedTokens: 'cached_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  reasoningTokens: 'reasoning_tokens',
} as const;

export type TokenKind = keyof typeof TOKEN_KINDS;
export type TokenColumn = (typeof TOKEN_KINDS)[TokenKind];

const ENTRIES = Object.entries(TOKEN_KINDS) as readonly [TokenKind, TokenColumn][];

export const TOKEN_COLUMNS: readonly TokenColumn[] = ENTRIES.map(([, column]) => column);

/** Copied faster than it is made. */
const NO_VALUES = Object.fromEntries(ENTRIES.map(([kind]) => [kind, undefined]));

/** A value for each kind, in their order. */
export function byTokenKind<Value>(
  valueOf: (kind: TokenKind, column: TokenColumn) => Value,
): Record<TokenKind, Value> {
  const values: Record<string, Value | undefined> = { ...NO_VALUES };
  for (const [kind, column] of ENTRIES) values[kind] = valueOf(kind, column);
  return values as Record<TokenKind, Value>;
}

/** The same, each under its name in tables, in JSON and in the log. */
export function byTokenColumn<Value>(valueOf: (kind: TokenKind) => Value): Record<TokenColumn, Value> {
  return Object.fromEntries(ENTRIES.map(([kind, column]) => [column, valueOf(kind)])) as Record<
    TokenColumn,
    Value
  >;
}
