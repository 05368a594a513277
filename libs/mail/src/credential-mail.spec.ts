import { writeCredentialMail } from './credential-mail';

const FAREBOX = { name: 'Farebox', logoUrl: undefined, color: undefined, supportEmail: undefined };
const given = {
  to: 'ada@example.com',
  language: 'en',
  at: new Date('2026-11-25T14:05:59Z'),
  network: '192.0.2.0/24',
  browser: 'Firefox on Linux',
  link: 'https://farebox.example/security',
} as const;

it('the mail of a sign-in by a new browser has the time and place, and links to the log of events', () => {
  const mail = writeCredentialMail({ ...given, kind: 'new_browser' }, FAREBOX);
  expect(mail).toMatchObject({ to: 'ada@example.com', subject: 'New sign-in to Farebox' });
  expect(mail.text)
    .toBe(`Somebody, most likely you, signed in to the Farebox account ada@example.com from a browser that had not been used for it before.

When: 25 November 2026, 14:05 UTC

Where: Firefox on Linux, network 192.0.2.0/24

If it was you, there is nothing to do. If it was not, sign out everywhere, revoke what you do not know, and check who can read your mail. This page shows what was done, and how:

https://farebox.example/security

At most five mails of this kind are sent in an hour. The page shows everything.
`);
  expect(mail.html).toMatch(
    /<p><a href="https:\/\/farebox\.example\/security" [^>]*>See what was done to your account<\/a><\/p>/,
  );
});

it.each([
  ['new_api_key', 'New API key of your Farebox account', 'created an API key of'],
  ['new_device', 'New device of your Farebox account', 'registered a device of'],
] as const)('the mail of a %s names the new credential', (kind, subject, event) => {
  const mail = writeCredentialMail({ ...given, kind }, FAREBOX);
  expect(mail.subject).toBe(subject);
  expect(mail.text).toContain(`Somebody, most likely you, ${event} the Farebox account ada@example.com.`);
});

it('states that the place is not known', () => {
  const { text } = writeCredentialMail(
    { ...given, kind: 'new_device', network: null, browser: null },
    FAREBOX,
  );
  expect(text).toContain('Where: a browser or program that is not known, network not known\n');
});

it("carries the operator's name", () => {
  const acme = { ...FAREBOX, name: 'Acme & Co', color: '#e8590c', supportEmail: 'help@acme.example' };
  const mail = writeCredentialMail({ ...given, kind: 'new_browser' }, acme);
  expect(mail.subject).toBe('New sign-in to Acme & Co');
  expect(mail.text + mail.html).not.toContain('Farebox');
  expect(mail.text).toMatch(/\n\nQuestions\? Write to help@acme\.example\.\n$/);
});

it('is written in the language of the owner, with the time and the browser', () => {
  const { subject, text } = writeCredentialMail({ ...given, language: 'de', kind: 'new_api_key' }, FAREBOX);
  expect(subject).toBe('Neuer API-Schlüssel Ihres Farebox-Kontos');
  expect(text).toContain('Wann: 25. November 2026, 14:05 UTC\n');
  expect(text).toContain('Wo: Firefox unter Linux, Netz 192.0.2.0/24\n');
});
