import { byTokenColumn, byTokenKind, TOKEN_COLUMNS, TOKEN_KINDS } from './token-kinds';

it('a value for each kind of token is asked for once, in the order of the kinds', () => {
  const asked: string[] = [];
  const byKind = byTokenKind((_kind, column) => {
    asked.push(column);
    return asked.length;
  });
  expect(asked).toEqual(TOKEN_COLUMNS);
  expect(Object.entries(byKind)).toEqual(Object.keys(TOKEN_KINDS).map((kind, i) => [kind, i + 1]));
});

it('a value for each kind goes by the name of its column', () => {
  expect(byTokenColumn((kind) => kind)).toEqual({
    cached_tokens: 'cachedTokens',
    cache_write_tokens: 'cacheWriteTokens',
    reasoning_tokens: 'reasoningTokens',
  });
});
