import { requireOwnOrigin } from './same-origin';

const host = 'farebox.example';
const own = { host, origin: 'https://farebox.example', 'sec-fetch-site': 'same-origin' };
const foreign = { host, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

const isRefused = (headers: Record<string, string>, isForm: boolean): boolean => {
  try {
    requireOwnOrigin(headers, { isForm });
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'authentication_error' });
    return true;
  }
};

it('a form comes from a page of the service', () => {
  expect(isRefused(own, true)).toBe(false);
  for (const headers of [{ host }, foreign, { host, origin: 'null' }]) {
    expect(isRefused(headers, true)).toBe(true);
  }
});

it('JSON comes from a program, or from a page of the service', () => {
  for (const headers of [own, { host }]) expect(isRefused(headers, false)).toBe(false);
  for (const headers of [foreign, { host, origin: 'null' }, { host, 'sec-fetch-site': 'same-site' }]) {
    expect(isRefused(headers, false)).toBe(true);
  }
});
