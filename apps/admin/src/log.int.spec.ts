import { createSession } from '@farebox/accounts';
import { fromPublicId, toPublicId } from '@farebox/auth';
import { givenAccount } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';
import { createReviewsHarness } from '../test/reviews-harness';

let harness: AdminHarness;
let accountId: string;

beforeAll(async () => {
  harness = await openAdminHarness();
  const as = (name: string, ...args: string[]) => harness.adminJson(...args, '--by', name);
  const created = await as('ada', 'account', 'create', '--email', 'eve@example.com', '--name', 'Eve');
  accountId = String(created.account_id);
  await as('ada', 'account', 'activate', accountId);
  await as('grace', 'account', 'fund', accountId, '--amount', '5', '--reference', 'wire-1', '--yes');
  await as('grace', 'session', 'create', accountId);
});
afterAll(() => harness.close());

interface Entry {
  action_id: string;
  at: number;
  action: string;
}

async function list(...args: string[]): Promise<Entry[]> {
  return (await harness.adminJson('log', ...args)).data as Entry[];
}

const actionsOf = (entries: Entry[]): string[] => entries.map(({ action }) => action);

describe('admin log', () => {
  it('lists operators, actions and targets, newest first', async () => {
    const [, fund] = await list();
    expect(fund).toEqual({
      action_id: expect.stringMatching(/^op_/) as string,
      at: expect.any(Number) as number,
      operator: 'grace',
      via: 'shell',
      network: null,
      action: 'account fund',
      target: accountId,
      outcome: 'done',
      details: {
        amount: '5.000000000',
        reference: 'wire-1',
        funding_id: expect.stringMatching(/^fund_/) as string,
      },
    });
    expect(actionsOf(await list())).toEqual([
      ...['session create', 'account fund', 'account activate', 'account create'],
    ]);
  });

  it.each([
    ['an operator', ['--operator', 'ada'], ['account activate', 'account create']],
    ['an operator by --by', ['--by', 'ada'], ['account activate', 'account create']],
    ['a command', ['--action', 'account fund'], ['account fund']],
    ['a group of commands', ['--action', 'account'], ['account fund', 'account activate', 'account create']],
    ['a part of a word, which is nothing', ['--action', 'acc'], []],
    ['a day that has not come', ['--since', '2100-01-01'], []],
    ['a day that is past', ['--since', '2026-01-01', '--limit', '1'], ['session create']],
  ])('filters: %s', async (_, filter, actions) => {
    expect(actionsOf(await list(...filter))).toEqual(actions);
  });

  it('lists the actions on one target', async () => {
    expect(await list('--target', accountId)).toHaveLength(4);
    expect((await harness.admin('log', '--target', 'acct_other')).out).toBe('There are no such actions.\n');
  });

  it('lists everything that was done to an account, also to what it has', async () => {
    const id = toPublicId('acct', await givenAccount(harness.pool, { balanceNano: 1_000_000_000n }));
    const { reviewId } = await createReviewsHarness(harness).givenChargeFailed(
      true,
      fromPublicId('acct', id),
    );
    const { key_public_id: key } = await harness.adminJson('key', 'create', id, '--name', 'laptop');
    await harness.adminJson('account', 'caps', id, '--daily-requests', '7');
    await harness.adminJson('limit', 'set', '--account', id, '--requests', '5', '--per', 'day');
    await harness.adminJson('limit', 'set', '--key', String(key), '--requests', '5', '--per', 'day');
    await harness.adminJson('key', 'revoke', String(key), '--yes');
    await harness.adminJson('session', 'create', id);
    await harness.adminJson('session', 'revoke', '--all-of', id);
    await harness.adminJson('review', 'resolve', reviewId, '--waive', '--yes');
    await harness.adminJson('account', 'suspend', id);
    expect(actionsOf(await list('--target', id)).sort()).toEqual([
      ...['account caps', 'account suspend', 'key create', 'key revoke', 'limit set', 'limit set'],
      ...['review resolve', 'session create', 'session revoke'],
    ]);
  });

  it('continues in pages', async () => {
    const [first, second] = [await list('--limit', '1'), await list('--limit', '2')];
    expect(await list('--limit', '1', '--after', first[0]?.action_id ?? '')).toEqual([second[1]]);
    const { out } = await harness.admin('log', '--action', 'account fund', '--limit', '1');
    expect(out.split('\n')[1]).toMatch(
      /^\S+Z {2}grace +shell +account fund +acct_\w+ +amount=5\.000000000 reference=wire-1/,
    );
    expect((await harness.admin('log', '--action', 'account', '--limit', '1')).out).toContain(
      'More: admin log --action account --limit 1 --after op_',
    );
  });

  it.each([
    ['--since', 'last week'],
    ['--limit', '0'],
    ['--after', 'acct_01jd0000000000000000000000'],
  ])('refuses %s %s', async (...args) => {
    expect((await harness.admin('log', ...args)).exitCode).toBe(2);
  });
});

describe('admin account events', () => {
  it('lists who created and ended a key, in pages, newest first', async () => {
    const created = await harness.adminJson('key', 'create', accountId, '--name', 'laptop', '--by', 'ada');
    const keyId = String(created.key_public_id);
    await harness.adminJson('key', 'revoke', keyId, '--yes', '--by', 'grace');
    const page = await harness.adminJson('account', 'events', accountId, '--limit', '2');
    const event = { event_id: expect.stringMatching(/^evt_/) as string, at: expect.any(Number) as number };
    const ofKey = {
      ...{ ...event, credential: 'api_key', credential_id: keyId, actor_kind: 'operator' },
      ...{ network: null, user_agent: null, new_browser: false },
    };
    expect(page.data).toEqual([
      { ...ofKey, action: 'revoke', actor: 'grace' },
      { ...ofKey, action: 'create', actor: 'ada' },
    ]);
    const { out } = await harness.admin('account', 'events', accountId, '--limit', '1');
    expect(out.split('\n')[1]).toMatch(new RegExp(`^\\S+Z {2}operator grace {2}revoke {2}${keyId}$`));
    const next = /--after (evt_\w+)/.exec(out)?.[1] ?? '';
    const after = await harness.adminJson('account', 'events', accountId, '--limit', '1', '--after', next);
    expect(after.data).toEqual((page.data as unknown[]).slice(1));
  });

  it('shows the network and the browser of a sign-in', async () => {
    const id = await givenAccount(harness.pool);
    await createSession(id, harness.pool, {
      caller: { network: '192.0.2.0/24', userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/143.0' },
      browser: { token: 'new', isInvited: false },
    });
    const args = ['account', 'events', toPublicId('acct', id)];
    expect((await harness.adminJson(...args)).data).toMatchObject([
      {
        ...{ network: '192.0.2.0/24', new_browser: true },
        user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/143.0',
      },
    ]);
    expect((await harness.admin(...args)).out.split('\n')[1]).toMatch(
      / {2}create {2}sess_\w+ {2}192\.0\.2\.0\/24 {2}Mozilla\/5\.0 \(X11; Linux x86_64\) Firefox\/143\.0$/,
    );
  });

  it('reports that an account without credentials has no events', async () => {
    const created = await harness.adminJson(
      'account',
      'create',
      '--email',
      'new@example.com',
      '--name',
      'New',
    );
    const { out } = await harness.admin('account', 'events', String(created.account_id));
    expect(out).toBe('The account has no credential events.\n');
  });
});
