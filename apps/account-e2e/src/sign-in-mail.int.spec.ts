import { openAccountHarness } from '../test/account-harness';
import { openSignInHarness, tokenIn, type SignInHarness } from '../test/sign-in-harness';
import { runWorkerUntilExit, startWorkerProcess } from '../test/processes';

let harness: SignInHarness;
beforeEach(async () => {
  harness = await openSignInHarness();
});
afterEach(() => harness.close());

const records = (log: readonly string[]) => log.map((line) => JSON.parse(line) as Record<string, unknown>);

async function untilLogged(log: readonly string[], isIt: (record: Record<string, unknown>) => boolean) {
  const deadlineMs = Date.now() + 60_000;
  for (;;) {
    const found = records(log).find(isIt);
    if (found) return found;
    if (Date.now() > deadlineMs) throw new Error('it was not logged');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('a mail that the server refuses for now is sent again', async () => {
  const { email } = await harness.givenPerson();
  let refusals = 1;
  harness.smtp.refuse = () => (refusals-- > 0 ? '451 4.3.0 come back later' : undefined);
  expect((await harness.ask(email)).status).toBe(202);
  await untilLogged(harness.worker.log, ({ event, outcome }) => event === 'mail' && outcome === 'sent');
  const failure = records(harness.worker.log).find(
    ({ event, job }) => event === 'job_failed' && job === 'send-mail',
  );
  expect(failure).toMatchObject({ level: 'warn', job: 'send-mail', attempt: 1 });
  expect(JSON.stringify(failure)).toContain('EMESSAGE 451');
  expect(await harness.smtp.mailsTo(email)).toHaveLength(1);
});

it('a mail that the server never accepts is abandoned, and the log has neither link nor address', async () => {
  const { email } = await harness.givenPerson();
  const link = 'https://farebox.test/auth/links/lt-canarycanarycanary';
  harness.smtp.refuse = () => `550 5.7.1 bad link ${link} for ${email}`;
  await harness.ask(email);
  const record = await untilLogged(harness.worker.log, ({ event }) => event === 'mail');
  expect(record).toMatchObject({ level: 'error', outcome: 'refused', reason: 'EMESSAGE', status: 550 });
  expect(record.account_id).toMatch(/^acct_/);
  const text = harness.worker.log.join('\n');
  for (const secret of ['lt-', 'canary', email]) expect(text).not.toContain(secret);
});

it('no log and no queue contains a token, an address or a path of a sign-in', async () => {
  const person = await harness.givenPerson();
  await harness.ask(person.email);
  const [mail] = await harness.smtp.mailsTo(person.email);
  const mailed = tokenIn(mail?.text);
  const token = await harness.givenToken(person);
  await harness.send('GET', `/auth/links/${token}`);
  const { session_token } = (await harness.signIn(token)).json as { session_token: string };
  await harness.untilMailsEnded();
  const kept = await harness.pool.query<{ row: string }>(
    'SELECT j::text AS row FROM bullmq.job j UNION ALL SELECT o::text FROM outbox o UNION ALL SELECT m::text FROM mail m',
  );
  expect(kept.rows.length).toBeGreaterThan(0);
  await harness.worker.stop();
  await harness.process.stop();
  const texts = [...harness.process.log, ...harness.worker.log, ...kept.rows.map(({ row }) => row)].join(
    '\n',
  );
  for (const secret of ['lt-', token, mailed, session_token, person.email])
    expect(texts).not.toContain(secret);
  expect(texts).toContain('"route":"/auth/links/:token"');
});

it('a requested mail outlives the service: killed right after its answers, it leaves none unsent', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, () => harness.givenPerson()));
  await Promise.all(people.map(({ email }) => harness.ask(email)));
  await harness.process.stop('SIGKILL');
  await harness.untilMailsEnded();
  const reached = harness.smtp.mails.flatMap((mail) => mail.recipients);
  expect(reached.sort()).toEqual(people.map(({ email }) => email).sort());
});

it('a mail requested while no worker runs is sent when one does', async () => {
  const { email } = await harness.givenPerson();
  await harness.worker.stop('SIGKILL');
  expect((await harness.ask(email)).status).toBe(202);
  await harness.startWorker();
  await harness.untilMailsEnded();
  expect(harness.smtp.mails.flatMap((mail) => mail.recipients)).toEqual([email]);
});

it('a worker that is stopped completes the mail that it is sending', async () => {
  const { email } = await harness.givenPerson();
  let take = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    harness.smtp.beforeTaking = () => {
      resolve();
      return new Promise((taken) => (take = taken));
    };
  });
  await harness.ask(email);
  await reached;
  const stopped = harness.worker.stop();
  await untilLogged(harness.worker.log, ({ event }) => event === 'stopping');
  take();
  expect(await stopped).toEqual({ code: 0, stderr: '' });
  expect(harness.smtp.mails.flatMap((mail) => mail.recipients)).toEqual([email]);
  await harness.untilMailsEnded();
});

describe('without a mail server', () => {
  const LOCAL = 'http://127.0.0.1:8080';

  it('links are logged if development asks for it, and work there over plain http', async () => {
    const local = await openAccountHarness({ environment: { FAREBOX_PUBLIC_URL: LOCAL } });
    const worker = await startWorkerProcess(local.workerUrl, {
      FAREBOX_SHOW_SIGN_IN_LINKS: 'true',
      FAREBOX_PUBLIC_URL: LOCAL,
    });
    const { accountId } = await local.givenCustomer();
    await local.send('POST', '/auth/links', { body: { email: `${accountId}@example.com` } });
    const { sign_in_link } = await untilLogged(worker.log, ({ event }) => event === 'sign_in_link');
    expect(sign_in_link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/auth\/links\/lt-[\w-]{43}$/);
    const token = String(sign_in_link).split('/').at(-1);
    const answer = await local.send('POST', '/auth/sessions', { body: { token } });
    expect(answer.status).toBe(201);
    expect(answer.headers['set-cookie']?.[0]).not.toContain('Secure');
    await worker.stop();
    await local.close();
  });

  it('no link is in the log by default', async () => {
    const silent = await openAccountHarness();
    const worker = await startWorkerProcess(silent.workerUrl);
    const { accountId } = await silent.givenCustomer();
    await silent.send('POST', '/auth/links', { body: { email: `${accountId}@example.com` } });
    const record = await untilLogged(worker.log, ({ event }) => event === 'mail');
    expect(record).toMatchObject({ level: 'warn', outcome: 'no_mail_server' });
    expect(records(worker.log).some(({ event }) => event === 'mail_not_configured')).toBe(true);
    expect([...worker.log, ...silent.process.log].join('\n')).not.toContain('/auth/links/lt-');
    await worker.stop();
    await silent.close();
  });

  it('links are never shown for an address that others reach: the worker does not start', async () => {
    const { code, stderr } = await runWorkerUntilExit({
      DATABASE_URL: harness.workerUrl,
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
  ['not trusted is reported once', {}, 1],
  ['trusted is not reported, whatever its client', { FAREBOX_TRUSTED_PROXIES: '127.0.0.0/8' }, 0],
])('a proxy in front that is %s', async (_, environment, expected) => {
  const service = await openAccountHarness({ environment });
  for (const address of ['192.0.2.1', '192.0.2.1', '127.0.0.1']) {
    await service.send('GET', '/v1/billing/balance', { headers: { 'x-forwarded-for': address } });
  }
  await service.process.stop();
  const warnings = records(service.process.log).filter(({ event }) => event === 'proxy_not_trusted');
  expect(warnings).toHaveLength(expected);
  await service.close();
});
