import { toEndedCookie, toSessionCookie } from './sign-in';

const expiresAt = new Date('2026-12-21T13:00:00.500Z');

it('the session cookie expires with its session, and no script or foreign page can use it', () => {
  expect(toSessionCookie('st-1', expiresAt, { isSecure: true })).toBe(
    'service_token=st-1; Path=/; Expires=Mon, 21 Dec 2026 13:00:00 GMT; HttpOnly; Secure; SameSite=Lax',
  );
});

it('is sent over plain http if the service is reached that way', () => {
  expect(toSessionCookie('st-1', expiresAt, { isSecure: false })).toBe(
    'service_token=st-1; Path=/; Expires=Mon, 21 Dec 2026 13:00:00 GMT; HttpOnly; SameSite=Lax',
  );
});

it('is removed with the same attributes', () => {
  expect(toEndedCookie({ isSecure: true })).toBe(
    'service_token=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax',
  );
});
