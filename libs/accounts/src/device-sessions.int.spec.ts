import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
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

const issue = () => issueDeviceSession(accountId, deviceId, db.accountPool);
const find = (session: { token: string } | undefined) => findSession(db.accountPool, session?.token ?? '');
const REVOKE = 'UPDATE device SET revoked_at = now() WHERE id = $1';

/** Waits until somebody waits for a lock, or what should wait has come to its end. */
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
  it('gives a session that knows its device', async () => {
    const session = await issue();
    expect(await find(session)).toMatchObject({ accountId, deviceId, expiresAt: session?.expiresAt });
  });

  it('ends the session before, also where that was revoked or has expired', async () => {
    const first = await issue();
    await db.pool.query('UPDATE account_session SET revoked_at = now(), expires_at = now()');
    const second = await issue();
    expect(await find(first)).toBeUndefined();
    expect(await find(second)).toMatchObject({ deviceId });
  });

  it('gives none for a revoked device, and none for a device of another account', async () => {
    expect(await issueDeviceSession(await givenAccount(db.pool), deviceId, db.accountPool)).toBeUndefined();
    await db.pool.query(REVOKE, [deviceId]);
    expect(await issue()).toBeUndefined();
    expect(
      (await db.pool.query('SELECT 1 FROM account_session WHERE device_id = $1', [deviceId])).rowCount,
    ).toBe(0);
  });

  it('waits for a revocation that is under way, and gives none after it', async () => {
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
