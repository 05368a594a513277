import { trustedProxyCheck } from './trusted-proxies';

it('knows the addresses and networks that it is given, and no others', () => {
  const isTrusted = trustedProxyCheck(['10.1.0.0/16', '192.0.2.1', '2001:db8::/32']);
  const addresses = [
    '10.1.2.3',
    '::ffff:10.1.2.3',
    '192.0.2.1',
    '2001:db8::1',
    '10.2.0.1',
    '192.0.2.2',
    '::1',
  ];

  expect(addresses.filter(isTrusted)).toEqual(addresses.slice(0, 4));
  expect(trustedProxyCheck([])('127.0.0.1')).toBe(false);
});
