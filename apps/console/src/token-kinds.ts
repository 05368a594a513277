/** Kinds of tokens as a customer reads of them: the count, its column, and its price. */
export const TOKEN_KINDS = [
  {
    column: 'cached_tokens',
    name: 'Cached',
    price: 'cached_input',
    each: '{price} cached input / 1M',
    line: 'Cached prompt tokens',
  },
  {
    column: 'cache_write_tokens',
    name: 'Cache writes',
    price: 'cache_write',
    each: '{price} cache writes / 1M',
    line: 'Prompt tokens written to a cache',
  },
  {
    column: 'reasoning_tokens',
    name: 'Reasoning',
    price: 'reasoning',
    each: '{price} reasoning / 1M',
    line: 'Reasoning tokens',
  },
] as const;
export type TokenColumn = (typeof TOKEN_KINDS)[number]['column'];
