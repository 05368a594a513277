import { ImageHosts, type ImageHostLimits } from './image-hosts';

function givenHosts(addresses: Record<string, string[]>, limits?: ImageHostLimits) {
  let nowMs = 0;
  const asked: string[] = [];
  const hosts = new ImageHosts({
    resolve(host) {
      asked.push(host);
      const found = addresses[host];
      return found ? Promise.resolve(found) : Promise.reject(new Error('there is no such name'));
    },
    now: () => nowMs,
    ...(limits && { limits }),
  });
  return { hosts, asked, pass: (ms: number) => (nowMs += ms) };
}

describe('the host of an image', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
    '198.18.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a00:1',
    '2002:a00:1::1',
    'no address',
  ])('with the address %s is nearby', async (address) => {
    const { hosts } = givenHosts({ 'a.example.com': [address], 'b.example.com': ['93.184.215.14', address] });
    expect(await hosts.isNearby('a.example.com')).toBe(true);
    expect(await hosts.isNearby('b.example.com')).toBe(true);
  });

  it.each(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::ffff:93.184.215.14'])(
    'with the address %s is not nearby',
    async (address) => {
      expect(await givenHosts({ 'a.example.com': [address] }).hosts.isNearby('a.example.com')).toBe(false);
    },
  );

  it('that cannot be looked up passes', async () => {
    expect(await givenHosts({}).hosts.isNearby('a.example.com')).toBe(false);
  });
});

describe('names', () => {
  const limits = { maxLookups: 2, maxRemembered: 2, rememberMs: 1_000 };
  const nearby = ['10.0.0.1'];

  it('are looked up once for concurrent requests, and again after a while', async () => {
    const { hosts, asked, pass } = givenHosts({ a: nearby }, limits);
    expect(await Promise.all([hosts.isNearby('a'), hosts.isNearby('a')])).toEqual([true, true]);
    expect(await hosts.isNearby('a')).toBe(true);
    expect(asked).toEqual(['a']);
    pass(1_000);
    expect(await hosts.isNearby('a')).toBe(true);
    expect(asked).toEqual(['a', 'a']);
  });

  it('are looked up within a limit, and nobody waits', async () => {
    const { hosts, asked } = givenHosts({ a: nearby, b: nearby, c: nearby }, limits);
    expect(await Promise.all(['a', 'b', 'c'].map((name) => hosts.isNearby(name)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(asked).toEqual(['a', 'b']);
    expect(await hosts.isNearby('c')).toBe(true);
  });

  it('are remembered within a limit', async () => {
    const { hosts, asked } = givenHosts({}, limits);
    for (const name of ['a', 'b', 'c', 'b', 'c', 'a']) await hosts.isNearby(name);
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });
});
