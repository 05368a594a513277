import { queryOf } from './api';
import { asSearch } from './search';

it('keeps what is chosen as texts, and nothing else of an address', () => {
  expect(asSearch({ search: 17, status: 'active', unknown: 'x', tab: '' })).toEqual({
    search: '17',
    status: 'active',
  });
});

it('leaves out of a query what is not given', () => {
  expect(queryOf({ account: 'acct_1', after: undefined, search: '', failed: true, only: ['a', 'b'] })).toBe(
    '?account=acct_1&failed=true&only=a&only=b',
  );
  expect(queryOf({})).toBe('');
});
