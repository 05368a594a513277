import { createOperatorToken } from '@farebox/auth';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import {
  createManagementKey,
  findManagementKey,
  listManagementKeys,
  type NewManagementKey,
  revokeManagementKey,
} from './management-keys';
import {
  createOperatorLink,
  endOperatorSession,
  findOperatorSession,
  spendOperatorLink,
  startOperatorSession,
} from './operator-sessions';
import { findOperator, listOperators, putOperator, removeOperator } from './operators';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const BROWSER = { network: '203.0.113.0/24', userAgent: 'Firefox' };

async function givenOperator(email = 'ada@example.com') {
  return (await putOperator(db.pool, { email, role: 'support' })).operator;
}

async function givenSession(): Promise<string> {
  const { id } = await givenOperator();
  return (await startOperatorSession(db.pool, { operatorId: id, role: null, browser: BROWSER })).token;
}

describe('an operator', () => {
  it('is added once, and keeps their id when their role changes', async () => {
    const first = await putOperator(db.pool, { email: 'ada@example.com', role: 'viewer' });
    expect(first.before).toBeUndefined();
    const second = await putOperator(db.pool, { email: 'ada@example.com', role: 'owner' });
    expect(second).toMatchObject({
      operator: { id: first.operator.id, role: 'owner' },
      before: { role: 'viewer' },
    });
    expect(await listOperators(db.pool)).toHaveLength(1);
  });

  it('who was removed is in no list, and comes back as somebody new', async () => {
    const { id } = await givenOperator();
    expect(await removeOperator(db.pool, 'ada@example.com')).toMatchObject({ id });
    expect(await findOperator(db.pool, 'ada@example.com')).toBeUndefined();
    expect(await listOperators(db.pool)).toEqual([]);
    expect(await removeOperator(db.pool, 'ada@example.com')).toBeUndefined();
    expect((await givenOperator()).id).not.toBe(id);
  });
});

describe('a session', () => {
  it('has the role of its person as it is now, unless the sign-in named one', async () => {
    const token = await givenSession();
    await putOperator(db.pool, { email: 'ada@example.com', role: 'finance' });
    expect(await findOperatorSession(db.pool, token)).toMatchObject({
      email: 'ada@example.com',
      role: 'finance',
    });

    const { id } = await givenOperator();
    const named = await startOperatorSession(db.pool, { operatorId: id, role: 'owner', browser: BROWSER });
    expect(await findOperatorSession(db.pool, named.token)).toMatchObject({ role: 'owner' });
  });

  it.each([
    ['it was ended', `ended_at = now()`],
    ['nobody used it for too long', `idle_expires_at = now()`],
    ['it is too old', `expires_at = now()`],
  ])('is not found once %s', async (_, change) => {
    const token = await givenSession();
    await db.pool.query(`UPDATE operator_session SET ${change}`);
    expect(await findOperatorSession(db.pool, token)).toBeUndefined();
  });

  it('is kept from idling out by its use, though not written at each request', async () => {
    const token = await givenSession();
    const readIdle = async (): Promise<string | undefined> =>
      (await db.pool.query<{ idle: string }>('SELECT idle_expires_at::text AS idle FROM operator_session'))
        .rows[0]?.idle;
    const begun = await readIdle();
    await findOperatorSession(db.pool, token);
    expect(await readIdle()).toBe(begun);

    await db.pool.query(`UPDATE operator_session SET idle_expires_at = now() + interval '1 minute'`);
    const short = await readIdle();
    await findOperatorSession(db.pool, token);
    expect(await readIdle()).not.toBe(short);
  });

  it('ends alone', async () => {
    const [one, other] = [await givenSession(), await givenSession()];
    const found = await findOperatorSession(db.pool, one);
    await endOperatorSession(db.pool, found?.sessionId ?? '');
    expect(await findOperatorSession(db.pool, one)).toBeUndefined();
    expect(await findOperatorSession(db.pool, other)).toBeDefined();
  });
});

describe('a link', () => {
  it.each([
    ['it has expired', `UPDATE operator_link SET expires_at = now()`],
    ['its person was removed', `UPDATE operator SET removed_at = now()`],
  ])('signs in nobody once %s', async (_, change) => {
    const { id } = await givenOperator();
    const { token } = await createOperatorLink(db.pool, id);
    await db.pool.query(change);
    expect(await spendOperatorLink(db.pool, token, BROWSER)).toBeUndefined();
  });

  it('is of no use as another credential, nor another one as a link', async () => {
    const { id } = await givenOperator();
    const { token } = await createOperatorLink(db.pool, id);
    expect(await findOperatorSession(db.pool, token)).toBeUndefined();
    expect(await findManagementKey(db.pool, token)).toBeUndefined();
    expect(await spendOperatorLink(db.pool, createOperatorToken('session'), BROWSER)).toBeUndefined();
  });
});

describe('a management key', () => {
  const wanted: NewManagementKey = {
    ...{ name: 'backoffice', role: 'support' as const, scopes: ['account show'] },
    ...{ createdBy: 'ada@example.com', expiresAt: new Date('2999-01-01') },
  };

  it('is found by its secret, of which the database has only a hash', async () => {
    const { key, secret } = await createManagementKey(db.pool, wanted);
    expect(await findManagementKey(db.pool, secret)).toEqual(key);
    const { rows } = await db.pool.query<{ row: string }>('SELECT k::text AS row FROM management_key k');
    expect(rows[0]?.row).not.toContain(secret.slice(3, -4));
  });

  it('is listed with those that were revoked, newest first, in pages', async () => {
    const first = await createManagementKey(db.pool, wanted);
    const second = await createManagementKey(db.pool, wanted);
    await revokeManagementKey(db.pool, first.key.id);
    const [newest, ...none] = await listManagementKeys(db.pool, { limit: 1 });
    expect([newest?.id, none]).toEqual([second.key.id, []]);
    const [next] = await listManagementKeys(db.pool, { limit: 1, afterId: newest?.id });
    expect(next).toMatchObject({ id: first.key.id, revokedAt: expect.any(Date) as Date });
  });

  it('is revoked once, and keeps the time of it', async () => {
    const { key } = await createManagementKey(db.pool, wanted);
    const first = await revokeManagementKey(db.pool, key.id);
    const again = await revokeManagementKey(db.pool, key.id);
    expect([first?.wasLive, again?.wasLive]).toEqual([true, false]);
    expect(again?.key.revokedAt).toEqual(first?.key.revokedAt);
  });
});
