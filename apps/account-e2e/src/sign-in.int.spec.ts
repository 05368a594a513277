import { expectError } from '../test/account-harness';
import {
  comparable,
  openSignInHarness,
  sessionTokenIn,
  tokenIn,
  type SignInHarness,
} from '../test/sign-in-harness';

let harness: SignInHarness;
beforeAll(async () => {
  harness = await openSignInHarness();
});
afterAll(() => harness.close());

const UNAUTHENTICATED = { status: 401, code: 'authentication_error' } as const;
const DEAD_LINKS = {
  used: async () => {
    const token = await harness.givenToken(await harness.givenPerson());
    expect((await harness.signIn(token)).status).toBe(201);
    return token;
  },
  'past its time': async () => {
    const person = await harness.givenPerson();
    const token = await harness.givenToken(person);
    await harness.pool.query(
      `UPDATE sign_in_link SET created_at = created_at - interval '15 minutes',
         expires_at = expires_at - interval '15 minutes' WHERE account_id = $1`,
      [person.accountId],
    );
    return token;
  },
  invented: () => Promise.resolve(`lt-${'a'.repeat(43)}`),
  'no token': () => Promise.resolve("lt-' OR 1=1 --"),
};

const page = (token: string) => harness.send('GET', `/auth/links/${encodeURIComponent(token)}`);
const balance = (sessionToken: string) =>
  harness.send('GET', '/v1/billing/balance', { headers: { authorization: `Bearer ${sessionToken}` } });

async function statusOf(accountId: string): Promise<unknown> {
  const { rows } = await harness.pool.query<{ status: string }>(
    'SELECT invite_status AS status FROM account WHERE id = $1',
    [accountId],
  );
  return rows[0]?.status;
}

it('a person signs in: they ask by address, get the mail, open it, press the button, and are in', async () => {
  const { email } = await harness.givenPerson();
  expect((await harness.ask(` ${email.toUpperCase()} `)).status).toBe(202);
  const [mail] = await harness.smtp.mailsTo(email);
  expect(mail).toMatchObject({
    from: 'farebox@example.com',
    recipients: [email],
    subject: 'Sign in to Farebox',
    headers: { from: ['Farebox <farebox@example.com>'], to: [email] },
  });
  const token = tokenIn(mail?.text);
  expect(mail?.text).toContain('It works once, for 15 minutes');
  const link = `<a href="https://farebox.test/auth/links/${token}"[^>]*>Sign in to Farebox</a>`;
  expect(mail?.html).toMatch(new RegExp(link));

  for (let looks = 0; looks < 3; looks++) expect((await page(token)).text).toContain(`value="${token}"`);
  const signedIn = await harness.submit(token);
  expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/']);
  const [cookie = '', ...more] = signedIn.headers['set-cookie'] ?? [];
  expect(more).toEqual([
    expect.stringMatching(
      /^farebox_browser=[\w-]{22}; Path=\/auth; Max-Age=34560000; HttpOnly; Secure; SameSite=Lax$/,
    ),
  ]);
  expect(cookie).toMatch(
    /^service_token=st-[\w-]{43}; Path=\/; Expires=[A-Z][a-z]{2}, .+ GMT; HttpOnly; Secure; SameSite=Lax$/,
  );
  const headers = { cookie: cookie.split(';')[0] ?? '' };
  expect((await harness.send('GET', '/v1/billing/balance', { headers })).status).toBe(200);
});

describe('a program', () => {
  it('gets the session as JSON, once for each link', async () => {
    const token = await harness.givenToken(await harness.givenPerson());
    const answer = await harness.signIn(token);
    const sessionToken = sessionTokenIn(answer);
    expect(answer.headers['set-cookie']?.[0]).toContain(`service_token=${sessionToken};`);
    expect((await balance(sessionToken)).status).toBe(200);
    expectError(await harness.signIn(token), UNAUTHENTICATED);
  });

  it('is let in once if fifty use the same link at the same moment', async () => {
    const person = await harness.givenPerson({ inviteStatus: 'invited' });
    const token = await harness.givenToken(person, 'invite');
    const answers = await Promise.all(Array.from({ length: 50 }, () => harness.signIn(token, '10.255.0.1')));
    const [first, ...others] = answers.sort((a, b) => a.status - b.status);
    expect(first?.status).toBe(201);
    for (const other of others) expectError(other, UNAUTHENTICATED);
    const { rowCount } = await harness.pool.query('SELECT 1 FROM account_session WHERE account_id = $1', [
      person.accountId,
    ]);
    expect(rowCount).toBe(1);
  });

  it.each([
    ['nothing', {}, 'token'],
    ['a number', { token: 1 }, 'token'],
    ['an empty text', { token: '' }, 'token'],
    ['a long text', { token: 'a'.repeat(101) }, 'token'],
    ['an unknown field', { token: 'lt-x', next: 'https://evil.example' }, 'next'],
  ])('does not sign in with %s', async (_, body, param) => {
    const answer = await harness.send('POST', '/auth/sessions', { body });
    expectError(answer, { status: 400, code: 'invalid_request_error', param });
  });

  it('may send at most 4 KiB', async () => {
    const body = JSON.stringify({ token: 'a'.repeat(5_000) });
    const answer = await harness.send('POST', '/auth/sessions', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expectError(answer, { status: 413, code: 'request_too_large' });
  });
});

describe('an unusable link', () => {
  it('gets the same response, whatever is wrong with it', async () => {
    const answers = [];
    for (const given of Object.values(DEAD_LINKS)) answers.push(await harness.signIn(await given()));
    for (const answer of answers) {
      expectError(answer, UNAUTHENTICATED);
      expect(comparable(answer)).toEqual(comparable(answers[0] ?? answer));
    }
  });

  it.each(Object.entries(DEAD_LINKS))('%s: a page says so', async (_, given) => {
    const token = await given();
    const looked = await page(token);
    expect([looked.status, looked.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(looked.text).toContain('This link cannot be used');
    expect(looked.text).not.toContain('<form');
    const pressed = await harness.submit(token);
    expect([pressed.status, pressed.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    expect(pressed.headers).not.toHaveProperty('set-cookie');
  });
});

describe('the account', () => {
  it.each([
    ['invited', 'active', 200],
    ['active', 'active', 200],
    ['suspended', 'suspended', 403],
    ['none', 'none', 403],
  ] as const)('that is %s is %s after its owner signed in', async (before, after, status) => {
    const person = await harness.givenPerson({ inviteStatus: before });
    const sessionToken = sessionTokenIn(await harness.signIn(await harness.givenToken(person, 'invite')));
    expect(await statusOf(person.accountId)).toBe(after);
    expect((await balance(sessionToken)).status).toBe(status);
  });

  it('that is invited becomes active by a link that its owner requested', async () => {
    const { accountId, email } = await harness.givenPerson({ inviteStatus: 'invited' });
    await harness.ask(email);
    const [mail] = await harness.smtp.mailsTo(email);
    sessionTokenIn(await harness.signIn(tokenIn(mail?.text)));
    expect(await statusOf(accountId)).toBe('active');
  });

  it.each(['suspended', 'none'] as const)(
    'that is %s reaches the console, where every call reports that it has no access, and signs out',
    async (inviteStatus) => {
      const person = await harness.givenPerson({ inviteStatus });
      const answer = await harness.submit(await harness.givenToken(person));
      expect([answer.status, answer.headers.location]).toEqual([303, '/']);
      const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      const send = (method: string, path: string) =>
        harness.send(method, path, {
          headers: { cookie, host: 'farebox.test', origin: 'https://farebox.test' },
        });
      const NO_ACCESS = { status: 403, code: 'beta_access_required' } as const;
      expectError(await send('GET', '/v1/billing/balance'), NO_ACCESS);
      expectError(await send('GET', '/auth/sessions'), NO_ACCESS);
      expect((await send('DELETE', '/auth/session')).status).toBe(200);
      expectError(await send('DELETE', '/auth/session'), UNAUTHENTICATED);
    },
  );
});

it.each<[string, Record<string, string>]>([
  ['from a foreign page', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['from a page of a sibling', { origin: 'https://www.farebox.test', 'sec-fetch-site': 'same-site' }],
  ['from nowhere', { origin: 'null' }],
])('a form %s signs nobody in, and does not spend the link', async (_, headers) => {
  const token = await harness.givenToken(await harness.givenPerson());
  const refused = await harness.submit(token, headers);
  expect(refused.status).toBe(401);
  expect(refused.headers).not.toHaveProperty('set-cookie');
  const json = { headers: { host: 'farebox.test', ...headers }, body: { token } };
  expectError(await harness.send('POST', '/auth/sessions', json), UNAUTHENTICATED);
  expect((await harness.submit(token)).status).toBe(303);
});
