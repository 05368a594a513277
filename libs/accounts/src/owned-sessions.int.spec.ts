import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { listCredentialEvents, type Actor } from './credential-events';
import {
  createSession,
  endAccountSession,
  endAllAccountSessions,
  findOwnerOfSession,
  findSession,
  listAccountSessions,
} from './sessions';
import { openAccounts } from './open-accounts';
import { createSignInLink, findSignInLink, spendSignInLink } from './sign-in-links';

const OWNER: Actor = { kind: 'session', id: uuidV7() };
const VISITOR = { caller: { network: null, userAgent: null }, browserToken: 'browser' };
const OPERATOR: Actor = { kind: 'operator', name: 'ada' };

let db: TestDatabase;
let accountId: string;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(async () => {
  accountId = await givenAccount(db.pool);
});
afterAll(() => db.drop());

async function start(of = accountId, userAgent: string | null = null) {
  const { token } = await createSession(of, db.accountPool, { caller: { network: null, userAgent } });
  const found = await findSession(db.accountPool, token);
  if (!found) throw new Error('the session does not live');
  return { token, id: found.sessionId };
}

const list = (page: { afterId?: string; count?: number } = {}) =>
  listAccountSessions(accountId, db.accountPool, { afterId: page.afterId, count: page.count ?? 10 });
const lives = async (token: string): Promise<boolean> =>
  (await findSession(db.accountPool, token)) !== undefined;

it('lists the live sessions of the account, newest first, in pages', async () => {
  const [first, second, third] = [await start(), await start(), await start()];
  await start(await givenAccount(db.pool));
  for (const ending of ['revoked_at', 'expires_at', 'idle_expires_at']) {
    const { id } = await start();
    await db.pool.query(`UPDATE account_session SET ${ending} = now() WHERE id = $1`, [id]);
  }
  const ids = (await list()).map((session) => session.sessionId);
  expect(ids).toEqual([third.id, second.id, first.id]);
  expect((await list({ count: 1, afterId: third.id })).map((s) => s.sessionId)).toEqual([second.id]);
});

it('a session stores one line of the user agent that signed in', async () => {
  await start(accountId, `Firefox\r\n\u0000 \u{1f98a} ${'x'.repeat(300)}`);
  await start(accountId, '\u{1f98a}');
  const [unnamed, named] = await list();
  expect(named?.userAgent).toBe(`Firefox  ${'x'.repeat(191)}`);
  expect(unnamed?.userAgent).toBeNull();
});

it('a session ends at once, and its end is not changed later', async () => {
  const [one, other] = [await start(), await start()];
  const ended = await endAccountSession(accountId, db.accountPool, one.id, OWNER);
  expect(ended?.isNew).toBe(true);
  expect(ended?.session.revokedAt).toBeInstanceOf(Date);
  expect([await lives(one.token), await lives(other.token)]).toEqual([false, true]);
  expect(await endAccountSession(accountId, db.accountPool, one.id, OWNER)).toEqual({
    ...ended,
    isNew: false,
  });
});

it('an account cannot end the session of another', async () => {
  const foreign = await start(await givenAccount(db.pool));
  expect(await endAccountSession(accountId, db.accountPool, foreign.id, OWNER)).toBeUndefined();
  expect(await endAccountSession(accountId, db.accountPool, uuidV7(), OWNER)).toBeUndefined();
  expect(await lives(foreign.token)).toBe(true);
});

it('all sessions of an account end together, without affecting others', async () => {
  const foreign = await start(await givenAccount(db.pool));
  const own = [await start(), await start()];
  const accounts = openAccounts(db.accountPool);
  expect(await endAllAccountSessions(accountId, accounts, OWNER)).toEqual({
    sessions: 2,
    links: 0,
    mails: 0,
  });
  expect(await Promise.all(own.map(({ token }) => lives(token)))).toEqual([false, false]);
  expect(await endAllAccountSessions(accountId, accounts, OWNER)).toEqual({
    sessions: 0,
    links: 0,
    mails: 0,
  });
  expect(await lives(foreign.token)).toBe(true);
});

it('all links of an account end with its sessions, whatever their purpose, without affecting others', async () => {
  const accounts = openAccounts(db.accountPool);
  const linkOf = async (owner: string, purpose: 'invite' | 'sign_in') =>
    (await createSignInLink(owner, db.workerPool, purpose)).token;
  const own = [await linkOf(accountId, 'sign_in'), await linkOf(accountId, 'invite')];
  const foreign = await linkOf(await givenAccount(db.pool), 'sign_in');
  await endAllAccountSessions(accountId, accounts, OWNER);
  for (const token of own) expect(await spendSignInLink(accounts, token, VISITOR)).toBeUndefined();
  expect(await findSignInLink(accounts, foreign)).toBeDefined();
  const later = await linkOf(accountId, 'sign_in');
  expect(await spendSignInLink(accounts, later, VISITOR)).toMatchObject({ accountId });
});

it('a session of a link spent concurrently ends too', async () => {
  const accounts = openAccounts(db.accountPool);
  for (let round = 0; round < 20; round++) {
    const { token } = await createSignInLink(accountId, db.workerPool, 'sign_in');
    const [signedIn] = await Promise.all([
      spendSignInLink(accounts, token, VISITOR),
      endAllAccountSessions(accountId, accounts, OWNER),
    ]);
    if (signedIn) expect(await lives(signedIn.sessionToken)).toBe(false);
  }
});

it('an operator ends a session of any account, once, and it is recorded', async () => {
  const { token, id } = await start();
  expect(await findOwnerOfSession(db.pool, id)).toBe(accountId);
  expect(await endAccountSession(accountId, db.pool, id, OPERATOR)).toMatchObject({ isNew: true });
  expect(await lives(token)).toBe(false);
  expect(await endAccountSession(accountId, db.pool, id, OPERATOR)).toMatchObject({ isNew: false });
  expect(await listCredentialEvents(accountId, db.pool, { count: 10 })).toEqual([
    expect.objectContaining({
      ...{ credential: 'session', credentialId: id, action: 'revoke' },
      ...{ actorKind: 'operator', actor: 'ada' },
    }),
    expect.objectContaining({ credentialId: id, action: 'create' }),
  ]);
  expect(await findOwnerOfSession(db.pool, uuidV7())).toBeUndefined();
});

it('a session past its lifetime counts as ended already', async () => {
  const { id } = await start();
  await db.pool.query('UPDATE account_session SET idle_expires_at = now() WHERE id = $1', [id]);
  expect(await endAccountSession(accountId, db.pool, id, OPERATOR)).toMatchObject({ isNew: false });
});
