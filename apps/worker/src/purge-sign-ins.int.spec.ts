import { createSession, createSignInLink, findSession, takeAttempt } from '@farebox/accounts';
import { createLogger } from '@farebox/observability';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { purgeOldSignIns } from './handlers';

let db: TestDatabase;
let lines: string[];
beforeEach(async () => {
  db = await createTestDatabase();
  lines = [];
});
afterEach(() => db.drop());

function runJob(): Promise<void> {
  const destination = { write: (line: string) => lines.push(line) };
  return purgeOldSignIns({
    pool: db.workerPool,
    log: createLogger({ service: 'worker', level: 'info', destination }),
    credentialEventDays: 365,
  });
}

it('deletes unusable links, throttles and sessions, keeps the others, and logs the number', async () => {
  const accountId = await givenAccount(db.pool);
  for (let links = 0; links < 2; links++) await createSignInLink(accountId, db.workerPool, 'sign_in');
  await takeAttempt(db.accountPool, { what: 'a', who: 'b' }, { burst: 1, everyMs: 1_000 });
  await createSession(accountId, db.accountPool);
  await db.pool.query(`
    UPDATE sign_in_link SET created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days';
    UPDATE sign_in_throttle SET recovered_at = recovered_at - interval '2 days';
    UPDATE account_session SET revoked_at = now() - interval '31 days'`);
  const { token } = await createSession(accountId, db.accountPool);
  await createSignInLink(accountId, db.workerPool, 'sign_in');

  await runJob();
  await runJob();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"event":"sign_ins_purged","count":4');
  expect(await findSession(db.accountPool, token)).toBeDefined();
  expect((await db.pool.query('SELECT FROM sign_in_link')).rowCount).toBe(1);
});

it('deletes credential events past their retention, and logs the number', async () => {
  await db.pool.query(`
    INSERT INTO credential_event (at, account_id, credential, credential_id, action, actor_kind, actor)
    SELECT now() - make_interval(days => days), gen_random_uuid(), 'device', gen_random_uuid(), 'revoke', 'operator', 'ada'
    FROM unnest(ARRAY[364, 366, 400]) AS days`);
  await runJob();
  await runJob();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"event":"credential_events_purged","count":2');
  expect((await db.pool.query('SELECT FROM credential_event')).rowCount).toBe(1);
});
