import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import type { PoolClient } from 'pg';
import {
  askForSignInMail,
  claimMail,
  endMail,
  postInviteMail,
  postMailsAgain,
  purgeMails,
} from './mail-queue';

/** The hash of a browser's cookie. */
const BROWSER = Buffer.from('browser');

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

async function onlyMailId(): Promise<string> {
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM mail');
  expect(rows).toHaveLength(1);
  return rows[0]?.id ?? '';
}

async function begin(): Promise<PoolClient> {
  const client = await db.workerPool.connect();
  await client.query('BEGIN');
  return client;
}

async function end(client: PoolClient, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  await client.query(how);
  client.release();
}

it('the account service requests a mail without looking up the address', async () => {
  for (const address of ['nobody@example.com', `${await givenAccount(db.pool)}@example.com`]) {
    await askForSignInMail(db.accountPool, { address, language: 'en', browserSha256: BROWSER });
  }
  const { rows } = await db.pool.query(
    `SELECT m.kind, m.account_id, o.job, o.payload = jsonb_build_object('mailId', m.id) AS "isOfMail"
     FROM mail m JOIN outbox o USING (id)`,
  );
  const row = { kind: 'sign_in', account_id: null, job: 'send-mail', isOfMail: true };
  expect(rows).toEqual([row, row]);
});

it('a claimed mail has the current recipient', async () => {
  const accountId = await givenAccount(db.pool, { inviteStatus: 'invited', balanceNano: 7n });
  await askForSignInMail(db.accountPool, {
    address: `${accountId}@example.com`,
    language: 'en',
    browserSha256: BROWSER,
  });
  const client = await begin();
  const claimed = await claimMail(client, await onlyMailId());
  expect(claimed).toEqual({
    kind: 'sign_in',
    ageMs: expect.any(Number) as number,
    account: {
      ...{ id: accountId, email: `${accountId}@example.com`, name: 'Ada', inviteStatus: 'invited' },
      language: 'en',
      ...{ availableNano: 7n, lowBalanceNano: undefined },
    },
    browserSha256: BROWSER,
  });
  await end(client, 'ROLLBACK');
});

it("a mail to an unknown address has no account; its age is by the database's clock", async () => {
  await askForSignInMail(db.accountPool, {
    address: 'nobody@example.com',
    language: 'en',
    browserSha256: BROWSER,
  });
  await db.pool.query(`UPDATE mail SET created_at = created_at - interval '1 hour'`);
  const client = await begin();
  const claimed = await claimMail(client, await onlyMailId());
  expect(claimed).toMatchObject({ kind: 'sign_in', account: undefined });
  expect(Math.round((claimed?.ageMs ?? 0) / 60_000)).toBe(60);
  await end(client, 'ROLLBACK');
});

it.each([
  ['and then gets nothing, where the first one has ended it', 'COMMIT', undefined],
  ['and then gets it, where the first one has failed', 'ROLLBACK', { kind: 'invite' }],
] as const)('a second claim of a mail waits, %s', async (_, how, expected) => {
  const accountId = await givenAccount(db.pool);
  await postInviteMail(db.pool, accountId);
  const mailId = await onlyMailId();
  const [one, other] = [await begin(), await begin()];
  await claimMail(one, mailId);
  const waiting = claimMail(other, mailId);
  await untilSomebodyWaits();
  await endMail(one, mailId, { outcome: 'sent', accountId });
  await end(one, how);
  const claimed = await waiting;
  if (expected) expect(claimed).toMatchObject(expected);
  else expect(claimed).toBeUndefined();
  await end(other, 'ROLLBACK');
});

async function untilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { rowCount } = await db.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rowCount) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it('an ended mail loses its address and keeps its account', async () => {
  const accountId = await givenAccount(db.pool);
  await askForSignInMail(db.accountPool, {
    address: `${accountId}@example.com`,
    language: 'en',
    browserSha256: BROWSER,
  });
  const mailId = await onlyMailId();
  const client = await begin();
  await endMail(client, mailId, { outcome: 'sent', accountId });
  await end(client, 'COMMIT');
  const { rows } = await db.pool.query('SELECT address, account_id, outcome FROM mail');
  expect(rows).toEqual([{ address: null, account_id: accountId, outcome: 'sent' }]);
});

it('mails whose jobs are lost are posted again under their id, once, unless they have ended', async () => {
  await askForSignInMail(db.accountPool, {
    address: 'new@example.com',
    language: 'en',
    browserSha256: BROWSER,
  });
  await db.pool.query('DELETE FROM outbox');
  expect(await postMailsAgain(db.workerPool)).toBe(0);
  await db.pool.query(`UPDATE mail SET created_at = created_at - interval '11 minutes'`);
  expect(await postMailsAgain(db.workerPool)).toBe(1);
  expect(await postMailsAgain(db.workerPool)).toBe(0);
  expect((await db.pool.query('SELECT id, payload FROM outbox')).rows).toEqual([
    { id: await onlyMailId(), payload: { mailId: await onlyMailId() } },
  ]);
  await db.pool.query('DELETE FROM outbox');
  await endMail(db.pool, await onlyMailId(), { outcome: 'not_wanted', accountId: undefined });
  expect(await postMailsAgain(db.workerPool)).toBe(0);
});

it('mails are deleted thirty days after their end, and kept before it', async () => {
  for (const address of ['a@example.com', 'b@example.com', 'c@example.com']) {
    await askForSignInMail(db.accountPool, { address, language: 'en', browserSha256: BROWSER });
  }
  await db.pool.query(
    `UPDATE mail SET ended_at = now() - CASE address WHEN 'a@example.com' THEN interval '31 days'
       ELSE interval '29 days' END, outcome = 'sent', address = NULL WHERE address <> 'c@example.com'`,
  );
  expect(await purgeMails(db.workerPool)).toBe(1);
  expect(await purgeMails(db.workerPool)).toBe(0);
  expect((await db.pool.query('SELECT FROM mail')).rowCount).toBe(2);
});
