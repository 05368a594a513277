import { toPublicId } from '@farebox/auth';
import { givenAccount } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let email: string;
let account_id: string;
beforeAll(async () => {
  harness = await openAdminHarness();
  const id = await givenAccount(harness.pool, { balanceNano: 5_000_000_000n });
  [email, account_id] = [`${id}@example.com`, toPublicId('acct', id)];
});
afterAll(() => harness.close());

it('an account may be named by its e-mail address, in whatever case, to look and to act', async () => {
  expect(await harness.adminJson('account', 'show', email.toUpperCase())).toMatchObject({
    account_id,
    email,
  });
  const { err } = await harness.admin(
    'account',
    'fund',
    email,
    '--amount',
    '1',
    '--reference',
    'wire-1',
    '--yes',
  );
  expect(err).toBe('');
  expect((await harness.adminJson('log', '--action', 'account fund')).data).toMatchObject([
    { target: account_id },
  ]);
});

it('an option takes it as well', async () => {
  expect(await harness.adminJson('review', 'list', '--account', email)).toMatchObject({ data: [] });
});

it('an unknown address, and a text that is neither, are refused', async () => {
  expect(await harness.admin('account', 'show', 'nobody@example.com')).toMatchObject({
    exitCode: 1,
    err: 'There is no account with the e-mail address nobody@example.com.\n',
  });
  expect((await harness.admin('account', 'show', 'a@b@c')).exitCode).toBe(2);
  expect((await harness.admin('account', 'show', 'ada')).err).toContain(
    'An account id looks like acct_01jd….',
  );
});

it('the log of an account has what was done to its keys, and what was not done to others', async () => {
  const { key_public_id } = await harness.adminJson('key', 'create', email, '--name', 'laptop');
  await harness.adminJson('account', 'suspend', email);
  const other = await givenAccount(harness.pool);
  await harness.adminJson('key', 'create', toPublicId('acct', other), '--name', 'other');
  const { data } = await harness.adminJson('log', '--target', account_id, '--limit', '2');
  expect(
    (data as { action: string; target: string }[]).map(({ action, target }) => [action, target]),
  ).toEqual([
    ['account suspend', account_id],
    ['key create', key_public_id],
  ]);
});
