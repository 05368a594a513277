import { newSession } from '@farebox/api';
import { expectError } from '../test/account-harness';
import {
  aNetwork,
  comparable,
  openSignInHarness,
  tokenIn,
  type SignInHarness,
} from '../test/sign-in-harness';

let harness: SignInHarness;
beforeAll(async () => {
  harness = await openSignInHarness();
});
afterAll(() => harness.close());

/** Asks for a mail as a browser does; returns its cookie and the code of the mail. */
async function givenMail(email: string) {
  const answer = await harness.ask(email);
  const [cookie = ''] = (answer.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]);
  const text = (await harness.smtp.mailsTo(email)).at(-1)?.text;
  const [, code = ''] = /^([0-9A-Z]{4}-[0-9A-Z]{4})\r?$/m.exec(text ?? '') ?? [];
  return { cookie, code, token: tokenIn(text) };
}

const type = (email: string, code: string, headers: Record<string, string> = {}) =>
  harness.send('POST', '/auth/codes', {
    headers: { 'x-forwarded-for': aNetwork(), 'x-request-id': 'the-same', ...headers },
    body: { email, code },
  });

const REFUSED = { status: 401, code: 'authentication_error' } as const;

it('somebody who reads the mail elsewhere signs in where they asked, and the link is used then', async () => {
  const { email } = await harness.givenPerson();
  const { cookie, code, token } = await givenMail(email);
  expectError(await type(email, code), REFUSED);
  const answer = await type(email.toUpperCase(), code.toLowerCase(), { cookie });
  expect(answer.status).toBe(201);
  const { session_token } = newSession.parse(answer.json);
  const [session = '', browser = ''] = answer.headers['set-cookie'] ?? [];
  expect(session).toMatch(`service_token=${session_token};`);
  expect(browser).toMatch(`${cookie};`);
  expect(browser).toMatch(/; Path=\/auth; .*HttpOnly; Secure; SameSite=Lax/);
  expectError(await type(email, code, { cookie }), REFUSED);
  expectError(await harness.signIn(token), REFUSED);
});

it('a stranger cannot be told from a customer, nor a wrong code from an old one', async () => {
  const { email } = await harness.givenPerson();
  const { cookie, code } = await givenMail(email);
  const stranger = await harness.ask('nobody@example.com');
  expect(stranger.headers['set-cookie']).toHaveLength(1);
  const answers = [
    await type(email, 'K7QM-2XRT', { cookie }),
    await type('nobody@example.com', code, { cookie }),
    await type(email, 'no code at all', { cookie }),
    await type(email, code),
  ];
  const [first] = answers.map(comparable);
  for (const answer of answers) expect(comparable(answer)).toEqual(first);
});

it('a page of another origin cannot sign anybody in with a code', async () => {
  const { email } = await harness.givenPerson();
  const { cookie, code } = await givenMail(email);
  const from = (origin: string) => type(email, code, { cookie, host: 'farebox.test', origin });
  expectError(await from('https://evil.example'), REFUSED);
  expect((await from('https://farebox.test')).status).toBe(201);
});
