import { endedSessions, sessionList, sessionRecord, type SessionRecord } from '@farebox/api';
import { fromPublicId, toPublicId, uuidV7 } from '@farebox/auth';
import { deviceHolder } from '../test/holders';
import { expectError, type Received, type Sent } from '../test/account-harness';
import {
  comparable,
  openSignInHarness,
  sessionTokenIn,
  type Person,
  type SignInHarness,
} from '../test/sign-in-harness';

let harness: SignInHarness;
let ada: Person;
beforeAll(async () => {
  harness = await openSignInHarness();
});
beforeEach(async () => {
  ada = await harness.givenPerson();
});
afterAll(() => harness.close());

const UNAUTHENTICATED = { status: 401, code: 'authentication_error' } as const;
const NOT_FOUND = { status: 404, code: 'invalid_request_error', param: 'session_id' } as const;

type SendInSession = (
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: Sent['body'],
) => Promise<Received>;

/** Sends with a new session of this person. */
async function givenSession(person: Person): Promise<SendInSession> {
  const token = sessionTokenIn(await harness.signIn(await harness.givenToken(person)));
  return (method, path, headers = {}, body?) =>
    harness.send(method, path, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body }),
    });
}

async function listOf(send: SendInSession, query = ''): Promise<SessionRecord[]> {
  const answer = await send('GET', `/auth/sessions${query}`);
  expect(answer.status).toBe(200);
  return sessionList.parse(answer.json).data;
}
const lives = async (send: SendInSession): Promise<boolean> =>
  (await send('GET', '/v1/billing/balance')).status === 200;

it('the list shows the live sessions, newest first, and marks the current one', async () => {
  const [older, newer] = [await givenSession(ada), await givenSession(ada)];
  await givenSession(await harness.givenPerson());
  const sessions = await listOf(older);
  expect(sessions.map(({ current, user_agent }) => ({ current, user_agent }))).toEqual([
    { current: false, user_agent: 'test-cli/1' },
    { current: true, user_agent: 'test-cli/1' },
  ]);
  for (const session of sessions) {
    expect(session.expires_at - session.created_at).toBe(30 * 86_400);
    expect(session.idle_expires_at - session.created_at).toBe(7 * 86_400);
  }
  expect((await listOf(newer)).map((session) => session.current)).toEqual([true, false]);
  const [first] = sessions;
  expect(await listOf(older, `?limit=1&after=${first?.session_id ?? ''}`)).toEqual(sessions.slice(1));
});

it('signing out ends only this session, and removes the cookie', async () => {
  const [here, there] = [await givenSession(ada), await givenSession(ada)];
  const answer = await here('DELETE', '/auth/session');
  expect(answer.status).toBe(200);
  expect(sessionRecord.parse(answer.json)).toMatchObject({
    current: true,
    revoked_at: expect.any(Number) as number,
  });
  expect(answer.headers['set-cookie']).toEqual([
    'service_token=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax',
  ]);
  expectError(await here('DELETE', '/auth/session'), UNAUTHENTICATED);
  expect(await lives(there)).toBe(true);
});

it('signing out everywhere ends all sessions of the account at once, and no other', async () => {
  const own = [await givenSession(ada), await givenSession(ada), await givenSession(ada)];
  const other = await givenSession(await harness.givenPerson());
  const answer = await own[0]?.('DELETE', '/auth/sessions');
  expect(endedSessions.parse(answer?.json)).toEqual({ object: 'ended_sessions', count: 3 });
  expect(answer?.headers['set-cookie']?.[0]).toMatch(/^service_token=; Path=\/; Max-Age=0/);
  expect(await Promise.all(own.map(lives))).toEqual([false, false, false]);
  expect(await lives(other)).toBe(true);
});

it('one session ends another of the account, and the same again is a success', async () => {
  const [here, there] = [await givenSession(ada), await givenSession(ada)];
  const [other] = (await listOf(here)).filter((session) => !session.current);
  const end = () => here('DELETE', `/auth/sessions/${other?.session_id ?? ''}`);
  const [first, second] = [await end(), await end()];
  expect(first.status).toBe(200);
  expect(sessionRecord.parse(first.json)).toMatchObject({ session_id: other?.session_id, current: false });
  expect(second.text).toBe(first.text);
  expect(await lives(there)).toBe(false);
  expect(await listOf(here)).toHaveLength(1);
});

it("another account's session gets exactly the response of a missing one", async () => {
  const here = await givenSession(ada);
  const theirs = await givenSession(await harness.givenPerson());
  const [foreign] = await listOf(theirs);
  const end = (id: string) => here('DELETE', `/auth/sessions/${id}`, { 'x-request-id': 'the-same' });
  const missing = await end(toPublicId('sess', uuidV7()));
  expectError(missing, NOT_FOUND);
  for (const id of [foreign?.session_id ?? '', 'sess_x', 'key_01jd0000000000000000000000']) {
    expect(comparable(await end(id))).toEqual(comparable(missing));
  }
  expect(await lives(theirs)).toBe(true);
  const after = await here('GET', `/auth/sessions?after=${foreign?.session_id ?? ''}`);
  expectError(after, { status: 400, code: 'invalid_request_error', param: 'after' });
});

it.each(['/auth/session', '/auth/sessions'])(
  'a page of another origin ends nothing by DELETE %s',
  async (path) => {
    const token = sessionTokenIn(await harness.signIn(await harness.givenToken(ada)));
    const cookie = `service_token=${token}`;
    for (const origin of [{}, { origin: 'https://evil.example' }]) {
      const headers = { host: 'farebox.test', cookie, ...origin };
      expectError(await harness.send('DELETE', path, { headers }), UNAUTHENTICATED);
    }
    const headers = { host: 'farebox.test', cookie, origin: 'https://farebox.test' };
    expect((await harness.send('DELETE', path, { headers })).status).toBe(200);
  },
);

it("a device's session ends itself, and no other", async () => {
  const person = await givenSession(ada);
  const devices = deviceHolder(harness, {
    send: (method, path, sent) => person(method, path, {}, sent?.body),
  });
  const { device_id } = await devices.register();
  const device = await devices.signIn(device_id);
  const sessions = await listOf((method, path) => device.send(method, path));
  expect(sessions).toMatchObject([
    { current: true, device_id },
    { current: false, device_id: null },
  ]);
  const other = sessions[1]?.session_id ?? '';
  expectError(await device.send('DELETE', `/auth/sessions/${other}`), UNAUTHENTICATED);
  expectError(await device.send('DELETE', '/auth/sessions'), UNAUTHENTICATED);
  expect((await device.send('DELETE', '/auth/session')).status).toBe(200);
  expect(await lives(person)).toBe(true);
});

it("signing out everywhere ends devices' sessions too", async () => {
  const person = await givenSession(ada);
  const devices = deviceHolder(harness, {
    send: (method, path, sent) => person(method, path, {}, sent?.body),
  });
  const device = await devices.signIn((await devices.register()).device_id);
  expect((await person('DELETE', '/auth/sessions')).json).toMatchObject({ count: 2 });
  expectError(await device.heartbeat(), UNAUTHENTICATED);
});

describe('over time', () => {
  /** Ages the sessions of the account by this time. */
  const pass = (time: string): Promise<unknown> =>
    harness.pool.query(
      `UPDATE account_session SET created_at = created_at - $2::interval, last_seen_at = last_seen_at - $2::interval,
         idle_expires_at = idle_expires_at - $2::interval, expires_at = expires_at - $2::interval
       WHERE account_id = $1`,
      [ada.accountId, time],
    );

  it('a session that is not used for seven days ends', async () => {
    const [used, unused] = [await givenSession(ada), await givenSession(ada)];
    await pass('6 days 23 hours');
    expect(await lives(used)).toBe(true);
    await pass('2 hours');
    expect([await lives(used), await lives(unused)]).toEqual([true, false]);
    expect(await listOf(used)).toHaveLength(1);
  });

  it('a session ends after thirty days, however often it is used', async () => {
    const session = await givenSession(ada);
    for (let weeks = 0; weeks < 4; weeks++) {
      await pass('6 days 23 hours');
      expect(await lives(session)).toBe(true);
    }
    const [record] = await listOf(session);
    expect(record?.idle_expires_at).toBe(record?.expires_at);
    await pass('2 days 5 hours');
    expectError(await session('GET', '/v1/billing/balance'), UNAUTHENTICATED);
    const { rows } = await harness.pool.query<{ id: string }>(
      'SELECT id FROM account_session WHERE account_id = $1',
      [ada.accountId],
    );
    expect(rows).toEqual([{ id: fromPublicId('sess', record?.session_id ?? '') }]);
  });
});
