import { fromPublicId, toPublicId } from '@farebox/auth';
import { givenAccount } from '@farebox/testing';
import { openAdminHarness, runInside, USER_NAME, type AdminHarness, type Ran } from '../test/admin-harness';
import { createReviewsHarness } from '../test/reviews-harness';

let harness: AdminHarness;

beforeAll(async () => {
  harness = await openAdminHarness();
});
afterAll(() => harness.close());

const nobody = 'acct_01jd0000000000000000000000';

/** An account with 25 dollars. */
async function createAccount(): Promise<string> {
  return toPublicId('acct', await givenAccount(harness.pool, { balanceNano: 25_000_000_000n }));
}

const adjust = (id: string, amount: string[], reference: string, ...more: string[]): Promise<Ran> =>
  harness.admin(
    'account',
    'adjust',
    id,
    ...amount,
    '--reason',
    'goodwill',
    '--reference',
    reference,
    '--yes',
    ...more,
  );

const balanceOf = async (id: string): Promise<unknown> =>
  (await harness.adminJson('account', 'show', id)).balance;

const findAdjustment = async (reference: string): Promise<unknown> =>
  (await harness.pool.query('SELECT reason, made_by FROM adjustment WHERE reference = $1', [reference])).rows;

describe('account adjust', () => {
  it('adjusts once per reference, and records the reason and the operator', async () => {
    const id = await createAccount();
    const give = () => adjust(id, ['--amount', '2.50'], 'case-1', '--json');
    const [first, again] = [await give(), await give()];
    expect([first.exitCode, JSON.parse(first.out)]).toEqual([
      0,
      {
        account_id: id,
        transaction_id: expect.stringMatching(/^txn_[0-9a-z]{26}$/) as string,
        amount: '2.500000000',
        currency: 'usd',
        balance_after: '27.500000000',
        created: true,
      },
    ]);
    expect([again.exitCode, JSON.parse(again.out)]).toEqual([
      0,
      { ...(JSON.parse(first.out) as object), created: false },
    ]);
    expect(await balanceOf(id)).toBe('27.500000000');
    expect(await findAdjustment('case-1')).toEqual([{ reason: 'goodwill', made_by: USER_NAME }]);
  });

  it.each([['--amount', '-5'], ['--amount=-5'], ['--amount', '-5.000000000']])(
    'takes money for a negative amount: %s %s',
    async (...amount) => {
      const id = await createAccount();
      const reference = `taken ${amount.join(' ')}`;
      const { exitCode, out, err } = await adjust(id, amount, reference, '--by', 'ada');
      expect({ exitCode, out, err }).toEqual({
        exitCode: 0,
        out: `Took 5.000000000 dollars from ${id}. Balance: 20.000000000 dollars.\n`,
        err: '',
      });
      expect((await adjust(id, amount, reference)).out).toBe(
        `The correction ${reference} was made before: nothing changed.\n`,
      );
      expect(await balanceOf(id)).toBe('20.000000000');
      expect(await findAdjustment(reference)).toEqual([{ reason: 'goodwill', made_by: 'ada' }]);
    },
  );

  it('is a transaction between the account and the adjustments', async () => {
    const id = await createAccount();
    const { out } = await adjust(id, ['--amount', '-1'], 'case-2', '--json');
    const { transaction_id } = JSON.parse(out) as { transaction_id: string };
    const { rows } = await harness.pool.query(
      'SELECT kind, from_book, to_book, amount_nano::text FROM ledger_entry WHERE id = $1',
      [fromPublicId('txn', transaction_id)],
    );
    expect(rows).toEqual([
      { kind: 'adjustment', from_book: 'customer', to_book: 'adjustments', amount_nano: '1000000000' },
    ]);
  });

  it('takes no more than is available, and keeps the reference free', async () => {
    const id = await createAccount();
    expect(await adjust(id, ['--amount', '-25.000000001'], 'case-3')).toEqual({
      exitCode: 1,
      out: '',
      err: `Less than 25.000000001 dollars is available on the account ${id}: nothing was taken.\n`,
    });
    expect(await balanceOf(id)).toBe('25.000000000');
    expect((await adjust(id, ['--amount', '-25'], 'case-3')).out).toContain('Balance: 0.000000000 dollars.');
  });

  it('does not touch money reserved by a review', async () => {
    const { accountId } = await createReviewsHarness(harness).givenChargeFailed(true);
    expect((await adjust(accountId, ['--amount', '-0.000000056'], 'case-4')).exitCode).toBe(1);
    expect((await adjust(accountId, ['--amount', '-0.000000055'], 'case-4')).exitCode).toBe(0);
  });

  it('refuses a reference of another amount or another account', async () => {
    const id = await createAccount();
    await adjust(id, ['--amount', '1'], 'case-5');
    for (const other of [
      await adjust(id, ['--amount', '-1'], 'case-5'),
      await adjust(await createAccount(), ['--amount', '1'], 'case-5'),
    ]) {
      expect(other).toEqual({
        exitCode: 1,
        out: '',
        err: 'The reference case-5 was used for another account or another amount.\n',
      });
    }
  });

  it('reports an unknown account', async () => {
    for (const amount of ['1', '-1']) {
      expect(await adjust(nobody, ['--amount', amount], `lost ${amount}`)).toEqual({
        exitCode: 1,
        out: '',
        err: `There is no account ${nobody}.\n`,
      });
    }
  });

  it.each(['0', '-0.00', '+5', '--5', '1,00', '-1e3', '-0.0000000001', 'five', ''])(
    'refuses the amount "%s"',
    async (amount) => {
      const { exitCode, out, err } = await adjust(nobody, [`--amount=${amount}`], 'refused');
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
      expect(err).toMatch(/^error: /);
    },
  );

  it.each(['--amount', '--reason', '--reference'])('requires %s', async (missing) => {
    const given = { '--amount': '1', '--reason': 'goodwill', '--reference': 'incomplete' };
    const args = Object.entries(given).filter(([option]) => option !== missing);
    const { exitCode, err } = await harness.admin('account', 'adjust', nobody, ...args.flat());
    expect(exitCode).toBe(2);
    expect(err).toContain(`required option '${missing} `);
  });

  it('requires a name if the operating system has none', async () => {
    const args = ['account', 'adjust', nobody, '--amount', '1', '--reason', 'x', '--reference', 'y', '--yes'];
    expect(await runInside(harness.environment, args, () => undefined)).toEqual({
      exitCode: 1,
      out: '',
      err: 'The operating system has no name for you: say who it is with --by.\n',
    });
  });
});

describe('the books at the end', () => {
  it('are right', async () => {
    expect(await harness.adminJson('ledger', 'verify')).toMatchObject({ ok: true, differences: [] });
  });
});
