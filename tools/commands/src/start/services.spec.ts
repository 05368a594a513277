import { readLink } from './services';

const link = 'http://127.0.0.1:8080/auth/links/lt-x';

it('finds the link in the line that logs it', () => {
  expect(readLink(JSON.stringify({ level: 'info', event: 'sign_in_link', sign_in_link: link }))).toBe(link);
});

it.each([
  '',
  'not JSON "sign_in_link"',
  '"sign_in_link"',
  JSON.stringify({ event: 'sign_in_link' }),
  JSON.stringify({ event: 'request_completed', sign_in_link: link }),
])('finds none in %s', (line) => {
  expect(readLink(line)).toBeUndefined();
});
