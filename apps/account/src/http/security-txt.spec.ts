import { securityDocument } from './security-txt';

it('has the security contact, an expiry in less than a year, and its own address', () => {
  const now = new Date('2026-11-25T12:00:00Z');
  const { path, contentType, text } = securityDocument(
    'mailto:security@acme.example',
    'https://api.acme.example',
    now,
  );
  expect([path, contentType]).toEqual(['/.well-known/security.txt', 'text/plain; charset=utf-8']);
  expect(text).toBe(
    'Contact: mailto:security@acme.example\nExpires: 2027-11-20T12:00:00.000Z\nPreferred-Languages: en\n' +
      'Canonical: https://api.acme.example/.well-known/security.txt\n',
  );
});
