import { nextCommand } from './next-command';

it.each([
  [{}, 'admin account list --after acct_1'],
  [{ limit: 2, status: undefined }, 'admin account list --limit 2 --after acct_1'],
  [{ search: 'ada@example.com' }, 'admin account list --search ada@example.com --after acct_1'],
  [{ search: "Ada's $HOME" }, `admin account list --search 'Ada'\\''s $HOME' --after acct_1`],
])('the next page of %j', (options, command) => {
  expect(nextCommand('account list', options, 'acct_1')).toBe(command);
});
