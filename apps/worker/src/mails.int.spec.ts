import { createSignInLink, endAllAccountSessions, findSignInLink, openAccounts } from '@farebox/accounts';
import { holdMail } from '@farebox/mail';
import type { Pool } from 'pg';
import { openSendMailHarness, tokenIn, type SendMailHarness } from '../test/send-mail-harness';

let harness: SendMailHarness;
beforeEach(async () => {
  harness = await openSendMailHarness();
});
afterEach(() => harness.close());

it('a requested link is created and mailed, and works', async () => {
  const { accountId, email } = await harness.givenPerson();
  const mailId = await harness.postSignIn(email);
  await harness.send(mailId);
  const [mail] = harness.smtp.mails;
  expect(mail).toMatchObject({
    recipients: [email],
    subject: 'Sign in to Farebox',
    headers: { 'message-id': [`<${mailId}@example.com>`] },
  });
  const link = await findSignInLink(harness.db.accountPool, tokenIn(mail?.text));
  expect(link).toEqual({ purpose: 'sign_in', email, language: null });
  expect(await harness.outcomeOf(mailId)).toBe('sent');
  expect(harness.records()).toMatchObject([
    { event: 'mail', outcome: 'sent', mail_kind: 'sign_in', job_id: mailId },
  ]);
  expect(harness.records()[0]?.account_id).toMatch(/^acct_/);
  const { rows } = await harness.db.pool.query('SELECT account_id FROM mail');
  expect(rows).toEqual([{ account_id: accountId }]);
});

it.each([
  ['that of the browser that asked', null, 'de', 'Anmelden bei Farebox'],
  ['that of the account', 'en', 'de', 'Sign in to Farebox'],
  ['English for one that no version has', 'xx', 'de', 'Sign in to Farebox'],
] as const)('the language of a mail is %s', async (_, ofAccount, ofBrowser, subject) => {
  const { accountId, email } = await harness.givenPerson();
  await harness.db.pool.query('UPDATE account SET language = $2 WHERE id = $1', [accountId, ofAccount]);
  await harness.send(await harness.postSignIn(email, ofBrowser));
  expect(await harness.smtp.mailsTo(email)).toMatchObject([{ subject }]);
});

it('a mail that nobody asked for is in the language of the account', async () => {
  const { accountId, email } = await harness.givenPerson({ inviteStatus: 'invited' });
  await harness.db.pool.query(`UPDATE account SET language = 'de' WHERE id = $1`, [accountId]);
  await harness.send(await harness.postInvite(accountId));
  const [mail] = await harness.smtp.mailsTo(email);
  expect(mail).toMatchObject({ subject: 'Ihre Einladung zu Farebox' });
  expect(mail?.text).toContain('Guten Tag Ada,');
});

it('an invite is mailed with its own link, which accepts it', async () => {
  const { accountId, email } = await harness.givenPerson({ inviteStatus: 'invited' });
  await harness.send(await harness.postInvite(accountId));
  const [mail] = await harness.smtp.mailsTo(email);
  expect(mail).toMatchObject({ subject: 'Your invitation to Farebox' });
  expect(mail?.text).toContain('Hello Ada,');
  const link = await findSignInLink(harness.db.accountPool, tokenIn(mail?.text));
  expect(link).toEqual({ purpose: 'invite', email, language: null });
});

it('a low-balance mail has the balance at the time of sending', async () => {
  const { accountId, email } = await harness.givenPerson({ balanceNano: 4_200_000_000n });
  const mailId = await harness.postLowBalance(accountId, 5_000_000_000n);
  await harness.db.pool.query('UPDATE account_funds SET held_nano = 1000000000 WHERE account_id = $1', [
    accountId,
  ]);
  await harness.send(mailId);
  const [mail] = await harness.smtp.mailsTo(email);
  expect(mail?.text).toContain('has 3.20 dollars left: less than the 5.00 dollars');
});

it('a new-browser mail has the time and place, and no text of the user agent', async () => {
  const { accountId, email } = await harness.givenPerson();
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/143.0 see https://evil.example';
  const mailId = await harness.postNewBrowser(accountId, { network: '192.0.2.0/24', userAgent });
  await harness.send(mailId);
  const [mail] = await harness.smtp.mailsTo(email);
  expect(mail).toMatchObject({ subject: 'New sign-in to Farebox' });
  expect(mail?.text).toContain('Where: Firefox on Linux, network 192.0.2.0/24\n');
  expect(mail?.text).toContain('\nhttps://farebox.test/security\n');
  expect(String(mail?.text) + String(mail?.html)).not.toContain('evil');
  expect(await harness.outcomeOf(mailId)).toBe('sent');
});

describe('a mail about a disabled webhook', () => {
  const URL_WITH_TOKEN = 'https://hooks.example.com/in/t0ken';

  it('has its host alone, and leads to its page', async () => {
    const { accountId, email } = await harness.givenPerson();
    await harness.send(await harness.postWebhookDisabled(accountId, URL_WITH_TOKEN));
    const [mail] = await harness.smtp.mailsTo(email);
    expect(mail).toMatchObject({ subject: 'A webhook of your Farebox account is disabled' });
    expect(mail?.text).toContain('because hooks.example.com answered with status 410');
    expect(mail?.text).toMatch(/\nhttps:\/\/farebox\.test\/webhooks\/hook_[0-9a-z]{26}\n/);
    expect(String(mail?.text) + String(mail?.html) + harness.logged()).not.toContain('t0ken');
  });

  it.each([
    ['enabled again', 'UPDATE webhook_endpoint SET off_reason = NULL'],
    ['disabled by its owner, once it was on again', `UPDATE webhook_endpoint SET off_reason = 'owner'`],
    ['deleted', 'DELETE FROM webhook_endpoint'],
  ])('is not sent if it is %s', async (_, sql) => {
    const { accountId } = await harness.givenPerson();
    const mailId = await harness.postWebhookDisabled(accountId, URL_WITH_TOKEN);
    await harness.db.pool.query(sql);
    await harness.send(mailId);
    expect(harness.smtp.mails).toEqual([]);
    expect(await harness.outcomeOf(mailId)).toBe('not_wanted');
  });
});

it('an unknown address gets no mail, and nothing about it is logged or kept', async () => {
  const mailId = await harness.postSignIn('nobody@example.com');
  await harness.send(mailId);
  expect(harness.smtp.mails).toEqual([]);
  expect(harness.logged()).toBe('');
  const { rows } = await harness.db.pool.query('SELECT outcome, address, account_id FROM mail');
  expect(rows).toEqual([{ outcome: 'not_wanted', address: null, account_id: null }]);
});

it('a link that could not be mailed within fifteen minutes is not mailed at all', async () => {
  const { email } = await harness.givenPerson();
  const mailId = await harness.postSignIn(email);
  await harness.db.pool.query(`UPDATE mail SET created_at = created_at - interval '16 minutes'`);
  await harness.send(mailId);
  expect(harness.smtp.mails).toEqual([]);
  expect(harness.records()).toMatchObject([{ event: 'mail', level: 'warn', outcome: 'expired' }]);
  expect((await harness.db.pool.query('SELECT FROM sign_in_link')).rowCount).toBe(0);
});

describe('a mail delivered more than once', () => {
  it('is sent once for two deliveries in a row', async () => {
    const { email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    await harness.send(mailId);
    await harness.send(mailId);
    expect(harness.smtp.mails).toHaveLength(1);
  });

  it('is sent once for ten concurrent deliveries', async () => {
    const { email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    await Promise.all(Array.from({ length: 10 }, () => harness.send(mailId)));
    expect(harness.smtp.mails).toHaveLength(1);
    expect(harness.records()).toHaveLength(1);
  });

  it('is sent by the waiting delivery if the first one fails', async () => {
    const { email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    let refusals = 1;
    harness.smtp.refuse = () => (refusals-- > 0 ? '451 later' : undefined);
    const outcomes = await Promise.allSettled([harness.send(mailId), harness.send(mailId)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(harness.smtp.mails).toHaveLength(1);
  });

  it('is sent again under the same Message-ID if the database is lost after the mail server accepted it', async () => {
    const { email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    harness.smtp.beforeTaking = async () => {
      harness.smtp.beforeTaking = undefined;
      await harness.db.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'claims-test'`,
      );
    };
    await expect(harness.send(mailId)).rejects.toThrow();
    await harness.send(mailId);
    const mails = await harness.smtp.mailsTo(email, 2);
    const ids = mails.map(({ headers }) => headers['message-id']);
    expect(ids[0]).toEqual(ids[1]);
    // Whichever of them a mailbox keeps, its link works.
    for (const mail of mails) {
      expect(await findSignInLink(harness.db.accountPool, tokenIn(mail.text))).toBeDefined();
    }
  });
});

describe('signing out everywhere', () => {
  const signOut = (accountId: string) =>
    endAllAccountSessions(accountId, openAccounts(harness.db.accountPool), {
      kind: 'operator',
      name: 'ada',
    });

  async function untilSomebodyWaits(): Promise<void> {
    const sql = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await harness.db.pool.query(sql)).rowCount === 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Whether the link of each sent mail still signs in. */
  const worksOf = (): Promise<boolean[]> =>
    Promise.all(
      harness.smtp.mails.map(
        async ({ text }) => (await findSignInLink(harness.db.accountPool, tokenIn(text))) !== undefined,
      ),
    );

  it('drops unsent mails with links, and no others', async () => {
    const { accountId, email } = await harness.givenPerson();
    const other = await harness.givenPerson();
    const lowBalance = await harness.postLowBalance(accountId, 10_000_000_000_000n);
    const dropped = [await harness.postSignIn(email), await harness.postInvite(accountId)];
    const kept = [lowBalance, await harness.postSignIn(other.email)];
    expect(await signOut(accountId)).toEqual({ sessions: 0, links: 0, mails: 2 });
    for (const mailId of [...dropped, ...kept]) await harness.send(mailId);
    expect(await Promise.all(dropped.map((mailId) => harness.outcomeOf(mailId)))).toEqual([
      'not_wanted',
      'not_wanted',
    ]);
    expect(await Promise.all(kept.map((mailId) => harness.outcomeOf(mailId)))).toEqual(['sent', 'sent']);
    const { rows } = await harness.db.pool.query('SELECT address, account_id FROM mail WHERE id = $1', [
      dropped[0],
    ]);
    expect(rows).toEqual([{ address: null, account_id: accountId }]);
  });

  it('does not affect a link requested afterwards', async () => {
    const { accountId, email } = await harness.givenPerson();
    await harness.postSignIn(email);
    await signOut(accountId);
    await harness.send(await harness.postSignIn(email));
    expect(await worksOf()).toEqual([true]);
  });

  it('ends the link of a mail that is being sent, without waiting for it', async () => {
    const { accountId, email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    harness.smtp.beforeTaking = async () => {
      await signOut(accountId);
    };
    await harness.send(mailId);
    expect(await worksOf()).toEqual([false]);
    expect(await harness.outcomeOf(mailId)).toBe('sent');
  });

  it('drops a mail that the mail server has deferred', async () => {
    const { accountId, email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    harness.smtp.beforeTaking = async () => {
      await signOut(accountId);
    };
    harness.smtp.refuse = () => '451 later';
    await expect(harness.send(mailId)).rejects.toThrow('the mail was not sent: EMESSAGE 451');
    [harness.smtp.beforeTaking, harness.smtp.refuse] = [undefined, undefined];
    await harness.send(mailId);
    expect(harness.smtp.mails).toEqual([]);
    expect(await harness.outcomeOf(mailId)).toBe('not_wanted');
  });

  it('drops a claimed mail whose link does not exist yet', async () => {
    const { accountId, email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    const { workerPool } = harness.db;
    const pool = Object.create(workerPool) as Pool;
    pool.connect = async () => {
      await signOut(accountId);
      return workerPool.connect();
    };
    await harness.send(mailId, { pool });
    expect(harness.smtp.mails).toEqual([]);
    expect(await harness.outcomeOf(mailId)).toBe('not_wanted');
    expect((await harness.db.pool.query('SELECT FROM sign_in_link')).rowCount).toBe(0);
  });

  it('waits for a link that is being created for a mail, and ends it', async () => {
    const { accountId, email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    const client = await harness.db.workerPool.connect();
    await client.query('BEGIN');
    expect(await holdMail(client, mailId)).toBe(true);
    const { token } = await createSignInLink(accountId, client, 'sign_in');
    const signedOut = signOut(accountId);
    await untilSomebodyWaits();
    await client.query('COMMIT');
    client.release();
    expect(await signedOut).toEqual({ sessions: 0, links: 1, mails: 1 });
    expect(await findSignInLink(harness.db.accountPool, token)).toBeUndefined();
  });
});

describe('a mail server', () => {
  it('that defers a mail is retried: the failure says so, without its words', async () => {
    const { email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    harness.smtp.refuse = () => `451 4.3.0 lt-canary to ${email}: later`;
    await expect(harness.send(mailId)).rejects.toThrow(/^the mail was not sent: EMESSAGE 451$/);
    expect(await harness.outcomeOf(mailId)).toBeNull();
    harness.smtp.refuse = undefined;
    await harness.send(mailId);
    expect(await harness.outcomeOf(mailId)).toBe('sent');
  });

  it('that rejects a mail for good is not retried', async () => {
    const { email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    harness.smtp.refuse = () => `550 5.7.1 lt-canary to ${email}: no`;
    await harness.send(mailId);
    expect(harness.records()).toMatchObject([
      { event: 'mail', level: 'error', outcome: 'refused', reason: 'EMESSAGE', status: 550 },
    ]);
    expect(harness.logged()).not.toMatch(/canary|example\.com/);
  });

  it('that is down is retried', async () => {
    const { email } = await harness.givenPerson();
    const mailId = await harness.postSignIn(email);
    await harness.smtp.close();
    await expect(harness.send(mailId)).rejects.toThrow('the mail was not sent: ESOCKET');
    expect(await harness.outcomeOf(mailId)).toBeNull();
  });
});

describe('without a mail server', () => {
  it('a mail ends without a link, and the log has the reason', async () => {
    const { accountId, email } = await harness.givenPerson();
    for (const mailId of [await harness.postSignIn(email), await harness.postInvite(accountId)]) {
      await harness.send(mailId, { mailer: undefined });
      expect(await harness.outcomeOf(mailId)).toBe('no_mail_server');
    }
    expect(harness.records()).toMatchObject([
      { event: 'mail', level: 'warn', outcome: 'no_mail_server', mail_kind: 'sign_in' },
      { event: 'mail', level: 'warn', outcome: 'no_mail_server', mail_kind: 'invite' },
    ]);
    expect((await harness.db.pool.query('SELECT FROM sign_in_link')).rowCount).toBe(0);
  });

  it('in development the requested link is in the log if it leads to this machine', async () => {
    const { email } = await harness.givenPerson();
    const local = { mailer: undefined, showsLinks: true, publicUrl: 'http://127.0.0.1:8080' };
    await harness.send(await harness.postSignIn(email), local);
    const [shown, ended] = harness.records();
    expect(shown?.sign_in_link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/auth\/links\/lt-[\w-]{43}$/);
    expect(ended).toMatchObject({ event: 'mail', outcome: 'shown' });
    const token = String(shown?.sign_in_link).split('/').at(-1) ?? '';
    expect(await findSignInLink(harness.db.accountPool, token)).toMatchObject({ purpose: 'sign_in' });
  });
});

it('no link token is stored or logged anywhere', async () => {
  const { accountId, email } = await harness.givenPerson({ inviteStatus: 'invited' });
  for (const mailId of [await harness.postSignIn(email), await harness.postInvite(accountId)])
    await harness.send(mailId);
  const tokens = (await harness.smtp.mailsTo(email, 2)).map(({ text }) => tokenIn(text));
  const tables = ['outbox', 'mail', 'sign_in_link', 'account'];
  for (const table of tables) {
    const { rows } = await harness.db.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`);
    for (const token of tokens) expect(rows.map(({ row }) => row).join('\n')).not.toContain(token);
  }
  expect(harness.logged()).not.toContain('lt-');
});
