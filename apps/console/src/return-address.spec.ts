import { asOwnPath, keepReturnAddress, takeReturnAddress } from './search-params';

const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  Object.assign(globalThis, {
    localStorage: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => kept.set(name, value),
      removeItem: (name: string) => kept.delete(name),
    },
  });
});

it('leads back once', () => {
  keepReturnAddress('/usage?start=2026-11-01', 0);
  expect(takeReturnAddress(1_000)).toBe('/usage?start=2026-11-01');
  expect(takeReturnAddress(1_000)).toBeUndefined();
});

it('does not lead back after an hour', () => {
  keepReturnAddress('/usage', 0);
  expect(takeReturnAddress(3_600_000)).toBeUndefined();
});

it.each([
  ...['https://evil.example/', '//evil.example', '/\\evil.example', 'usage', 7, undefined],
  ...['/\t/evil.example', '/\n/evil.example', '/\r\\evil.example', '\t//evil.example', '/\t\\evil.example'],
  ...['/.//evil.example', '/usage/..//evil.example', '/%2e//evil.example', '//', '//[', '///evil.example'],
  ...['/.\\/evil.example', '//user@own.invalid:99', 'javascript:alert(1)', ' //evil.example'],
])('leads to no other site: %s', (path) => {
  expect(asOwnPath(path)).toBeUndefined();
  kept.set('farebox.return', JSON.stringify({ path, keptMs: 0 }));
  expect(takeReturnAddress(1)).toBeUndefined();
});

it.each([
  ['/usage?start=2026-11-01#top', '/usage?start=2026-11-01#top'],
  ['/us\tage', '/usage'],
  ['/keys/../usage', '/usage'],
  ['/activity?model=a//b', '/activity?model=a//b'],
])('leads to %j in the form that a browser reads', (path, read) => {
  expect(asOwnPath(path)).toBe(read);
});

it('ignores invalid entries', () => {
  kept.set('farebox.return', '{');
  expect(takeReturnAddress(1)).toBeUndefined();
});
