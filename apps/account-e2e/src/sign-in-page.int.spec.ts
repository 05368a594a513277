import { createHash } from 'node:crypto';
import type { Received } from '../test/account-harness';
import { openSignInHarness, type SignInHarness } from '../test/sign-in-harness';

let harness: SignInHarness;
beforeAll(async () => {
  harness = await openSignInHarness();
});
afterAll(() => harness.close());

/** The cookie that an answer sets, as a browser sends it back. */
function cookieOf({ headers }: Received): string {
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

async function everyPage(): Promise<Received[]> {
  const token = await harness.givenToken(await harness.givenPerson());
  const look = (headers = {}) => harness.send('GET', `/auth/links/${token}`, { headers });
  const open = await look();
  const cookie = cookieOf(await harness.submit(token));
  const signedIn = [await look({ cookie }), await harness.submit(token, { cookie })];
  return [open, ...signedIn, await harness.submit(token), await look()];
}

it('every page is restricted to its own style and form, and is neither cached nor framed', async () => {
  for (const { text, headers } of await everyPage()) {
    const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none';style-src 'sha256-${hash}';form-action 'self';base-uri 'none';frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': expect.stringMatching(/^max-age=/) as string,
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()') as string,
    });
    // With no-referrer the form would have the origin "null", and be refused.
    expect(headers['referrer-policy']).toBe('strict-origin');
    expect(headers).not.toHaveProperty('x-powered-by');
  }
});

it('no page has a script, loads anything or links anywhere but to the console', async () => {
  for (const { text: whole } of await everyPage()) {
    expect(whole).toMatch(/^<!doctype html>\n<html lang="en">/);
    const text = whole.replace(/<a href="\/">(Open the console|Ask for a new link)<\/a>/, '');
    expect(text).not.toMatch(/<script|<img|<link|<iframe|\bon\w+=|\bstyle=|href=|https?:/i);
  }
});

it('the page of a link shows the address, and distinguishes an invite from a sign-in', async () => {
  const person = await harness.givenPerson({ inviteStatus: 'invited' });
  const invite = await harness.send('GET', `/auth/links/${await harness.givenToken(person, 'invite')}`);
  expect(invite.text).toContain('<h1>Your invitation to Farebox</h1>');
  expect(invite.text).toContain(`<strong>${person.email}</strong>`);
  const signIn = await harness.send('GET', `/auth/links/${await harness.givenToken(person)}`);
  expect(signIn.text).toContain('<h1>Sign in to Farebox</h1>');
});

it.each([
  ['that of the browser', null, 'de-AT,de;q=0.9,en;q=0.5', 'Anmelden bei Farebox'],
  ['that of the account, if it has one', 'en', 'de', 'Sign in to Farebox'],
  ['English, if there is none of those that the browser prefers', null, 'fr, de;q=0', 'Sign in to Farebox'],
])('the language of the page of a link is %s', async (_, ofAccount, preferred, title) => {
  const person = await harness.givenPerson();
  await harness.pool.query('UPDATE account SET language = $2 WHERE id = $1', [person.accountId, ofAccount]);
  const options = { headers: { 'accept-language': preferred } };
  const { text, headers } = await harness.send(
    'GET',
    `/auth/links/${await harness.givenToken(person)}`,
    options,
  );
  expect(text).toContain(`<h1>${title}</h1>`);
  expect(text).toContain(`<html lang="${title.startsWith('Anmelden') ? 'de' : 'en'}">`);
  expect(text).toContain(`<strong>${person.email}</strong>`);
  expect(headers['vary']).toBe('Accept-Language');
});

it('a link that is dead says so in the language of the browser', async () => {
  const { text } = await harness.send('GET', '/auth/links/lt-nothing', {
    headers: { 'accept-language': 'de' },
  });
  expect(text).toContain('<h1>Dieser Link kann nicht verwendet werden</h1>');
  expect(text).toContain('<a href="/">Neuen Link anfordern</a>');
});

it('markup in an address is shown as text', async () => {
  const person = await harness.givenPerson();
  await harness.pool.query(`UPDATE account SET email = '<b>&"@example.com' WHERE id = $1`, [
    person.accountId,
  ]);
  const { text } = await harness.send('GET', `/auth/links/${await harness.givenToken(person)}`);
  expect(text).toContain('<strong>&lt;b&gt;&amp;&quot;@example.com</strong>');
});

it('a HEAD request does not spend the link either', async () => {
  const token = await harness.givenToken(await harness.givenPerson());
  const { status, text } = await harness.send('HEAD', `/auth/links/${token}`);
  expect({ status, text }).toEqual({ status: 200, text: '' });
  expect((await harness.submit(token)).status).toBe(303);
});

describe('a person who has pressed the button', () => {
  it('is redirected to the console, by a request that can be repeated', async () => {
    const { status, headers, text } = await harness.submit(
      await harness.givenToken(await harness.givenPerson()),
    );
    expect({ status, text }).toEqual({ status: 303, text: '' });
    expect(headers).toMatchObject({ location: '/', 'cache-control': 'no-store' });
  });

  it('learns that they are signed in if they press it again, or open the mail again', async () => {
    const token = await harness.givenToken(await harness.givenPerson());
    const cookie = cookieOf(await harness.submit(token));
    const looked = await harness.send('GET', `/auth/links/${token}`, { headers: { cookie } });
    for (const again of [looked, await harness.submit(token, { cookie })]) {
      expect(again.status).toBe(200);
      expect(again.text).toContain('<h1>You are signed in</h1>');
      expect(again.text).toContain('<a href="/">Open the console</a>');
      expect(again.headers).not.toHaveProperty('set-cookie');
    }
  });

  it('learns that the link cannot be used if they have signed out since', async () => {
    const token = await harness.givenToken(await harness.givenPerson());
    const cookie = cookieOf(await harness.submit(token));
    const headers = { cookie, host: 'farebox.test', origin: 'https://farebox.test' };
    expect((await harness.send('DELETE', '/auth/session', { headers })).status).toBe(200);
    expect((await harness.send('GET', `/auth/links/${token}`, { headers: { cookie } })).status).toBe(404);
    expect((await harness.submit(token, { cookie })).status).toBe(401);
  });
});

it.each([
  ['no token', 'other=1', 400],
  ['a token twice', 'token=a&token=b', 400],
  ['a field more', 'token=a&next=%2Fx', 400],
  ['bytes that are not UTF-8', Buffer.from([0x74, 0xff]), 400],
  ['more than 4 KiB', `token=${'a'.repeat(4_096)}`, 413],
] as const)('a form with %s is refused', async (_, body, status) => {
  const headers = {
    host: 'farebox.test',
    origin: 'https://farebox.test',
    'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
  };
  const answer = await harness.send('POST', '/auth/sessions', { headers, body });
  expect(answer.status).toBe(status);
  expect(answer.headers).not.toHaveProperty('set-cookie');
});
