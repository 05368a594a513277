import { toPublicId } from '@farebox/auth';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let number = 0;

beforeAll(async () => {
  harness = await openAdminHarness();
});
afterAll(() => harness.close());

const nobody = 'acct_01jd0000000000000000000000';

async function createAccount(): Promise<string> {
  const email = `ada${String(++number)}@example.com`;
  const { account_id } = await harness.adminJson('account', 'create', '--email', email, '--name', 'Ada');
  return String(account_id);
}

const show = (id: string) => harness.adminJson('account', 'show', id);

describe('account create', () => {
  it('prints only the id, for scripts', async () => {
    const answer = await harness.adminJson(
      'account',
      'create',
      '--email',
      'grace@example.com',
      '--name',
      'Grace',
    );
    expect(answer).toEqual({ account_id: expect.stringMatching(/^acct_[0-9a-z]{26}$/) as string });
    expect(await show(String(answer.account_id))).toMatchObject({
      email: 'grace@example.com',
      name: 'Grace',
      invite_status: 'invited',
      cohort: 'beta',
      balance: '0.000000000',
      available: '0.000000000',
      daily_request_cap: 10_000,
      daily_spend_cap: '100.000000000',
      live_api_keys: 0,
    });
  });

  it('can be repeated, ignoring the case of letters', async () => {
    const first = await harness.adminJson(
      'account',
      'create',
      '--email',
      'twice@example.com',
      '--name',
      'Twice',
    );
    const second = await harness.adminJson(
      'account',
      'create',
      '--email',
      'Twice@Example.com',
      '--name',
      'Twice',
    );
    expect(second).toEqual(first);
  });

  it('refuses an e-mail that belongs to another name', async () => {
    await harness.adminJson('account', 'create', '--email', 'taken@example.com', '--name', 'Taken');
    const { exitCode, out, err } = await harness.admin(
      'account',
      'create',
      '--email',
      'taken@example.com',
      '--name',
      'Eve',
    );
    expect({ exitCode, out, err }).toEqual({
      exitCode: 1,
      out: '',
      err: 'The e-mail taken@example.com belongs to an account with the name "Taken" already.\n',
    });
  });

  it('creates one account if run concurrently', async () => {
    const create = () =>
      harness.adminJson('account', 'create', '--email', 'race@example.com', '--name', 'Race');
    const answers = await Promise.all([create(), create(), create()]);
    expect(new Set(answers.map((answer) => answer.account_id)).size).toBe(1);
  });

  it.each([
    ['no e-mail', ['--name', 'x']],
    ['no name', ['--email', 'x@example.com']],
    ['something that is no e-mail', ['--email', 'example.com', '--name', 'x']],
    ['an empty name', ['--email', 'x@example.com', '--name', ' ']],
    ['an unknown option', ['--email', 'x@example.com', '--name', 'x', '--colour', 'red']],
    ['an argument too many', ['--email', 'x@example.com', '--name', 'x', 'y']],
  ])('refuses %s as wrong usage', async (_, args) => {
    const { exitCode, out, err } = await harness.admin('account', 'create', ...args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(/^error: .+\nAdd --help for the usage and examples\.\n$/);
  });
});

describe('account activate and suspend', () => {
  it('follow the invite states, and can be repeated', async () => {
    const id = await createAccount();
    for (const [command, status] of [
      ['activate', 'active'],
      ['activate', 'active'],
      ['suspend', 'suspended'],
      ['suspend', 'suspended'],
      ['activate', 'active'],
    ] as const) {
      expect(await harness.adminJson('account', command, id)).toEqual({
        account_id: id,
        invite_status: status,
      });
      expect(await show(id)).toMatchObject({ invite_status: status });
    }
  });

  it('do not suspend an account without access', async () => {
    const { exitCode, err } = await harness.admin('account', 'suspend', await createAccount());
    expect(exitCode).toBe(1);
    expect(err).toBe(
      'The account has not been activated (it is "invited"): there is nothing to suspend. ' +
        'To withdraw an invite, erase the account.\n',
    );
  });
});

describe('account fund', () => {
  const fund = (id: string, amount: string, reference: string) =>
    harness.admin('account', 'fund', id, '--amount', amount, '--reference', reference, '--yes', '--json');

  it('credits once per reference', async () => {
    const id = await createAccount();
    const [first, again] = [await fund(id, '25.00', 'wire-17'), await fund(id, '25', 'wire-17')];
    expect(JSON.parse(first.out)).toEqual({
      account_id: id,
      funding_id: expect.stringMatching(/^fund_[0-9a-z]{26}$/) as string,
      amount: '25.000000000',
      currency: 'usd',
      balance_after: '25.000000000',
      created: true,
    });
    expect([again.exitCode, JSON.parse(again.out)]).toEqual([
      0,
      { ...(JSON.parse(first.out) as object), created: false },
    ]);
    expect(await show(id)).toMatchObject({ balance: '25.000000000', available: '25.000000000' });
  });

  it('credits amounts that a float would lose', async () => {
    const id = await createAccount();
    await fund(id, '9000000.000000001', 'large');
    await fund(id, '0.1', 'tenth');
    await fund(id, '0.2', 'fifth');
    expect(await show(id)).toMatchObject({ balance: '9000000.300000001' });
  });

  it('refuses a reference of another amount or another account', async () => {
    const id = await createAccount();
    await fund(id, '1', 'wire-18');
    for (const other of [await fund(id, '2', 'wire-18'), await fund(await createAccount(), '1', 'wire-18')]) {
      expect(other).toEqual({
        exitCode: 1,
        out: '',
        err: 'The reference wire-18 was used for another account or another amount.\n',
      });
    }
    expect(await show(id)).toMatchObject({ balance: '1.000000000' });
  });

  it.each(['0', '0.00', '-5', '1,00', '1e3', '0.0000000001', 'five', ''])(
    'refuses the amount "%s"',
    async (amount) => {
      const { exitCode, out } = await fund(await createAccount(), amount, `refused-${amount}`);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    },
  );

  it('reports an unknown account', async () => {
    expect(await fund(nobody, '1', 'lost')).toEqual({
      exitCode: 1,
      out: '',
      err: `There is no account ${nobody}.\n`,
    });
  });
});

describe('account caps', () => {
  it('sets one, the other, both, and clears them', async () => {
    const id = await createAccount();
    const caps = (...args: string[]) => harness.adminJson('account', 'caps', id, ...args);
    expect(await caps('--daily-requests', '100', '--daily-spend', '5.00')).toEqual({
      account_id: id,
      daily_request_cap: 100,
      daily_spend_cap: '5.000000000',
      daily_abandoned_requests: 10,
      daily_abandonment: '1.000000000',
      own_caps: { requests: true, spend: true, abandoned_requests: false, abandonment: false },
    });
    expect(await caps('--daily-abandoned', '3', '--daily-abandonment', '2.50')).toMatchObject({
      daily_abandoned_requests: 3,
      daily_abandonment: '2.500000000',
      own_caps: { abandoned_requests: true, abandonment: true },
    });
    await caps('--daily-abandoned', 'default', '--daily-abandonment', 'default');
    expect(await caps('--daily-requests', '0')).toMatchObject({
      daily_request_cap: 0,
      daily_spend_cap: '5.000000000',
    });
    expect(await caps('--daily-spend', 'default')).toMatchObject({
      daily_request_cap: 0,
      daily_spend_cap: '100.000000000',
    });
    expect(await caps('--daily-requests', 'default')).toMatchObject({
      own_caps: { requests: false, spend: false, abandoned_requests: false, abandonment: false },
    });
  });

  it.each([
    '',
    '--daily-requests -1',
    '--daily-requests 1.5',
    '--daily-requests 3000000000',
    '--daily-spend -1',
    '--daily-spend none',
  ])('refuses "%s"', async (options) => {
    const args = options.split(' ').filter((arg) => arg !== '');
    const { exitCode, err } = await harness.admin('account', 'caps', nobody, ...args);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/^error: /);
  });
});

describe('account list', () => {
  it('account %s', async () => {
    const created = [await createAccount(), await createAccount(), await createAccount()].reverse();
    const first = await harness.adminJson('account', 'list', '--limit', '2');
    expect(first).toMatchObject({ object: 'list', has_more: true, last_id: created[1] });
    const second = await harness.adminJson(
      'account',
      'list',
      '--limit',
      '1',
      '--after',
      String(first.last_id),
    );
    const ids = [first, second].flatMap((page) =>
      (page.data as { account_id: string }[]).map((one) => one.account_id),
    );
    expect(ids).toEqual(created);
  });
});

it('account show has what was spent today and this month, beside the caps', async () => {
  const accountId = await givenAccount(harness.pool, { balanceNano: 10_000_000_000n });
  const apiKeyId = await givenApiKey(harness.pool, accountId);
  const id = toPublicId('acct', accountId);
  const startOfMonth = new Date(new Date().setUTCDate(1));
  const before = new Date(startOfMonth.getTime() - 2 * 86_400_000);
  for (const [at, costNano] of [
    [before, 5_000_000_000n],
    [startOfMonth, 2_000_000_000n],
    [new Date(), 1_000_000_000n],
  ] as const)
    await givenPastCharge(harness.pool, { accountId, apiKeyId, at, costNano });
  await harness.pool.query('UPDATE account_day SET held_nano = 500000000 WHERE account_id = $1', [accountId]);
  const isFirst = new Date().getUTCDate() === 1;
  expect(await show(id)).toMatchObject({
    ...{ spent_this_month: '3.000000000', held_today: '0.500000000' },
    ...{ spent_today: isFirst ? '3.000000000' : '1.000000000', requests_today: isFirst ? 2 : 1 },
  });
  const { out } = await harness.admin('account', 'show', id);
  expect(out).toMatch(/\ntoday +[12] of 10000 requests, [13]\.000000000 of 100\.000000000 dollars\n/);
  expect(out).toMatch(/\nthis month +3\.000000000 dollars spent\n/);
});

describe.each(['activate', 'suspend', 'show'])('account %s', (command) => {
  it('reports an unknown account', async () => {
    const { exitCode, err } = await harness.admin('account', command, nobody);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: `There is no account ${nobody}.\n` });
  });

  it('requires the id of an account', async () => {
    for (const args of [[], ['ada'], ['key_01jd0000000000000000000000']]) {
      expect((await harness.admin('account', command, ...args)).exitCode).toBe(2);
    }
  });
});
