import { toNanoUsd } from '@farebox/money';
import { writeInviteMail, writeLowBalanceMail, writeSignInMail } from './messages';

const FAREBOX = { name: 'Farebox', logoUrl: undefined, color: undefined, supportEmail: undefined };
const link = 'https://farebox.example/auth/links/lt-abc';
const ADA = { to: 'ada@example.com', language: 'en' } as const;

it('the mail with a link to sign in', () => {
  const mail = writeSignInMail({ ...ADA, link, code: 'K7QM2XRT', minutes: 15 }, FAREBOX);
  expect(mail).toMatchObject({ to: 'ada@example.com', subject: 'Sign in to Farebox' });
  expect(mail.text).toBe(`Somebody, most likely you, asked to sign in to Farebox as ada@example.com.

This link signs you in. It works once, for 15 minutes:

${link}

Or, if you asked on another machine, type this code there, into the page that waits for it:

K7QM-2XRT

Type the code nowhere else, whoever asks you for it. If you did not ask for this mail, do nothing: without the link or the code nobody gets in. Pass on neither.
`);
  expect(mail.html).toMatch(/<p><span style="[^"]*">K7QM-2XRT<\/span><\/p>/);
  expect(mail.html).toMatch(
    /<p><a href="https:\/\/farebox\.example\/auth\/links\/lt-abc" style="[^"]*">Sign in to Farebox<\/a><\/p>/,
  );
  expect(mail.html).toContain(`<span style="word-break: break-all">${link}</span>`);
});

it('the invitation mail', () => {
  const mail = writeInviteMail({ ...ADA, name: 'Ada', link, days: 7 }, FAREBOX);
  expect(mail.subject).toBe('Your invitation to Farebox');
  expect(mail.text).toContain(`Hello Ada,\n\nyou are invited`);
  expect(mail.text).toContain(`It works once, for 7 days:\n\n${link}\n\n`);
  expect(mail.html).toContain('>Accept the invitation</a></p>');
});

it('the low-balance mail rounds the remainder down to cents and names the threshold as it was set', () => {
  const [availableNano, thresholdNano] = [toNanoUsd(4_999_999_999n), toNanoUsd(5_000_000_000n)];
  const mail = writeLowBalanceMail({ ...ADA, name: 'Ada', availableNano, thresholdNano, link }, FAREBOX);
  expect(mail).toMatchObject({ to: 'ada@example.com', subject: 'Your Farebox balance is low' });
  expect(mail.text).toBe(`Hello Ada,

your Farebox account ada@example.com has 4.99 dollars left: less than the 5.00 dollars below which you get this mail.

When the balance is used up, requests are refused until money is added. Add funds here:

${link}

You get this mail once, and again only after the balance was above that amount.
`);
  expect(mail.html).toContain('<p>Hello Ada,</p>\n<p>your Farebox account');
  expect(mail.html).toContain('>Add funds</a></p>');
});

it.each([
  [0n, '0.00'],
  [1n, '0.00'],
  [1_230_000_000n, '1.23'],
  [12_000_000_000n, '12.00'],
])('a remainder of %s nano-dollars is shown as %s', (left, shown) => {
  const amounts = { availableNano: toNanoUsd(left), thresholdNano: toNanoUsd(20_005_000_000n) };
  const { text } = writeLowBalanceMail({ ...ADA, name: 'Ada', ...amounts, link }, FAREBOX);
  expect(text).toContain(` has ${shown} dollars left: less than the 20.005 dollars`);
});

it('a name is escaped in HTML', () => {
  const mail = writeInviteMail({ ...ADA, name: `<img src="x">&'`, link, days: 7 }, FAREBOX);
  expect(mail.html).toContain('Hello &lt;img src=&quot;x&quot;&gt;&amp;&#39;,');
  expect(mail.html).not.toContain('<img');
});

it('a text without special characters is unchanged in HTML', () => {
  const mail = writeInviteMail({ ...ADA, name: 'Ada Lovelace, 7 é', link, days: 7 }, FAREBOX);
  expect(mail.html).toContain('Hello Ada Lovelace, 7 é,');
});

describe('an operator', () => {
  const acme = {
    name: 'Acme & Co',
    logoUrl: 'https://img.acme.example/logo.svg?a=1&b=2',
    color: '#e8590c',
    supportEmail: 'help@acme.example',
  };
  const amounts = { availableNano: toNanoUsd(1n), thresholdNano: toNanoUsd(2n) };
  const name = 'Ada';

  it.each([
    [
      'sign-in',
      () => writeSignInMail({ ...ADA, link, code: undefined, minutes: 15 }, acme),
      'Sign in to Acme & Co',
    ],
    ['invite', () => writeInviteMail({ ...ADA, name, link, days: 7 }, acme), 'Your invitation to Acme & Co'],
    [
      'balance',
      () => writeLowBalanceMail({ ...ADA, name, ...amounts, link }, acme),
      'Your Acme & Co balance is low',
    ],
  ])('is named in the mail of a(n) %s, with their logo and support address', (_, write, subject) => {
    const mail = write();
    expect(mail.subject).toBe(subject);
    expect(mail.text).toMatch(/\n\nQuestions\? Write to help@acme\.example\.\n$/);
    expect(mail.text + mail.html).not.toContain('Farebox');
    expect(mail.html).toContain(
      '<img src="https://img.acme.example/logo.svg?a=1&amp;b=2" alt="Acme &amp; Co" height="48">',
    );
  });

  it.each([
    ['#e8590c', '#000000'],
    ['#ffd400', '#000000'],
    ['#0000ff', '#ffffff'],
  ])('has a button in their colour %s, with a text in %s, which can be read', (color, text) => {
    const { html } = writeSignInMail({ ...ADA, link, code: undefined, minutes: 15 }, { ...acme, color });
    expect(html).toContain(`background: ${color}; color: ${text}">Sign in to Acme &amp; Co</a>`);
  });
});

it('the invite says that the service is prepaid', () => {
  const { text, html } = writeInviteMail({ ...ADA, name: 'Ada', link, days: 7 }, FAREBOX);
  for (const mail of [text, html]) {
    expect(mail).toContain('you are invited to Farebox, a prepaid API for language models.');
    expect(mail).not.toContain('as you use it');
  }
});

it('each mail is written in the language of its reader', () => {
  const reader = { to: 'ada@example.com', language: 'de', name: 'Ada' } as const;
  const acme = { ...FAREBOX, name: 'Acme', supportEmail: 'help@acme.example' };
  const amounts = { availableNano: toNanoUsd(4_999_999_999n), thresholdNano: toNanoUsd(1_234_005_000_000n) };
  const mail = writeLowBalanceMail({ ...reader, ...amounts, link }, acme);
  expect(mail.subject).toBe('Ihr Guthaben bei Acme ist niedrig');
  expect(mail.text).toBe(`Guten Tag Ada,

auf Ihrem Acme-Konto ada@example.com sind noch 4,99 Dollar: weniger als die 1234,005 Dollar, unter denen Sie diese E-Mail erhalten.

Wenn das Guthaben aufgebraucht ist, werden Anfragen abgelehnt, bis Sie es wieder aufladen. Das geht hier:

${link}

Sie erhalten diese E-Mail einmal, und erst dann wieder, wenn das Guthaben zwischendurch über diesem Betrag lag.

Fragen? Schreiben Sie an help@acme.example.
`);
  expect(mail.html).toContain('<html lang="de">');
  expect(mail.html).toContain('>Guthaben aufladen</a></p>');
  expect(mail.html).toContain('<small>Oder öffnen Sie diese Adresse: <span');
  expect(writeSignInMail({ ...reader, link, code: undefined, minutes: 15 }, acme).subject).toBe(
    'Anmelden bei Acme',
  );
  expect(writeInviteMail({ ...reader, link, days: 7 }, acme).subject).toBe('Ihre Einladung zu Acme');
});
