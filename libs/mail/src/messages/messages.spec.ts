import { toHtmlText } from './html-text';
import { writeInviteMail } from './invite-mail';
import { writeSignInMail } from './sign-in-mail';

const link = 'https://farebox.example/auth/links/lt-abc';

it('the mail with a link to sign in', () => {
  const mail = writeSignInMail({ to: 'ada@example.com', link, minutes: 15 });
  expect(mail).toMatchObject({ to: 'ada@example.com', subject: 'Sign in to Farebox' });
  expect(mail.text).toBe(`Somebody, most likely you, asked to sign in to Farebox as ada@example.com.

This link signs you in. It works once, for 15 minutes:

${link}

If it was not you, do nothing: without this link nobody gets in. Do not pass it on.
`);
  expect(mail.html).toContain(`<p><a href="${link}">Sign in to Farebox</a></p>`);
});

it('the mail with an invite', () => {
  const mail = writeInviteMail({ to: 'ada@example.com', name: 'Ada', link, days: 7 });
  expect(mail.subject).toBe('Your invitation to Farebox');
  expect(mail.text).toContain(`Hello Ada,\n\nyou are invited`);
  expect(mail.text).toContain(`It works once, for 7 days:\n\n${link}\n\n`);
  expect(mail.html).toContain(`<p><a href="${link}">Accept the invitation</a></p>`);
});

it('a name is a text in HTML too', () => {
  const mail = writeInviteMail({ to: 'a@b.example', name: `<img src="x">&'`, link, days: 7 });
  expect(mail.html).toContain('Hello &lt;img src=&quot;x&quot;&gt;&amp;&#39;,');
  expect(mail.html).not.toContain('<img');
});

it('a text without marks is the same in HTML', () => {
  expect(toHtmlText('Ada Lovelace, 7 é')).toBe('Ada Lovelace, 7 é');
});
