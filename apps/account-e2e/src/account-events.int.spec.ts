import { accountEventList, type AccountEvent } from '@farebox/api';
import { toPublicId } from '@farebox/auth';
import { expectError, type Received } from '../test/account-harness';
import { openSignInHarness, sessionTokenIn, type Person, type SignInHarness } from '../test/sign-in-harness';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const FROM = '198.51.100.77';
const PLACE = { network: '198.51.100.0/24', user_agent: FIREFOX, browser: 'Firefox on Linux' };

let harness: SignInHarness;
let ada: Person;
beforeAll(async () => {
  harness = await openSignInHarness();
});
beforeEach(async () => {
  ada = await harness.givenPerson();
});
afterAll(() => harness.close());

const browser = (cookie?: string) => ({
  'x-forwarded-for': FROM,
  'user-agent': FIREFOX,
  ...(cookie !== undefined && { cookie }),
});

/** Signs in like the form of a link's page; the cookies are those of the session and the browser. */
async function signIn(person: Person, cookie?: string, purpose: 'sign_in' | 'invite' = 'sign_in') {
  const answer = await harness.submit(await harness.givenToken(person, purpose), browser(cookie));
  expect(answer.status).toBe(303);
  const [session = '', known = ''] = (answer.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]);
  return { sessionToken: session.split('=')[1] ?? '', known };
}

function sendAs(sessionToken: string) {
  return (method: string, path: string, body?: object): Promise<Received> =>
    harness.send(method, path, {
      headers: { authorization: `Bearer ${sessionToken}`, ...browser() },
      ...(body && { body }),
    });
}

async function eventsOf(sessionToken: string, query = ''): Promise<AccountEvent[]> {
  const answer = await sendAs(sessionToken)('GET', `/v1/account/events${query}`);
  expect(answer.status).toBe(200);
  return accountEventList.parse(answer.json).data;
}

const mailsOf = async ({ accountId }: Person): Promise<string[]> =>
  (
    await harness.pool.query<{ kind: string }>('SELECT kind FROM mail WHERE account_id = $1 ORDER BY id', [
      accountId,
    ])
  ).rows.map(({ kind }) => kind);

it('a sign-in is an event of the session that it creates, with its origin', async () => {
  const { sessionToken } = await signIn(ada);
  const [event, ...others] = await eventsOf(sessionToken);
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    ...{ credential: 'session', action: 'create', actor_kind: 'session', name: null, new_browser: true },
    ...PLACE,
  });
  expect(event?.actor_id).toBe(event?.credential_id);
});

it('sessions of devices, keys, changes and every end of a session are events, newest first', async () => {
  const { sessionToken } = await signIn(ada);
  const send = sendAs(sessionToken);
  await send('POST', '/v1/api-keys', { name: 'laptop' });
  const { device_id: deviceId } = (
    await send('POST', '/v1/devices/register', { name: 'phone', platform: 'x' })
  ).json as { device_id: string };
  for (let sessions = 0; sessions < 2; sessions++) await send('POST', `/v1/devices/${deviceId}/session`);
  await send('PATCH', '/v1/account', { name: 'Ada King' });
  await send('POST', `/v1/devices/${deviceId}/revoke`);
  const { sessionToken: later } = await signIn(ada);
  await sendAs(later)('DELETE', '/auth/session');
  const events = await eventsOf(sessionToken);
  for (const event of events) expect(event).toMatchObject(PLACE);
  const told = events.map(({ credential, action }) => `${credential} ${action}`).reverse();
  expect(told.slice(0, 4)).toEqual(['session create', 'api_key create', 'device create', 'session create']);
  expect(told.slice(4, 6).sort()).toEqual(['session create', 'session revoke']);
  expect(told.slice(6)).toEqual([
    'account change',
    'device revoke',
    'session revoke',
    'session create',
    'session revoke',
  ]);
});

it('signing out everywhere is an event for each session that it ends', async () => {
  const [here, there] = [await signIn(ada), await signIn(ada)];
  await sendAs(here.sessionToken)('DELETE', '/auth/sessions');
  const { sessionToken } = await signIn(ada, there.known);
  const ended = (await eventsOf(sessionToken)).filter(({ action }) => action === 'revoke');
  expect(ended).toHaveLength(2);
  for (const event of ended) expect(event).toMatchObject({ credential: 'session', ...PLACE });
});

it("an operator's name is not shown, nor any event of another account", async () => {
  const stranger = await harness.givenPerson();
  const theirs = await signIn(stranger);
  const { sessionToken } = await signIn(ada);
  await harness.pool.query(
    `INSERT INTO credential_event (account_id, credential, credential_id, action, actor_kind, actor)
     VALUES ($1, 'account', $1, 'change', 'operator', 'grace')`,
    [ada.accountId],
  );
  const [event] = await eventsOf(sessionToken);
  expect(event).toMatchObject({ actor_kind: 'operator', actor_id: null, network: null });
  expect(event?.credential_id).toBe(toPublicId('acct', ada.accountId));
  expect(await eventsOf(theirs.sessionToken)).toHaveLength(1);
  const after = `?after=${event?.event_id ?? ''}`;
  expectError(await sendAs(theirs.sessionToken)('GET', `/v1/account/events${after}`), {
    ...{ status: 400, code: 'invalid_request_error', param: 'after' },
  });
});

it('events are returned in pages', async () => {
  const { sessionToken } = await signIn(ada);
  for (const name of ['one', 'two']) await sendAs(sessionToken)('POST', '/v1/api-keys', { name });
  const all = await eventsOf(sessionToken);
  expect(all).toHaveLength(3);
  const paged = [];
  for (let after = ''; ; after = `&after=${paged.at(-1)?.event_id ?? ''}`) {
    const page = await eventsOf(sessionToken, `?limit=1${after}`);
    if (page.length === 0) break;
    paged.push(...page);
  }
  expect(paged).toEqual(all);
});

it('only a trusted proxy may name the origin of a request', async () => {
  const { sessionToken } = await signIn(ada);
  await harness.send('POST', '/v1/api-keys', {
    headers: { authorization: `Bearer ${sessionToken}`, 'x-forwarded-for': `203.0.113.9, ${FROM}` },
    body: { name: 'laptop' },
  });
  expect((await eventsOf(sessionToken))[0]).toMatchObject({ network: PLACE.network, user_agent: null });
});

describe('the owner gets a mail', () => {
  it('about a sign-in from a browser that is new to the account, and about no other', async () => {
    const { known } = await signIn(ada);
    await signIn(ada, known);
    expect(await mailsOf(ada)).toEqual(['new_browser']);
    await signIn(ada);
    await signIn(ada, 'farebox_browser=nonsense');
    expect(await mailsOf(ada)).toEqual(['new_browser', 'new_browser', 'new_browser']);
    const [mail] = await harness.smtp.mailsTo(ada.email);
    expect(mail).toMatchObject({ subject: 'New sign-in to Farebox' });
    expect(mail?.text).toContain('Where: Firefox on Linux, network 198.51.100.0/24');
    expect(mail?.text).toContain('\nhttps://farebox.test/security\n');
  });

  it('but not about the sign-in that accepts their invite, whose browser is known from then on', async () => {
    const invited = await harness.givenPerson({ inviteStatus: 'invited' });
    const { known } = await signIn(invited, undefined, 'invite');
    await signIn(invited, known);
    expect(await mailsOf(invited)).toEqual([]);
    await signIn(invited);
    expect(await mailsOf(invited)).toEqual(['new_browser']);
  });

  it('about a new key and a new device, with no text from outside the service', async () => {
    const { sessionToken } = await signIn(ada);
    await sendAs(sessionToken)('POST', '/v1/api-keys', { name: 'see evil.example' });
    await sendAs(sessionToken)('POST', '/v1/devices/register', { name: 'see evil.example', platform: 'x' });
    const mails = await harness.smtp.mailsTo(ada.email, 3);
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      'New API key of your Farebox account',
      'New device of your Farebox account',
      'New sign-in to Farebox',
    ]);
    expect(JSON.stringify(mails)).not.toContain('evil');
  });

  it('about keys at most five times an hour, however many a script creates', async () => {
    const { sessionToken } = await signIn(ada);
    for (let keys = 0; keys < 8; keys++) await sendAs(sessionToken)('POST', '/v1/api-keys', { name: 'run' });
    expect((await mailsOf(ada)).filter((kind) => kind === 'new_api_key')).toHaveLength(5);
  });
});

it('a program without cookies gets a session when it signs in', async () => {
  const sessionToken = sessionTokenIn(await harness.signIn(await harness.givenToken(ada)));
  expect(await eventsOf(sessionToken)).toMatchObject([{ user_agent: 'test-cli/1', browser: null }]);
});
