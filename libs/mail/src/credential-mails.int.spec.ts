import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { claimMail } from './mail-queue';

let db: TestDatabase;
let accountId: string;
beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(async () => {
  accountId = await givenAccount(db.pool);
});
afterAll(() => db.drop());

interface Noted {
  credential?: 'api_key' | 'device' | 'session' | 'account';
  action?: 'create' | 'change' | 'rotate' | 'revoke';
  actorKind?: 'session' | 'device' | 'operator' | 'system';
  isNewBrowser?: boolean;
}

/** Records an event as the account service does. */
async function note(
  { credential = 'api_key', action = 'create', actorKind = 'session', isNewBrowser = false }: Noted = {},
  count = 1,
): Promise<void> {
  await db.accountPool.query(
    `INSERT INTO credential_event (account_id, credential, credential_id, action, actor_kind, actor, is_new_browser,
                                   network, user_agent)
     SELECT $1, $2, gen_random_uuid(), $3, $4, 'x', $5, '192.0.2.0/24', 'curl/8' FROM generate_series(1, $6)`,
    [accountId, credential, action, actorKind, isNewBrowser, count],
  );
}

const posted = async (): Promise<string[]> =>
  (
    await db.pool.query<{ kind: string }>(
      `SELECT m.kind FROM mail m JOIN outbox o USING (id)
       WHERE m.account_id = $1 AND o.job = 'send-mail' AND o.payload = jsonb_build_object('mailId', m.id)
       ORDER BY m.kind::text`,
      [accountId],
    )
  ).rows.map(({ kind }) => kind);

it('the owner is mailed about a new key, a new device and a sign-in by a new browser', async () => {
  await note({ credential: 'api_key' });
  await note({ credential: 'device' });
  await note({ credential: 'session', isNewBrowser: true });
  expect(await posted()).toEqual(['new_api_key', 'new_browser', 'new_device']);
});

it.each<[string, Noted]>([
  ['a sign-in by a browser that is known', { credential: 'session' }],
  ['what an operator makes', { actorKind: 'operator' }],
  ['what the service makes', { actorKind: 'system' }],
  ['a change', { action: 'change' }],
  ['a rotation', { action: 'rotate' }],
  ['an end', { action: 'revoke' }],
  ['a change of the account', { credential: 'account', action: 'change' }],
])('the owner is not mailed about %s', async (_, noted) => {
  await note(noted);
  expect(await posted()).toEqual([]);
});

it('a mail and its subject are committed together', async () => {
  const client = await db.pool.connect();
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO credential_event (account_id, credential, credential_id, action, actor_kind, actor)
     VALUES ($1, 'api_key', gen_random_uuid(), 'create', 'session', 'x')`,
    [accountId],
  );
  await client.query('ROLLBACK');
  client.release();
  expect(await posted()).toEqual([]);
});

it('a script that creates a thousand keys posts five mails an hour and hides no sign-in', async () => {
  await note({}, 1_000);
  await note({ credential: 'session', isNewBrowser: true });
  expect(await posted()).toEqual([...Array.from({ length: 5 }, () => 'new_api_key'), 'new_browser']);

  await db.pool.query(`UPDATE mail SET created_at = created_at - interval '59 minutes'`);
  await note();
  expect(await posted()).toHaveLength(6);
  await db.pool.query(`UPDATE mail SET created_at = created_at - interval '1 minute'`);
  await note({}, 1_000);
  expect(await posted()).toHaveLength(11);
});

it('the mail limit of one account does not affect another', async () => {
  await note({}, 10);
  accountId = await givenAccount(db.pool);
  await note();
  expect(await posted()).toEqual(['new_api_key']);
});

it('the worker reads the time and place of the event', async () => {
  await note();
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM mail WHERE account_id = $1', [
    accountId,
  ]);
  const mail = await claimMail(db.workerPool, rows[0]?.id ?? '');
  expect(mail).toMatchObject({
    kind: 'new_api_key',
    account: { id: accountId },
    event: { at: expect.any(Date) as Date, network: '192.0.2.0/24', userAgent: 'curl/8' },
  });
});
