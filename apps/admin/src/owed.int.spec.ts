import { toPublicId } from '@farebox/auth';
import { verifyLedger } from '@farebox/ledger';
import { givenAccount } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let accountId: string;
let id: string;
let count = 0;

/** An account with two dollars, from which a payment of five was taken back. */
beforeAll(async () => {
  harness = await openAdminHarness();
});
beforeEach(async () => {
  accountId = await givenAccount(harness.pool, { balanceNano: 2_000_000_000n });
  id = toPublicId('acct', accountId);
  await harness.pool.query(`SELECT ledger_reverse($1, 5000000000, 'disputed', $2, 'stripe')`, [
    accountId,
    `dp_${String(++count)}`,
  ]);
});
afterAll(async () => {
  expect((await verifyLedger(harness.pool)).differences).toEqual([]);
  await harness.close();
});

const show = () => harness.adminJson('account', 'show', id);
const owing = (owed: string, balance: string) => ({ owed, balance, invite_status: 'suspended' });

describe('the debt of an account', () => {
  it('is shown', async () => {
    expect(await show()).toMatchObject({ ...owing('3.000000000', '0.000000000'), payments_to_check: 0 });
    expect((await harness.admin('account', 'show', id)).out).toMatch(/^owed +3\.000000000 dollars/m);
  });

  it('is paid first by any credit of an operator', async () => {
    await harness.adminJson('account', 'fund', id, '--amount', '1', '--reference', `wire-${id}`, '--yes');
    expect(await show()).toMatchObject(owing('2.000000000', '0.000000000'));
    await harness.adminJson('account', 'fund', id, '--amount', '10', '--reference', `wire-2-${id}`, '--yes');
    expect(await show()).toMatchObject(owing('0.000000000', '8.000000000'));
  });

  it('is forgiven by an adjustment, and access is restored by hand', async () => {
    const args = ['--amount', '3', '--reason', 'forgiven', '--reference', `case-${id}`, '--yes'];
    await harness.adminJson('account', 'adjust', id, ...args);
    expect(await show()).toMatchObject(owing('0.000000000', '0.000000000'));
    await harness.adminJson('account', 'activate', id);
    expect(await show()).toMatchObject({ invite_status: 'active' });
  });

  it('is collected on demand from the available balance', async () => {
    expect(await harness.adminJson('account', 'collect', id)).toEqual({
      account_id: id,
      owed: '3.000000000',
      currency: 'usd',
    });
    const nobody = 'acct_01jd0000000000000000000000';
    expect((await harness.admin('account', 'collect', nobody)).err).toBe(`There is no account ${nobody}.\n`);
  });
});
