import { mailFrom, mailUrl } from './fields';
import { ConfigError, loadConfig, toMailConfig } from './settings';

const read = (environment: Record<string, string>) =>
  toMailConfig(
    loadConfig('worker', environment, ['FAREBOX_PUBLIC_URL', 'FAREBOX_MAIL_URL', 'FAREBOX_MAIL_FROM']).values,
  );

const complete = {
  FAREBOX_PUBLIC_URL: 'https://farebox.example',
  FAREBOX_MAIL_URL: 'smtps://u:p@mail.example.com',
  FAREBOX_MAIL_FROM: 'Farebox <farebox@example.com>',
};

it('mail is off without a server, and links lead to this machine', () => {
  expect(read({})).toEqual({ publicUrl: 'http://127.0.0.1:8080', mail: undefined });
});

it('mail is on if everything is set', () => {
  expect(read(complete)).toEqual({
    publicUrl: 'https://farebox.example',
    mail: {
      url: 'smtps://u:p@mail.example.com',
      from: { name: 'Farebox', address: 'farebox@example.com' },
    },
  });
});

it('a mail server alone is not enough: both missing variables are named', () => {
  const problems = (): unknown => read({ FAREBOX_MAIL_URL: 'smtp://mail.example.com' });
  expect(problems).toThrow(
    new ConfigError([
      'FAREBOX_PUBLIC_URL is required if FAREBOX_MAIL_URL is set.',
      'FAREBOX_MAIL_FROM is required if FAREBOX_MAIL_URL is set.',
    ]),
  );
});

it.each([
  ['farebox@example.com', { name: '', address: 'farebox@example.com' }],
  ['<farebox@example.com>', { name: '', address: 'farebox@example.com' }],
  ['The Farebox <f+b@example.com>', { name: 'The Farebox', address: 'f+b@example.com' }],
])('accepts the sender %s', (text, from) => {
  expect(mailFrom().parse(text)).toEqual(from);
});

it.each([
  '',
  'Farebox',
  'a@b@c',
  'x <a@example.com>, <b@example.com>',
  'a\r\nBcc: b <a@example.com>',
  'a b@c.example',
])('refuses the sender %j', (text) => {
  expect(mailFrom().safeParse(text).success).toBe(false);
});

it.each(['', 'mail.example.com', 'http://mail.example.com', 'smtp://', 'smtp://%zz:x@mail.example.com'])(
  'refuses the mail server %j',
  (text) => {
    expect(mailUrl().safeParse(text).success).toBe(false);
  },
);
