import { createKeyHasher, toPublicId, uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { createApiKey, issueApiKey, rotateApiKey, updateApiKey } from './api-key-changes';
import { revokeApiKey } from './api-keys';
import { listCredentialEvents, purgeCredentialEvents, type Actor } from './credential-events';
import { updateOwnAccount } from './accounts';
import { listDevices, registerDevice, renameDevice, revokeDevice, startDeviceSession } from './devices';
import { openAccounts, readNow, type Accounts } from './open-accounts';
import { createSession, endAccountSession, endAllAccountSessions, findSession } from './sessions';

const rules = {
  hasher: createKeyHasher([{ version: 1, secret: Buffer.alloc(32, 1) }]),
  requireOffered: () => Promise.resolve(),
};
const settings = {
  name: 'laptop',
  monthlySpendLimitNano: null,
  modelPolicy: null,
  allowedOrigins: null,
  showsAccountLimits: null,
  expiresAt: null,
};
const nothing = {
  name: undefined,
  monthlySpendLimitNano: undefined,
  expiresAt: undefined,
  modelPolicy: undefined,
  allowedOrigins: undefined,
  showsAccountLimits: undefined,
};

const sessionId = uuidV7();
const OWNER: Actor = { kind: 'session', id: sessionId };
const OPERATOR: Actor = { kind: 'operator', name: 'ada' };
const owner = `session ${toPublicId('sess', sessionId)}`;

let db: TestDatabase;
let accounts: Accounts;
let accountId: string;
let now: Date;
beforeAll(async () => {
  db = await createTestDatabase();
  accounts = openAccounts(db.accountPool);
});
beforeEach(async () => {
  accountId = await givenAccount(db.pool);
  now = await readNow(db.pool);
});
afterAll(() => db.drop());

/** The events of one credential, or of the whole account, oldest first. */
async function eventsOf(credentialId?: string): Promise<string[]> {
  const events = await listCredentialEvents(accountId, db.pool, { count: 100 });
  return events
    .reverse()
    .filter((event) => credentialId === undefined || event.credentialId === credentialId)
    .map(({ credential, action, actorKind, actor }) => `${credential} ${action}: ${actorKind} ${actor}`);
}

async function givenSession(): Promise<string> {
  const { token } = await createSession(accountId, db.accountPool);
  return (await findSession(db.accountPool, token))?.sessionId ?? '';
}

it('a change of a key is recorded under its author, owner or operator', async () => {
  const doing = { actor: OWNER, now };
  const { apiKey } = await createApiKey(accountId, accounts, rules, settings, doing);
  await updateApiKey(accountId, accounts, rules, { ...nothing, apiKeyId: apiKey.id, name: 'desk' }, doing);
  await rotateApiKey(accountId, accounts, rules, { apiKeyId: apiKey.id, expiresAt: undefined }, doing);
  await revokeApiKey(accountId, accounts, apiKey.id, OPERATOR);
  expect(await eventsOf(apiKey.id)).toEqual([
    `api_key create: ${owner}`,
    `api_key change: ${owner}`,
    `api_key rotate: ${owner}`,
    'api_key revoke: operator ada',
  ]);
  const { apiKeyId } = await issueApiKey(accountId, db.pool, rules.hasher, settings, { actor: OPERATOR });
  expect(await eventsOf(apiKeyId)).toEqual(['api_key create: operator ada']);
});

it('a device event records who registered, renamed or revoked it, and its session', async () => {
  const { id } = await registerDevice(
    accountId,
    accounts,
    { name: 'laptop', platform: 'x' },
    { actor: OWNER, now },
  );
  const device: Actor = { kind: 'device', id };
  const itself = `device ${toPublicId('dev', id)}`;
  await startDeviceSession(accountId, accounts, id, OWNER);
  await renameDevice(accountId, accounts, { deviceId: id, name: 'desk' }, { actor: device, now });
  await revokeDevice(accountId, accounts, id, device);
  await revokeDevice(accountId, accounts, id, OPERATOR);
  expect(await eventsOf()).toEqual([
    `device create: ${owner}`,
    `session create: ${owner}`,
    `device change: ${itself}`,
    `device revoke: ${itself}`,
    `session revoke: ${itself}`,
  ]);
});

it('the start and end of a session are recorded once, for one session or all', async () => {
  const [one, other, another] = [await givenSession(), await givenSession(), await givenSession()];
  await endAccountSession(accountId, accounts, one, { kind: 'session', id: one });
  await endAllAccountSessions(accountId, accounts, { kind: 'system', name: 'a job' });
  await endAllAccountSessions(accountId, accounts, OPERATOR);
  const itself = `session ${toPublicId('sess', one)}`;
  expect(await eventsOf(one)).toEqual([`session create: ${itself}`, `session revoke: ${itself}`]);
  for (const ended of [other, another]) {
    expect((await eventsOf(ended)).slice(1)).toEqual(['session revoke: system a job']);
  }
});

it('a session created by an operator is recorded under the operator', async () => {
  await createSession(accountId, db.pool, { actor: OPERATOR });
  expect(await eventsOf()).toEqual(['session create: operator ada']);
});

it('an event records its network, and one sanitised line of the user agent', async () => {
  const caller = { network: '2001:db8:0::/48', userAgent: `Firefox\r\n\u0000 ${'x'.repeat(300)}` };
  const actor: Actor = { ...OWNER, caller };
  const { apiKey } = await createApiKey(accountId, accounts, rules, settings, { actor, now });
  await revokeApiKey(accountId, accounts, apiKey.id, actor);
  await updateOwnAccount(
    accountId,
    accounts,
    { name: 'Grace', language: undefined, lowBalanceNano: undefined },
    actor,
  );
  await createSession(accountId, db.accountPool, { caller });
  const events = await listCredentialEvents(accountId, db.accountPool, { count: 100 });
  expect(events).toHaveLength(4);
  for (const event of events) {
    expect(event).toMatchObject({ network: '2001:db8::/48', userAgent: `Firefox ${'x'.repeat(192)}` });
  }
});

it('an event shows the current name of the key or device', async () => {
  const doing = { actor: OWNER, now };
  const { apiKey } = await createApiKey(accountId, accounts, rules, settings, doing);
  await updateApiKey(accountId, accounts, rules, { ...nothing, apiKeyId: apiKey.id, name: 'desk' }, doing);
  await registerDevice(accountId, accounts, { name: 'phone', platform: 'x' }, doing);
  const events = await listCredentialEvents(accountId, db.accountPool, { count: 100 });
  expect(events.map(({ name }) => name)).toEqual(['phone', 'desk', 'desk']);
});

it('a browser is new until it has signed in to the account, except for a sign-in that accepts an invite', async () => {
  const signIn = (token: string, isInvited = false, of = accountId) =>
    createSession(of, db.accountPool, { browser: { token, isInvited } });
  await signIn('first', true);
  await signIn('first');
  await signIn('second');
  await signIn('second');
  await signIn('first');
  const events = await listCredentialEvents(accountId, db.pool, { count: 100 });
  expect(events.reverse().map(({ isNewBrowser }) => isNewBrowser)).toEqual([
    false,
    false,
    true,
    false,
    false,
  ]);

  const stranger = await givenAccount(db.pool);
  await signIn('first', false, stranger);
  expect(await listCredentialEvents(stranger, db.pool, { count: 100 })).toMatchObject([
    { isNewBrowser: true },
  ]);
  const { rows } = await db.pool.query(
    'SELECT browser_sha256 FROM credential_event WHERE account_id = ANY ($1) GROUP BY browser_sha256',
    [[accountId, stranger]],
  );
  expect(rows).toHaveLength(3);
});

it('refused changes are not recorded', async () => {
  const { apiKeyId } = await issueApiKey(accountId, accounts, rules.hasher, settings, { actor: OWNER, now });
  const stranger = await givenAccount(db.pool);
  await revokeApiKey(stranger, accounts, apiKeyId, OWNER);
  const past = { ...nothing, apiKeyId, expiresAt: new Date(now.getTime() - 1) };
  await expect(updateApiKey(accountId, accounts, rules, past, { actor: OWNER, now })).rejects.toThrow();
  expect(await eventsOf()).toEqual([`api_key create: ${owner}`]);
});

it('a script that keeps changing keys and devices is slowed down, so that the records stay bounded', async () => {
  const doing = { actor: OWNER, now };
  const { apiKey } = await createApiKey(accountId, accounts, rules, settings, doing);
  const rename = (name: string) =>
    updateApiKey(accountId, accounts, rules, { ...nothing, apiKeyId: apiKey.id, name }, doing);
  await rename('before');
  await db.pool.query("UPDATE sign_in_throttle SET recovered_at = now() + interval '2 hours 24 minutes'");
  await expect(rename('after')).rejects.toMatchObject({ code: 'rate_limit_error' });
  const rotation = { apiKeyId: apiKey.id, expiresAt: undefined };
  await expect(rotateApiKey(accountId, accounts, rules, rotation, doing)).rejects.toMatchObject({
    code: 'rate_limit_error',
  });
  expect(await eventsOf(apiKey.id)).toEqual([`api_key create: ${owner}`, `api_key change: ${owner}`]);

  await db.pool.query("UPDATE sign_in_throttle SET recovered_at = recovered_at - interval '9 seconds'");
  expect(await rename('after')).toMatchObject({ name: 'after' });
});

it('the service appends and reads events but changes none; nor does the owner of the database', async () => {
  await issueApiKey(accountId, accounts, rules.hasher, settings, { actor: OWNER, now });
  await expect(db.accountPool.query(`UPDATE credential_event SET actor = 'x'`)).rejects.toMatchObject({
    code: '42501',
  });
  await expect(
    db.accountPool.query('INSERT INTO credential_event SELECT * FROM credential_event'),
  ).rejects.toMatchObject({ code: '42501' });
  await expect(db.accountPool.query('DELETE FROM credential_event')).rejects.toMatchObject({ code: '42501' });
  await expect(db.pool.query(`UPDATE credential_event SET actor = 'x'`)).rejects.toThrow();
  await expect(db.pool.query('DELETE FROM credential_event')).rejects.toThrow();
});

describe('events past their retention', () => {
  /** Records `count` events of an account with the age `ago`. */
  const note = (account: string, ago: string, count = 1): Promise<unknown> =>
    db.pool.query(
      `INSERT INTO credential_event (at, account_id, credential, credential_id, action, actor_kind, actor)
       SELECT now() - $2::interval, $1, 'api_key', gen_random_uuid(), 'create', 'system', 'a job'
       FROM generate_series(1, $3)`,
      [account, ago, count],
    );

  it('the worker deletes only those older than the retention, in batches', async () => {
    await note(accountId, '100 days 1 second', 5);
    await note(accountId, '99 days 23 hours');
    expect(await purgeCredentialEvents(db.workerPool, { days: 100, batch: 2 })).toBe(5);
    expect(await purgeCredentialEvents(db.workerPool, { days: 100, batch: 2 })).toBe(0);
    expect(await eventsOf()).toHaveLength(1);
  });

  it('nobody deletes one younger than thirty days, not even the owner of the database', async () => {
    await note(accountId, '29 days 23 hours');
    await expect(db.pool.query('DELETE FROM credential_event')).rejects.toThrow('append-only');
    await expect(purgeCredentialEvents(db.workerPool, { days: 29 })).rejects.toThrow('thirty days');
    await expect(db.workerPool.query('DELETE FROM credential_event')).rejects.toMatchObject({
      code: '42501',
    });
    await expect(purgeCredentialEvents(db.accountPool, { days: 30 })).rejects.toMatchObject({
      code: '42501',
    });
    expect(await eventsOf()).toHaveLength(1);
  });

  it('concurrent purges delete everything and count nothing twice', async () => {
    const purge = (): Promise<number> => purgeCredentialEvents(db.workerPool, { days: 30, batch: 7 });
    // Deletes the events of other tests.
    await purge();
    await note(accountId, '31 days', 40);
    const counts = await Promise.all([purge(), purge()]);
    const rest = await purge();
    expect(counts.reduce((sum, count) => sum + count, rest)).toBe(40);
    expect(await eventsOf()).toEqual([]);
  });
});

it("each way to end a device's session is recorded", async () => {
  const { id } = await registerDevice(
    accountId,
    accounts,
    { name: 'laptop', platform: 'x' },
    { actor: OWNER, now },
  );
  const endOf = async () => {
    const at = await readNow(db.pool);
    const page = { afterId: undefined, count: 1 };
    return (await listDevices(accountId, accounts, page, at))[0]?.sessionExpiresAt;
  };
  expect(await endOf()).toBeNull();
  for (const ending of ['revoked_at', 'expires_at', 'idle_expires_at']) {
    const session = await startDeviceSession(accountId, accounts, id, OWNER);
    expect(await endOf()).toEqual(session.expiresAt);
    await db.pool.query(
      `UPDATE account_session SET ${ending} = now() - interval '1 second' WHERE device_id = $1`,
      [id],
    );
    expect(await endOf()).toBeNull();
  }
});

it('events are paged newest first, without those of other accounts', async () => {
  const doing = { actor: OWNER, now };
  for (const name of ['one', 'two', 'three']) {
    await createApiKey(accountId, accounts, rules, { ...settings, name }, doing);
  }
  const all = await listCredentialEvents(accountId, db.pool, { count: 10 });
  expect(all).toHaveLength(3);
  const paged: string[] = [];
  for (let beforeId: string | undefined; ;) {
    const [event] = await listCredentialEvents(accountId, db.pool, { count: 1, beforeId });
    if (event === undefined) break;
    beforeId = event.id;
    paged.push(event.id);
  }
  expect(paged).toEqual(all.map(({ id }) => id));
  expect([...all].sort((a, b) => b.at.getTime() - a.at.getTime())).toEqual(all);

  const stranger = await givenAccount(db.pool);
  expect(await listCredentialEvents(stranger, db.pool, { count: 10, beforeId: all[0]?.id })).toEqual([]);
});
