import { isSameOrigin } from './same-origin';

const host = 'farebox.example';

describe('isSameOrigin', () => {
  it.each([
    [{ host, origin: 'https://farebox.example' }],
    [{ host, origin: 'http://farebox.example' }],
    [{ host: 'farebox.example:443', origin: 'https://farebox.example' }],
    [{ host: 'farebox.example:8080', origin: 'http://farebox.example:8080' }],
    [{ host: 'FAREBOX.example', origin: 'https://farebox.example' }],
    [{ host, 'sec-fetch-site': 'same-origin' }],
    [{ host, origin: 'https://farebox.example', 'sec-fetch-site': 'same-origin' }],
  ])('accepts %j', (headers) => {
    expect(isSameOrigin(headers)).toBe(true);
  });

  it.each([
    [{ host }],
    [{ origin: 'https://farebox.example' }],
    [{ host, origin: '' }],
    [{ host, origin: 'null' }],
    [{ host, origin: 'https://evil.example' }],
    [{ host, origin: 'https://farebox.example.evil.example' }],
    [{ host, origin: 'https://farebox.example@evil.example' }],
    [{ host, origin: 'https://farebox.example:8443' }],
    [{ host, origin: 'https://farebox.example/path' }],
    [{ host, origin: 'https://farebox.example https://evil.example' }],
    [{ host, origin: 'chrome-extension://farebox.example' }],
    [{ host, 'sec-fetch-site': 'none' }],
    [{ host, 'sec-fetch-site': 'same-site' }],
    [{ host, 'sec-fetch-site': 'cross-site', origin: 'https://farebox.example' }],
    [{ host, 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }],
    [{ host: 'a b', origin: 'https://farebox.example' }],
  ])('refuses %j', (headers) => {
    expect(isSameOrigin(headers)).toBe(false);
  });
});
