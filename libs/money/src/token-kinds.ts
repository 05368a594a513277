/**
 * The kinds of tokens that are distinguished within a prompt or a completion, as far as upstreams tell, each with its name in
 * tables, in JSON and in the log. Whatever treats all of them alike takes them from here.
 */
export const TOKEN_KINDS = {
  cachedTokens: 'cached_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  reasoningTokens: 'reasoning_tokens',
} as const;

/** The count that includes each kind. */
export const WHOLE_OF = {
  cachedTokens: 'prompt',
  cacheWriteTokens: 'prompt',
  reasoningTokens: 'completion',
} as const satisfies Record<keyof typeof TOKEN_KINDS, 'prompt' | 'completion'>;

/** The name of each kind's price, in a cost and in the catalogue's `…_price`. */
export const PRICED_KINDS = {
  cachedTokens: 'cached_input',
  cacheWriteTokens: 'cache_write',
  reasoningTokens: 'reasoning',
} as const satisfies Record<keyof typeof TOKEN_KINDS, string>;

export type PricedKind = (typeof PRICED_KINDS)[TokenKind];

type Whole = (typeof WHOLE_OF)[TokenKind];
/** The columns of the kinds within a whole. */
type ColumnWithin<Of extends Whole> = {
  [Kind in TokenKind]: (typeof WHOLE_OF)[Kind] extends Of ? (typeof TOKEN_KINDS)[Kind] : never;
}[TokenKind];

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

/** A value for each kind within the prompt, or within the completion, under its name in JSON. */
export function byTokenColumnOf<Of extends Whole, Value>(
  whole: Of,
  valueOf: (kind: TokenKind) => Value,
): Record<ColumnWithin<Of>, Value> {
  const within = ENTRIES.filter(([kind]) => WHOLE_OF[kind] === whole);
  return Object.fromEntries(within.map(([kind, column]) => [column, valueOf(kind)])) as Record<
    ColumnWithin<Of>,
    Value
  >;
}

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Tail>}`
  : Name;
/** The field of a price with this kind's. */
export type KindPriceKey = `${Camel<PricedKind>}PricePico`;

export const priceKeyOf = (name: PricedKind): KindPriceKey =>
  `${name.replace(/_./, (two) => two.slice(1).toUpperCase()) as Camel<PricedKind>}PricePico`;
