import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { type Actor, listCredentialEvents } from './credential-events';
import { issueDeviceSession } from './devices';
import { findSession } from './sessions';

let db: TestDatabase;
let accountId: string;
let deviceId: string;

beforeAll(async () => {
  db = await createTestDatabase();
});
beforeEach(async () => {
  accountId = await givenAccount(db.pool);
  deviceId = uuidV7();
  await db.pool.query(`INSERT INTO device (id, account_id, name, platform) VALUES ($1, $2, 'laptop', 'x')`, [
    deviceId,
    accountId,
  ]);
});
afterAll(() => db.drop());

const OPERATOR: Actor = { kind: 'operator', name: 'ada' };
const issue = () => issueDeviceSession(accountId, deviceId, db.accountPool, OPERATOR);
const find = (session: { token: string } | undefined) => findSession(db.accountPool, session?.token ?? '');
const REVOKE = 'UPDATE device SET revoked_at = now() WHERE id = $1';

/** Resolves once a query waits for a lock, or when the work that should wait has finished. */
async function untilWaiting(work: Promise<unknown>): Promise<void> {
  const progress = { isOver: false };
  void work.finally(() => (progress.isOver = true));
  const isWaiting = async (): Promise<boolean> =>
    (
      await db.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
    ).rowCount !== 0;
  while (!progress.isOver && !(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('issueDeviceSession', () => {
  it('issues a session bound to its device', async () => {
    const session = await issue();
    expect(await find(session)).toMatchObject({ accountId, deviceId, expiresAt: session?.expiresAt });
  });

  it('ends the former session, even a revoked or expired one', async () => {
    const first = await issue();
    await db.pool.query('UPDATE account_session SET revoked_at = now(), expires_at = now()');
    const second = await issue();
    expect(await find(first)).toBeUndefined();
    expect(await find(second)).toMatchObject({ deviceId });
  });

  it('issues none for a revoked device or a device of another account', async () => {
    expect(
      await issueDeviceSession(await givenAccount(db.pool), deviceId, db.accountPool, OPERATOR),
    ).toBeUndefined();
    await db.pool.query(REVOKE, [deviceId]);
    expect(await issue()).toBeUndefined();
    expect(
      (await db.pool.query('SELECT 1 FROM account_session WHERE device_id = $1', [deviceId])).rowCount,
    ).toBe(0);
  });

  it('records the start of the session, and the end of the former one if it was live', async () => {
    const idOf = async (session: { token: string } | undefined) => (await find(session))?.sessionId;
    const first = await idOf(await issue());
    const second = await idOf(await issue());
    await db.pool.query('UPDATE account_session SET expires_at = now()');
    const third = await idOf(await issue());
    const events = await listCredentialEvents(accountId, db.pool, { count: 10 });
    const noted = (id: string | undefined) =>
      events
        .filter(({ credential, credentialId }) => credential === 'session' && credentialId === id)
        .map(({ action, name }) => [action, name])
        .sort();
    expect(noted(first)).toEqual([
      ['create', null],
      ['revoke', null],
    ]);
    expect(noted(second)).toEqual([['create', null]]);
    expect(noted(third)).toEqual([['create', 'laptop']]);
    expect(events).toHaveLength(4);
  });

  it('records each start and end once when several sessions are requested at once', async () => {
    await issue();
    const issued = await Promise.all([issue(), issue(), issue()]);
    const events = await listCredentialEvents(accountId, db.pool, { count: 10 });
    const of = (action: string) =>
      events.filter((event) => event.action === action).map(({ credentialId }) => credentialId);
    const living = await Promise.all(issued.map(find));
    const last = living.find((session) => session !== undefined)?.sessionId;
    expect(of('create')).toHaveLength(4);
    expect([...of('revoke'), last].sort()).toEqual(of('create').sort());
  });

  it('waits for a concurrent revocation, and issues none after it', async () => {
    const revoker = await db.pool.connect();
    await revoker.query('BEGIN');
    await revoker.query(REVOKE, [deviceId]);
    const issued = issue();
    await untilWaiting(issued);
    await revoker.query('COMMIT');
    revoker.release();
    expect(await issued).toBeUndefined();
  });
});

it('a session cannot be bound to a device of another account', async () => {
  const stranger = await givenAccount(db.pool);
  const insert = `INSERT INTO account_session (id, account_id, device_id, token_sha256, idle_expires_at, expires_at)
    VALUES ($1, $2, $3, 'x', now(), now())`;
  await expect(db.accountPool.query(insert, [uuidV7(), stranger, deviceId])).rejects.toMatchObject({
    code: '23503',
  });
});
