import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let accountId: string;
let number = 0;

beforeAll(async () => {
  harness = await openAdminHarness();
});
afterAll(() => harness.close());
beforeEach(async () => {
  const email = `ada${String(++number)}@example.com`;
  accountId = String(
    (await harness.adminJson('account', 'create', '--email', email, '--name', 'Ada')).account_id,
  );
});

const lowBalance = (...args: string[]) => harness.adminJson('account', 'low-balance', accountId, ...args);
const shown = async () => (await harness.adminJson('account', 'show', accountId)).low_balance;
const actions = async () =>
  (
    await harness.pool.query<Record<string, unknown>>(
      `SELECT details FROM operator_action WHERE action = 'account low-balance' AND target = $1 ORDER BY id`,
      [accountId],
    )
  ).rows;

/** As the worker marks an account whose owner it has mailed. */
const mark = () =>
  harness.pool.query(
    `UPDATE account SET low_balance_mailed_at = now(), low_balance_mailed_nano = 1
     WHERE low_balance_nano IS NOT NULL`,
  );
const isMarked = async () =>
  (await harness.pool.query('SELECT FROM account WHERE low_balance_mailed_at IS NOT NULL')).rowCount === 1;

describe('account low-balance', () => {
  it('sets and clears the threshold, which account show prints', async () => {
    expect(await shown()).toBeNull();
    expect(await lowBalance('--below', '5')).toEqual({
      account_id: accountId,
      low_balance: '5.000000000',
      currency: 'usd',
    });
    expect(await shown()).toBe('5.000000000');
    expect(await lowBalance('--off')).toMatchObject({ low_balance: null });
    expect(await shown()).toBeNull();
  });

  it('records each change in the audit log, and nothing without a change', async () => {
    await lowBalance('--below', '5');
    await lowBalance('--below', '5.00');
    await lowBalance('--off');
    await lowBalance('--off');
    expect(await actions()).toEqual([
      { details: { low_balance_before: null, low_balance: '5.000000000' } },
      { details: { low_balance_before: '5.000000000', low_balance: null } },
    ]);
  });

  it('allows another mail for a new threshold, but not for the same', async () => {
    await lowBalance('--below', '5');
    await mark();
    await lowBalance('--below', '5');
    expect(await isMarked()).toBe(true);
    await lowBalance('--below', '6');
    expect(await isMarked()).toBe(false);
    await mark();
    await lowBalance('--off');
    expect(await isMarked()).toBe(false);
  });

  it.each([[[]], [['--below', '5', '--off']], [['--below', '0']], [['--below', '-1']], [['--below', 'x']]])(
    'refuses %j as wrong usage',
    async (args) => {
      expect((await harness.admin('account', 'low-balance', accountId, ...args)).exitCode).toBe(2);
    },
  );

  it('reports an unknown account', async () => {
    const missing = 'acct_01jd0000000000000000000000';
    expect(await harness.admin('account', 'low-balance', missing, '--below', '5')).toEqual({
      exitCode: 1,
      out: '',
      err: `There is no account ${missing}.\n`,
    });
  });
});
