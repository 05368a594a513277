import { keptNetworkOf, networkOf } from './client-network';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([undefined, '', 'nonsense', '1.2.3', '[::1]', '1.2.3.4, 5.6.7.8'])(
  '%s belongs to none',
  (address) => {
    expect(networkOf(address)).toBe('unknown');
  },
);

it.each([
  ['192.0.2.7', '192.0.2.0/24'],
  ['::ffff:192.0.2.7', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
])('for %s, %s is kept', (address, network) => {
  expect(keptNetworkOf(address)).toBe(network);
});

it.each([undefined, '', 'nonsense', '1.2.3'])('for %s nothing is kept', (address) => {
  expect(keptNetworkOf(address)).toBeNull();
});
