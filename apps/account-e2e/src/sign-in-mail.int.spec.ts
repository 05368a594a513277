import { environmentFor, runUntilExit } from './account-process';
import { openAccountStand } from './account-stand';
import { openSignInStand, type SignInStand } from './sign-in.stand';

let stand: SignInStand;
beforeEach(async () => {
  stand = await openSignInStand();
});
afterEach(() => stand.close());

const records = (log: readonly string[]) => log.map((line) => JSON.parse(line) as Record<string, unknown>);
const mailRecords = () => records(stand.process.log).filter(({ event }) => event === 'mail');

async function untilLogged(log: readonly string[], isIt: (record: Record<string, unknown>) => boolean) {
  const deadlineMs = Date.now() + 20_000;
  for (;;) {
    const found = records(log).find(isIt);
    if (found) return found;
    if (Date.now() > deadlineMs) throw new Error('it was not logged');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('a mail that the server does not take now is sent again', async () => {
  const { email } = await stand.givenPerson();
  let refusals = 1;
  stand.smtp.refuse = () => (refusals-- > 0 ? '451 4.3.0 come back later' : undefined);
  expect((await stand.ask(email)).status).toBe(202);
  await stand.smtp.mailsTo(email);
  await untilLogged(stand.process.log, ({ outcome }) => outcome === 'sent');
  expect(mailRecords()).toMatchObject([
    { level: 'warn', outcome: 'tried', attempt: 1, reason: 'EMESSAGE', status: 451 },
    { level: 'info', outcome: 'sent', attempt: 2 },
  ]);
});

it('a mail that the server never takes is given up, and the log has neither link nor address', async () => {
  const { email } = await stand.givenPerson();
  let link = '';
  stand.smtp.refuse = () => `550 5.7.1 bad link ${link} for ${email}`;
  link = 'https://farebox.test/auth/links/lt-canarycanarycanary';
  await stand.ask(email);
  const record = await untilLogged(stand.process.log, ({ outcome }) => outcome === 'given_up');
  expect(record).toMatchObject({ level: 'error', attempt: 1, reason: 'EMESSAGE', status: 550 });
  expect(record.account_id).toMatch(/^acct_/);
  const text = stand.process.log.join('\n');
  for (const secret of ['lt-', 'canary', email]) expect(text).not.toContain(secret);
});

it('nothing of a sign-in is in the log: no token, no address, no path', async () => {
  const person = await stand.givenPerson();
  await stand.ask(person.email);
  await stand.smtp.mailsTo(person.email);
  const token = await stand.givenToken(person);
  await stand.send('GET', `/auth/links/${token}`);
  const { session_token } = (await stand.signIn(token)).json as { session_token: string };
  await stand.process.stop();
  const text = stand.process.log.join('\n');
  for (const secret of ['lt-', token, session_token, person.email]) expect(text).not.toContain(secret);
  expect(text).toContain('"route":"/auth/links/:token"');
});

it('a mail that was asked for before the stop is sent before the end', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, () => stand.givenPerson()));
  await Promise.all(people.map(({ email }) => stand.ask(email)));
  expect(await stand.process.stop()).toEqual({ code: 0, stderr: '' });
  const reached = stand.smtp.mails.flatMap((mail) => mail.recipients);
  expect(reached.sort()).toEqual(people.map(({ email }) => email).sort());
});

describe('without a mail server', () => {
  const LOCAL = 'http://127.0.0.1:8080';

  it('links are shown in the log where development asks for it, and work there over plain http', async () => {
    const local = await openAccountStand({
      environment: { FAREBOX_SHOW_SIGN_IN_LINKS: 'true', FAREBOX_PUBLIC_URL: LOCAL },
    });
    const { accountId } = await local.givenCustomer();
    await local.send('POST', '/auth/links', { body: { email: `${accountId}@example.com` } });
    const { sign_in_link } = await untilLogged(local.process.log, ({ event }) => event === 'sign_in_link');
    expect(sign_in_link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/auth\/links\/lt-[\w-]{43}$/);
    const token = String(sign_in_link).split('/').at(-1);
    const answer = await local.send('POST', '/auth/sessions', { body: { token } });
    expect(answer.status).toBe(201);
    expect(answer.headers['set-cookie']?.[0]).not.toContain('Secure');
    await local.close();
  });

  it('no link is in the log where nothing asks for it', async () => {
    const silent = await openAccountStand();
    const { accountId } = await silent.givenCustomer();
    await silent.send('POST', '/auth/links', { body: { email: `${accountId}@example.com` } });
    const record = await untilLogged(silent.process.log, ({ event }) => event === 'sign_in_link_not_sent');
    expect(record).toMatchObject({ level: 'warn', reason: 'no_mail_server' });
    expect(silent.process.log.join('\n')).not.toContain('/auth/links/lt-');
    expect(records(silent.process.log).some(({ event }) => event === 'mail_not_configured')).toBe(true);
    await silent.close();
  });

  it('links are shown for no address that others reach: the service does not start', async () => {
    const { code, stderr } = await runUntilExit({
      ...environmentFor(stand.serviceUrl),
      FAREBOX_SHOW_SIGN_IN_LINKS: 'true',
      FAREBOX_PUBLIC_URL: 'https://farebox.example',
    });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'FAREBOX_SHOW_SIGN_IN_LINKS is for development: it is taken only where FAREBOX_PUBLIC_URL is http on this machine.\n',
    );
  });
});

it.each([
  ['not trusted is told of, once', {}, 1],
  ['trusted is not, whoever its client is', { FAREBOX_TRUSTED_PROXIES: '127.0.0.0/8' }, 0],
])('a proxy in front that is %s', async (_, environment, expected) => {
  const service = await openAccountStand({ environment });
  for (const address of ['192.0.2.1', '192.0.2.1', '127.0.0.1']) {
    await service.send('GET', '/v1/billing/balance', { headers: { 'x-forwarded-for': address } });
  }
  await service.process.stop();
  const warnings = records(service.process.log).filter(({ event }) => event === 'proxy_not_trusted');
  expect(warnings).toHaveLength(expected);
  await service.close();
});
