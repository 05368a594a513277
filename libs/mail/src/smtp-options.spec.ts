import { toSmtpOptions } from './mailer';

it.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTLS: false }],
  ['smtp://mail.example.com:25', { port: 25, secure: false, requireTLS: false }],
  ['smtps://mail.example.com', { port: 465, secure: true, requireTLS: false }],
  ['smtps://u:p@mail.example.com:2465', { port: 2465, secure: true, auth: { user: 'u', pass: 'p' } }],
  ['smtp://[::1]:2525', { host: '::1', port: 2525 }],
])('%s', (url, expected) => {
  expect(toSmtpOptions(url)).toMatchObject(expected);
});

it('a password goes to another machine only over TLS', () => {
  expect(toSmtpOptions('smtp://u:p@mail.example.com').requireTLS).toBe(true);
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    expect(toSmtpOptions(`smtp://u:p@${host}`).requireTLS).toBe(false);
  }
});

it('user and password are percent-decoded', () => {
  expect(toSmtpOptions('smtp://a%40b:%C3%A9%2F@localhost').auth).toEqual({ user: 'a@b', pass: 'é/' });
});

it('a message can make nodemailer read no file and fetch no address', () => {
  expect(toSmtpOptions('smtp://localhost')).toMatchObject({
    disableFileAccess: true,
    disableUrlAccess: true,
  });
});
