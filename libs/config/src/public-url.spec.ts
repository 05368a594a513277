import { isLoopback, publicUrl } from './fields';

it.each([
  ['https://farebox.example', 'https://farebox.example'],
  ['https://farebox.example/', 'https://farebox.example'],
  ['https://Farebox.Example:443', 'https://farebox.example'],
  ['https://farebox.example:8443', 'https://farebox.example:8443'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://localhost:8080/', 'http://localhost:8080'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('%s', (text, origin) => {
  expect(publicUrl().parse(text)).toBe(origin);
});

it.each([
  '',
  'farebox.example',
  'ftp://farebox.example',
  'http://farebox.example',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'https://farebox.example/console',
  'https://farebox.example?x',
  'https://farebox.example/#x',
  'https://user:secret@farebox.example',
  'javascript:alert(1)',
])('refuses %j and does not show it', (text) => {
  const result = publicUrl().safeParse(text);
  expect(result.error?.issues).toHaveLength(1);
  expect(result.error?.issues[0]?.message).toMatch(/^must be a base URL/);
});

it('recognises loopback origins', () => {
  expect(isLoopback('http://127.0.0.1:8080')).toBe(true);
  expect(isLoopback('https://127.0.0.1:8080')).toBe(false);
  expect(isLoopback('http://10.0.0.1:8080')).toBe(false);
});
