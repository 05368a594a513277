import { findSession, openAccounts, spendSignInLink } from '@farebox/accounts';
import { openAdminHarness, runInside, type AdminHarness } from '../test/admin-harness';

const VISITOR = { caller: { network: null, userAgent: null }, browserToken: 'browser' };

let harness: AdminHarness;
let number = 0;

beforeAll(async () => {
  harness = await openAdminHarness();
});
afterAll(() => harness.close());

const someone = (): string => `ada${String(++number)}@example.com`;
const invite = (email: string, ...args: string[]) =>
  harness.adminJson('account', 'invite', '--email', email, ...args);
const show = (id: unknown) => harness.adminJson('account', 'show', String(id));
const spend = (link: unknown) =>
  spendSignInLink(openAccounts(harness.pool), String(link).split('/').at(-1) ?? '', VISITOR);

describe('account invite', () => {
  it('creates an invited account, and a link that activates it', async () => {
    const email = someone();
    const invited = await invite(email, '--name', 'Ada');
    expect(invited).toEqual({
      account_id: expect.stringMatching(/^acct_[0-9a-z]{26}$/) as string,
      invite_status: 'invited',
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/auth\/links\/lt-[\w-]{43}$/) as string,
      expires_at: expect.any(Number) as number,
      mail: 'posted',
    });
    expect(await show(invited.account_id)).toMatchObject({ email, name: 'Ada', invite_status: 'invited' });

    const signedIn = await spend(invited.link);
    expect(await findSession(harness.pool, signedIn?.sessionToken ?? '')).toMatchObject({
      inviteStatus: 'active',
    });
    expect(await show(invited.account_id)).toMatchObject({ invite_status: 'active' });
  });

  it('names an account after its address by default', async () => {
    const { account_id } = await invite('Grace.Hopper@Example.com');
    expect(await show(account_id)).toMatchObject({
      email: 'grace.hopper@example.com',
      name: 'grace.hopper',
    });
  });

  it('gives the starting credit once, however often it is repeated', async () => {
    const email = someone();
    const first = await invite(email, '--credit', '5.00');
    expect(first).toMatchObject({ credit: '5.000000000', currency: 'usd' });
    const again = await invite(email, '--credit', '5');
    expect(again.account_id).toBe(first.account_id);
    expect(again.link).not.toBe(first.link);
    expect(await show(first.account_id)).toMatchObject({ balance: '5.000000000' });
    const { rows } = await harness.pool.query(`SELECT method FROM funding WHERE reference LIKE 'invite-%'`);
    expect(rows).toEqual([{ method: 'credit' }]);
  });

  it('is withdrawn by erasing the account: its links end, and the address can be invited again', async () => {
    const email = someone();
    const invited = await invite(email, '--name', 'Ada', '--credit', '5');
    const id = String(invited.account_id);
    const suspended = await harness.admin('account', 'suspend', id);
    expect(suspended.err).toContain('To withdraw an invite, erase the account.');
    const take = ['--amount', '-5', '--reason', 'invite withdrawn', '--reference', 'withdrawn', '--yes'];
    await harness.adminJson('account', 'adjust', id, ...take);
    expect(await harness.adminJson('account', 'erase', id, '--yes')).toMatchObject({ erased: true });
    expect(await spend(invited.link)).toBeUndefined();
    const mails = await harness.pool.query(
      `SELECT FROM mail WHERE account_id = (SELECT id FROM account WHERE email LIKE 'erased-%') AND ended_at IS NULL`,
    );
    expect(mails.rowCount).toBe(0);

    const again = await invite(email, '--name', 'Ada', '--credit', '5');
    expect(again.account_id).not.toBe(id);
    expect(await spend(again.link)).toMatchObject({ sessionToken: expect.any(String) as string });
  });

  it('refuses a second credit of another amount', async () => {
    const email = someone();
    const { account_id } = await invite(email, '--credit', '5');
    const { exitCode, out, err } = await harness.admin(
      'account',
      'invite',
      '--email',
      email,
      '--credit',
      '6',
    );
    expect({ exitCode, out, err }).toEqual({
      exitCode: 1,
      out: '',
      err: `The account ${String(account_id)} was given a different starting credit before: nothing changed.\n`,
    });
    expect(await show(account_id)).toMatchObject({ balance: '5.000000000' });
  });

  it('creates one account with one credit if run concurrently', async () => {
    const email = someone();
    const answers = await Promise.all([1, 2, 3].map(() => invite(email, '--name', 'Race', '--credit', '1')));
    expect(new Set(answers.map((answer) => answer.account_id)).size).toBe(1);
    expect(await show(answers[0]?.account_id)).toMatchObject({ balance: '1.000000000' });
  });

  it('invites an account with status none, leaves an active one active, and a suspended one unchanged', async () => {
    const email = someone();
    const { account_id } = await invite(email);
    const setStatus = (status: string) =>
      harness.pool.query('UPDATE account SET invite_status = $2::invite_status WHERE email = $1', [
        email,
        status,
      ]);
    await setStatus('none');
    expect(await invite(email)).toMatchObject({ invite_status: 'invited' });
    await setStatus('active');
    expect(await invite(email)).toMatchObject({ account_id, invite_status: 'active' });
    await setStatus('suspended');
    const refused = await harness.admin('account', 'invite', '--email', email);
    expect(refused).toEqual({
      exitCode: 1,
      out: '',
      err: `The account ${String(account_id)} is suspended, and an invite does not change that: activate it.\n`,
    });
  });

  it('refuses an address that belongs to another name', async () => {
    const email = someone();
    await invite(email, '--name', 'Ada');
    const { exitCode, err } = await harness.admin('account', 'invite', '--email', email, '--name', 'Eve');
    expect(exitCode).toBe(1);
    expect(err).toBe(`The e-mail ${email} belongs to an account with the name "Ada" already.\n`);
  });

  it('prints the link for a person', async () => {
    const { exitCode, out } = await harness.admin('account', 'invite', '--email', someone());
    expect(exitCode).toBe(0);
    expect(out).toMatch(
      /^http:\/\/127\.0\.0\.1:8080\/auth\/links\/lt-\S+\nThis link signs ada\d+@example\.com in/,
    );
  });

  it.each([
    [['--credit', '0']],
    [['--credit', '-1']],
    [['--email', 'ada@example.com, eve@example.com']],
    [[]],
  ])('refuses %j as wrong usage', async (args) => {
    const email = args.includes('--email') || args.length === 0 ? [] : ['--email', someone()];
    expect((await harness.admin('account', 'invite', ...email, ...args)).exitCode).toBe(2);
  });
});

describe('the invitation mail', () => {
  const posted = async (email: string) =>
    (
      await harness.pool.query<Record<string, unknown>>(
        `SELECT m.kind, o.job, o.payload->>'mailId' = m.id::text AS "isOfMail"
         FROM mail m JOIN outbox o USING (id) JOIN account a ON a.id = m.account_id WHERE a.email = $1`,
        [email],
      )
    ).rows;

  it('is posted with each invite, and contains no link', async () => {
    const email = someone();
    const { account_id, link } = await invite(email);
    expect(await posted(email)).toEqual([{ kind: 'invite', job: 'send-mail', isOfMail: true }]);
    expect(await show(account_id)).toMatchObject({ last_mail: { kind: 'invite', state: 'waiting' } });
    const { rows } = await harness.pool.query<{ row: string }>(
      'SELECT m::text AS row FROM mail m UNION ALL SELECT o::text FROM outbox o',
    );
    const token = String(link).split('/').at(-1) ?? '';
    expect(rows.map(({ row }) => row).join('\n')).not.toContain(token);
    await invite(email);
    expect(await posted(email)).toHaveLength(2);
  });

  it('is not posted if the invite is refused, nor with --no-mail', async () => {
    const email = someone();
    await invite(email, '--no-mail', '--credit', '5');
    expect(await invite(email, '--no-mail')).toMatchObject({ mail: 'none' });
    expect((await harness.admin('account', 'invite', '--email', email, '--credit', '6')).exitCode).toBe(1);
    expect(await posted(email)).toEqual([]);
    const { out } = await harness.admin('account', 'invite', '--email', email, '--no-mail');
    expect(out).toContain(`No mail is sent: pass it on to ${email} yourself.`);
  });

  it('is announced with the target of its link and where to see its outcome', async () => {
    const environment = { ...harness.environment, FAREBOX_PUBLIC_URL: 'https://farebox.example' };
    const { out } = await runInside(environment, ['account', 'invite', '--email', someone()]);
    expect(out).toMatch(/^https:\/\/farebox\.example\/auth\/links\/lt-/);
    expect(out).toMatch(
      /if it has a mail server \(FAREBOX_MAIL_URL\)\. The account shows whether it was sent\./,
    );
  });
});
