import { createPool } from '@farebox/database';
import { createTestDatabase, type TestDatabase, PATIENT_POOL } from '@farebox/testing';
import type { Pool } from 'pg';
import { createSession, findSession } from './sessions';
import { createSessionToken, uuidV7 } from '@farebox/auth';

let database: TestDatabase;
let pool: Pool;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ ...PATIENT_POOL, url: database.url, max: 3, applicationName: 'auth-test' });
});
beforeEach(async () => {
  accountId = uuidV7();
  await pool.query(`INSERT INTO account (id, email, name, invite_status) VALUES ($1, $2, 'Ada', 'invited')`, [
    accountId,
    `${accountId}@example.com`,
  ]);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

interface Times {
  idleMs: number;
  seenMs: number;
}

/** Milliseconds from the database's now to the end of the idle time, and since the last use. */
async function timesOf(sessionId: string): Promise<Times> {
  const { rows } = await pool.query<Times>(
    `SELECT extract(epoch FROM idle_expires_at - now())::float8 * 1000 AS "idleMs",
            extract(epoch FROM now() - last_seen_at)::float8 * 1000 AS "seenMs"
     FROM account_session WHERE id = $1`,
    [sessionId],
  );
  if (!rows[0]) throw new Error('no such session');
  return rows[0];
}

async function startSession(
  lifetimes = { idleMs: 3_600_000, absoluteMs: 7_200_000 },
): Promise<{ token: string; id: string }> {
  const { token } = await createSession(accountId, pool, { lifetimes });
  const found = await findSession(pool, token, lifetimes);
  if (!found) throw new Error('the session does not live');
  return { token, id: found.sessionId };
}

const age = (id: string, columns: string): Promise<unknown> =>
  pool.query(`UPDATE account_session SET ${columns} WHERE id = $1`, [id]);

describe('findSession', () => {
  it('identifies a live session', async () => {
    const { token, expiresAt } = await createSession(accountId, pool);
    const found = await findSession(pool, token);
    expect(found).toMatchObject({ accountId, inviteStatus: 'invited', expiresAt });
    expect(found?.now).toBeInstanceOf(Date);
    expect(expiresAt.getTime() - (found?.now.getTime() ?? 0)).toBeGreaterThan(29 * 86_400_000);
  });

  it.each([
    ['past its idle time', `idle_expires_at = now()`],
    ['past its end', `expires_at = now()`],
    ['revoked', `revoked_at = now()`],
  ])('does not find one that is %s', async (_, columns) => {
    const { token, id } = await startSession();
    await age(id, columns);
    expect(await findSession(pool, token)).toBeUndefined();
  });

  it('finds neither an invented nor a malformed token', async () => {
    expect(await findSession(pool, createSessionToken())).toBeUndefined();
    expect(await findSession(pool, "st-' OR 1=1 --")).toBeUndefined();
  });

  it('restarts the idle time on use, at most once a minute', async () => {
    const lifetimes = { idleMs: 3_600_000, absoluteMs: 7_200_000 };
    const { token, id } = await startSession(lifetimes);

    await age(
      id,
      `last_seen_at = now() - interval '59 seconds', idle_expires_at = now() + interval '5 minutes'`,
    );
    await findSession(pool, token, lifetimes);
    expect((await timesOf(id)).idleMs).toBeLessThan(300_001);
    expect((await timesOf(id)).seenMs).toBeGreaterThan(58_999);

    await age(id, `last_seen_at = now() - interval '61 seconds'`);
    await findSession(pool, token, lifetimes);
    expect((await timesOf(id)).idleMs).toBeGreaterThan(3_000_000);
    expect((await timesOf(id)).seenMs).toBeLessThan(50_000);
  });

  it('never outlives its absolute end', async () => {
    const { token, id } = await startSession();
    await age(id, `last_seen_at = now() - interval '2 minutes', expires_at = now() + interval '1 minute'`);
    await findSession(pool, token);
    expect((await timesOf(id)).idleMs).toBeLessThan(60_001);
  });

  it('stores only the hash of the token', async () => {
    const { token, id } = await startSession();
    const { rows } = await pool.query<{ row: string }>(
      'SELECT s::text AS row FROM account_session s WHERE id = $1',
      [id],
    );
    expect(rows[0]?.row).not.toContain(token.slice(3));
  });
});
