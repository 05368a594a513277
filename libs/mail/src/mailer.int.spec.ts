import { startSmtpReceiver, type SmtpReceiver } from '@farebox/testing';
import { createMailer, toMailFailure, type MailMessage } from './mailer';

let smtp: SmtpReceiver;
beforeEach(async () => {
  smtp = await startSmtpReceiver();
});
afterEach(() => smtp.close());

const from = { name: 'Farebox, the "service"', address: 'farebox@example.com' };
const ID = '0193a1b2-0000-7000-8000-000000000000';
/** Uses the same id in all of these tests. */
const mailer = (url = smtp.url) => ({
  send: (mail: MailMessage, signal?: AbortSignal) =>
    createMailer({ url, from }).send(mail, { id: ID, ...(signal && { signal }) }),
});
const message = { to: 'ada@example.com', subject: 'Hello', text: 'plain\n.dot\n', html: '<p>é</p>\n' };

const failureOf = (sent: Promise<void>) =>
  sent.then(
    () => undefined,
    (error: unknown) => toMailFailure(error),
  );

it('a mail arrives in both forms, from the configured sender, to one person', async () => {
  await mailer().send(message);
  const [mail] = smtp.mails;
  expect(mail).toMatchObject({
    from: 'farebox@example.com',
    recipients: ['ada@example.com'],
    subject: 'Hello',
    text: 'plain\n.dot\n',
    html: '<p>é</p>\n',
    credentials: undefined,
  });
  expect(mail?.headers).toMatchObject({
    to: ['ada@example.com'],
    from: ['"Farebox, the \\"service\\"" <farebox@example.com>'],
    'auto-submitted': ['auto-generated'],
    'message-id': [`<${ID}@example.com>`],
  });
});

it('the user and password of the URL are used, on this machine even without TLS', async () => {
  await mailer(`smtp://fare%40box:p%3A%2Fw@127.0.0.1:${String(smtp.port)}`).send(message);
  expect(smtp.mails[0]?.credentials).toBe('fare@box:p:/w');
});

it.each([
  ['a line break', 'ada@example.com\r\nBcc: eve@example.com'],
  ['a second address', 'ada@example.com, eve@example.com'],
  ['a name with an address', 'Eve <eve@example.com>'],
])('an address with %s reaches nobody else and adds no header', async (_, to) => {
  await mailer()
    .send({ ...message, to })
    .catch(() => undefined);
  for (const mail of smtp.mails) {
    expect(mail.recipients).not.toContain('eve@example.com');
    expect(Object.keys(mail.headers)).not.toContain('bcc');
  }
});

it('a subject with a line break adds no header', async () => {
  await mailer().send({ ...message, subject: 'Hello\r\nBcc: eve@example.com' });
  const [mail] = smtp.mails;
  expect(mail?.recipients).toEqual(['ada@example.com']);
  expect(Object.keys(mail?.headers ?? {})).not.toContain('bcc');
});

it.each([
  ['451 4.3.0 later', { smtpStatus: 451, isPermanent: false }],
  ['550 5.7.1 no', { smtpStatus: 550, isPermanent: true }],
])('a server that replies %s', async (reply, expected) => {
  smtp.refuse = () => reply;
  expect(await failureOf(mailer().send(message))).toEqual({ reason: 'EMESSAGE', ...expected });
});

it('a server that is not there', async () => {
  const url = smtp.url;
  const gone = await startSmtpReceiver();
  await gone.close();
  expect(await failureOf(mailer(url.replace(/\d+$/, String(gone.port))).send(message))).toEqual({
    reason: 'ESOCKET',
    smtpStatus: undefined,
    isPermanent: false,
  });
});

it('a server that refuses the password is a temporary failure', async () => {
  smtp.refuseSignIn = '535 5.7.8 no';
  const failure = await failureOf(mailer(`smtp://fare:wrong@127.0.0.1:${String(smtp.port)}`).send(message));
  expect(failure).toEqual({ reason: 'EAUTH', smtpStatus: 535, isPermanent: false });
  expect(smtp.mails).toEqual([]);
});

it('a silent server is given up when the time of the sender ends', async () => {
  smtp.beforeTaking = () => new Promise(() => undefined);
  const failure = await failureOf(mailer().send(message, AbortSignal.timeout(200)));
  expect(failure).toMatchObject({ isPermanent: false });
});

it("a failure includes none of the server's own words, which may contain the link", async () => {
  smtp.refuse = () => '550 5.7.1 <https://farebox.example/auth/links/lt-canary> to ada@example.com looks bad';
  const failure = await failureOf(mailer().send(message));
  expect(failure).toBeDefined();
  expect(JSON.stringify(failure)).not.toMatch(/canary|ada|https/);
});
