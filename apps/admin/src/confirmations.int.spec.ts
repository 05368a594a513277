import { toPublicId } from '@farebox/auth';
import { givenAccount, givenApiKey } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';
import { runAdmin } from './program';

let harness: AdminHarness;
let accountId: string;
let keyPublicId: string;
beforeAll(async () => {
  harness = await openAdminHarness();
  const uuid = await givenAccount(harness.pool);
  accountId = toPublicId('acct', uuid);
  keyPublicId = toPublicId('key', await givenApiKey(harness.pool, uuid));
});
afterAll(() => harness.close());

/** The irreversible commands. */
const final = (): [name: string, args: string[]][] => [
  ['account fund', [accountId, '--amount', '1', '--reference', 'wire-1']],
  ['account adjust', [accountId, '--amount', '1', '--reason', 'x', '--reference', 'case-1']],
  ['key revoke', [keyPublicId]],
  ['device revoke', ['dev_01jd0000000000000000000000']],
  ['review resolve', ['rev_01jd0000000000000000000000', '--waive']],
];

async function answering(
  answer: string,
  args: string[],
): Promise<{ exitCode: number; asked: string; err: string }> {
  let [asked, err] = ['', ''];
  const exitCode = await runAdmin(args, {
    environment: harness.environment,
    userName: () => 'grace',
    ask: (question) => {
      asked += question;
      return Promise.resolve(answer);
    },
    out: () => undefined,
    err: (text) => (err += text),
  });
  return { exitCode, asked, err };
}

const countActions = async (): Promise<number | null> =>
  (await harness.pool.query('SELECT FROM operator_action')).rowCount;

it('without a terminal nothing irreversible happens, except with --yes', async () => {
  for (const [words, args] of final()) {
    expect(await harness.admin(...words.split(' '), ...args)).toEqual({
      exitCode: 2,
      out: '',
      err: 'This cannot be undone, and there is no terminal to ask at: confirm it with --yes.\n',
    });
  }
  expect(await countActions()).toBe(0);
});

it('answering no changes nothing', async () => {
  for (const [words, args] of final()) {
    const { exitCode, asked, err } = await answering('n', [...words.split(' '), ...args]);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: 'Nothing was changed.\n' });
    expect(asked).toMatch(/\. This cannot be undone\. Go on\? \[y\/N\] $/);
  }
  expect(await countActions()).toBe(0);
});

it('a question about money names the customer, and is not asked if there is none', async () => {
  const fund = (id: string) =>
    answering('n', ['account', 'fund', id, '--amount', '5', '--reference', 'wire-2']);
  expect((await fund(accountId)).asked).toMatch(
    new RegExp(`^Credit 5\\.000000000 dollars to .+ <.+@.+>, ${accountId}\\. This cannot be undone\\.`),
  );
  const nobody = 'acct_01jd0000000000000000000000';
  expect(await fund(nobody)).toEqual({ exitCode: 1, asked: '', err: `There is no account ${nobody}.\n` });
});

it('answering yes does it', async () => {
  const { exitCode, asked } = await answering('y', ['key', 'revoke', keyPublicId]);
  expect({ exitCode, asked }).toEqual({
    exitCode: 0,
    asked: `Revoke ${keyPublicId}. This cannot be undone. Go on? [y/N] `,
  });
  const { rows } = await harness.pool.query('SELECT revoked_at IS NOT NULL AS revoked FROM api_key');
  expect(rows).toEqual([{ revoked: true }]);
});
