import { redisUrl } from './fields';
import { readSentinelUrl } from './redis-url';

it('reads the sentinels, the name of the primary and its login', () => {
  const text = 'redis+sentinel://farebox:p%40ss@a:26380,10.0.0.2,[::1]:1/main.farebox/2';
  expect(readSentinelUrl(text)).toEqual({
    sentinels: [
      { host: 'a', port: 26_380 },
      { host: '10.0.0.2', port: 26_379 },
      { host: '::1', port: 1 },
    ],
    name: 'main.farebox',
    username: 'farebox',
    password: 'p@ss',
    db: 2,
  });
});

it("reads a password alone, the sentinels' own login, and TLS for all", () => {
  const text = 'rediss+sentinel://:pass@a/farebox?sentinel_username=watcher&sentinel_password=s%26x';
  expect(readSentinelUrl(text)).toEqual({
    sentinels: [{ host: 'a', port: 26_379 }],
    name: 'farebox',
    password: 'pass',
    sentinelUsername: 'watcher',
    sentinelPassword: 's&x',
    tls: {},
    sentinelTLS: {},
    enableTLSForSentinelMode: true,
  });
});

it.each([
  'redis+sentinel://a:26379',
  'redis+sentinel://a:26379/',
  'redis+sentinel:///farebox',
  'redis+sentinel://a,,b/farebox',
  'redis+sentinel://a:0/farebox',
  'redis+sentinel://a:65536/farebox',
  'redis+sentinel://a:x/farebox',
  'redis+sentinel://:p%@a/farebox',
  'redis+sentinel://:p/q@a/farebox',
  'redis+sentinel://a/farebox/first',
  'redis+sentinel://a/farebox?password=x',
  'redis+sentinel://a/farebox#x',
  'sentinel://a/farebox',
  'redis+cluster://a:6379',
])('refuses %s', (text) => {
  const refused = redisUrl().safeParse(text);
  expect(refused.error?.issues.map(({ message }) => message)).toEqual([
    'must be a URL like redis://host:6379, or redis+sentinel://host:26379,host:26379/primary',
  ]);
});
