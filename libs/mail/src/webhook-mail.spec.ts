import { writeWebhookDisabledMail } from './webhook-mail';

const brand = { name: 'Acme AI', logoUrl: undefined, color: undefined, supportEmail: undefined };
const given = {
  to: 'ada@example.com',
  language: 'en',
  name: 'Ada',
  url: 'https://hooks.example.com:8443/in/t0ken?key=s3cret',
  link: 'https://acme.example/webhooks/hook_1',
} as const;

it.each([
  ['failures', 'nothing could be delivered to hooks.example.com:8443 for three days'],
  ['gone', 'hooks.example.com:8443 answered with status 410'],
] as const)('the mail about a disabled webhook says why: %s', (reason, words) => {
  const { to, subject, text, html } = writeWebhookDisabledMail({ ...given, reason }, brand);
  expect({ to, subject }).toEqual({
    to: 'ada@example.com',
    subject: 'A webhook of your Acme AI account is disabled',
  });
  for (const form of [text, html]) {
    expect(form).toContain(words);
    expect(form).toContain(given.link);
    expect(form).toContain('events that still wait are sent then');
  }
});

it.each(['en', 'de'] as const)('it has the host of the URL, and nothing else of it: %s', (language) => {
  const { text, html } = writeWebhookDisabledMail({ ...given, language, reason: 'failures' }, brand);
  for (const form of [text, html]) {
    expect(form).toContain('hooks.example.com:8443');
    expect(form).not.toMatch(/t0ken|s3cret/);
  }
});
