import { toPublicId } from '@farebox/auth';
import { givenAccount } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
beforeAll(async () => {
  harness = await openAdminHarness();
});
afterAll(() => harness.close());

const set = (name: string, requests: string, dollars: string) =>
  harness.adminJson('cohort', 'set', name, '--daily-requests', requests, '--daily-spend', dollars);
const newAccount = async () => toPublicId('acct', await givenAccount(harness.pool));
const idsOf = ({ data }: Record<string, unknown>) =>
  (data as { account_id: string }[]).map(({ account_id }) => account_id);

describe('cohorts', () => {
  it('are created and changed', async () => {
    expect(await set('partners', '5', '1.50')).toEqual({
      cohort: 'partners',
      daily_request_cap: 5,
      daily_spend_cap: '1.500000000',
      ...{ daily_abandoned_requests: null, daily_abandonment: null },
    });
    await set('partners', '6', '0');
    const allowance = { daily_abandoned_requests: null, daily_abandonment: null };
    const { data } = await harness.adminJson('cohort', 'list');
    expect(data).toEqual([
      {
        cohort: 'beta',
        daily_request_cap: 10_000,
        daily_spend_cap: '100.000000000',
        ...allowance,
        accounts: 0,
      },
      { cohort: 'partners', daily_request_cap: 6, daily_spend_cap: '0.000000000', ...allowance, accounts: 0 },
    ]);
    expect((await harness.admin('cohort', 'list')).out).toMatch(
      /^partners +6 +0\.000000000 +1 +0\.000000000 +0$/m,
    );
  });

  it('have an allowance for abandoned requests, which stays unless it is given', async () => {
    const own = ['--daily-abandoned', '2', '--daily-abandonment', '0.50'];
    const args = ['cohort', 'set', 'leavers', '--daily-requests', '5', '--daily-spend', '1'];
    await harness.adminJson(...args, ...own);
    const kept = { daily_abandoned_requests: 2, daily_abandonment: '0.500000000' };
    expect(await harness.adminJson(...args)).toMatchObject(kept);
    expect(await harness.adminJson(...args, '--daily-abandonment', 'default')).toMatchObject({
      ...{ ...kept, daily_abandonment: null },
    });
    expect((await harness.admin('cohort', 'list')).out).toMatch(
      /^leavers +5 +1\.000000000 +2 +0\.200000000 +0$/m,
    );
  });

  it('accept an account, which gets their caps and keeps its own', async () => {
    await set('testers', '7', '2');
    const id = await newAccount();
    await harness.adminJson('account', 'caps', id, '--daily-spend', '3');
    expect(await harness.adminJson('account', 'cohort', id, '--to', 'testers')).toEqual({
      account_id: id,
      cohort: 'testers',
    });
    expect(await harness.adminJson('account', 'show', id)).toMatchObject({
      cohort: 'testers',
      daily_request_cap: 7,
      daily_spend_cap: '3.000000000',
      own_caps: { requests: false, spend: true, abandoned_requests: false, abandonment: false },
    });
  });

  it.each(['Beta', '', 'a b', '-x'])('cannot be named "%s"', async (name) => {
    const { exitCode } = await harness.admin(
      'cohort',
      'set',
      name,
      '--daily-requests',
      '1',
      '--daily-spend',
      '1',
    );
    expect(exitCode).toBe(2);
  });

  it('unknown cohorts and unknown accounts are reported, and nothing is moved', async () => {
    const id = await newAccount();
    expect((await harness.admin('account', 'cohort', id, '--to', 'none')).err).toBe(
      'There is no cohort "none". Choose one from the list of cohorts.\n',
    );
    const nobody = 'acct_01jd0000000000000000000000';
    expect((await harness.admin('account', 'cohort', nobody, '--to', 'beta')).err).toBe(
      `There is no account ${nobody}.\n`,
    );
  });
});

describe('account list', () => {
  it('filters by status, by cohort, and by a text in the address or name', async () => {
    await set('listed', '1', '1');
    const [one, two, three] = [await newAccount(), await newAccount(), await newAccount()];
    for (const id of [one, two, three]) await harness.adminJson('account', 'cohort', id, '--to', 'listed');
    await harness.adminJson('account', 'suspend', two);
    await harness.pool.query(`UPDATE account SET name = 'Grace_100% Hopper' WHERE id = (
      SELECT id FROM account WHERE cohort_name = 'listed' ORDER BY id DESC LIMIT 1)`);
    const list = async (...args: string[]) => idsOf(await harness.adminJson('account', 'list', ...args));
    expect(await list('--cohort', 'listed')).toEqual([three, two, one]);
    expect(await list('--cohort', 'listed', '--status', 'suspended')).toEqual([two]);
    expect(await list('--search', 'grace_100% h')).toEqual([three]);
    // Wildcards of LIKE are ordinary characters here.
    expect(await list('--search', 'grace%hopper')).toEqual([]);
    const { out } = await harness.admin('account', 'list', '--cohort', 'listed', '--limit', '2');
    expect(out).toContain(`More: admin account list --cohort listed --limit 2 --after ${two}\n`);
    expect((await harness.admin('account', 'list', '--status', 'gone')).exitCode).toBe(2);
  });
});
