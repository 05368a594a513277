import { writeTopUpOffMail } from './top-up-mail';

const brand = { name: 'Acme AI', logoUrl: undefined, color: undefined, supportEmail: undefined };
const given = {
  to: 'ada@example.com',
  language: 'en',
  name: 'Ada',
  link: 'https://acme.example/billing',
} as const;

it.each([
  ['failures', 'its last three payments were declined'],
  ['card', 'its saved card does not exist any more'],
  ['dispute', 'a payment by card was disputed'],
] as const)('the mail about automatic top-up says why it is off: %s', (reason, words) => {
  const { to, subject, text, html } = writeTopUpOffMail({ ...given, reason }, brand);
  expect({ to, subject }).toEqual({
    to: 'ada@example.com',
    subject: 'Automatic top-up of your Acme AI account is off',
  });
  for (const form of [text, html]) {
    expect(form).toContain(words);
    expect(form).toContain(given.link);
  }
});
