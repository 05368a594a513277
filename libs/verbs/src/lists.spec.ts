import { nextCommand, toFields, toTable } from './lists';

it.each([
  [{}, 'admin account list --after acct_1'],
  [{ limit: 2, status: undefined }, 'admin account list --limit 2 --after acct_1'],
  [{ search: 'ada@example.com' }, 'admin account list --search ada@example.com --after acct_1'],
  [{ search: "Ada's $HOME" }, `admin account list --search 'Ada'\\''s $HOME' --after acct_1`],
])('the next page of %j', (options, command) => {
  expect(nextCommand('account list', options, 'acct_1')).toBe(command);
});

it('a table has aligned columns, even with wide characters', () => {
  const text = toTable(
    [{ name: 'name' }, { name: 'dollars', align: 'right' }, { name: 'note' }],
    [
      ['Ada', '1.5', ''],
      ['日本', '12.25', 'x'],
    ],
  );
  expect(text).toBe(['NAME  DOLLARS  NOTE', 'Ada       1.5', '日本    12.25  x'].join('\n'));
});

it('fields have aligned texts', () => {
  expect(
    toFields([
      ['a', 'one'],
      ['longer', 'two  words'],
    ]),
  ).toBe('a       one\nlonger  two  words');
});
