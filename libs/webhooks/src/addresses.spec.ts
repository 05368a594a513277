import { createAddressRule } from './addresses';

const rule = createAddressRule({ networks: [], allowsLoopback: false });

it.each(['93.184.216.34', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450:4001:80e::200e'])(
  '%s is public',
  (address) => {
    expect(rule(address)).toBe(true);
  },
);

it.each([
  ...['127.0.0.1', '127.8.8.8', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '100.64.0.1', '192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'ff02::1', 'fec0::1'],
  // With an IPv4 address in them.
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:93.184.216.34', '::127.0.0.1', '64:ff9b::7f00:1'],
  ...['64:ff9b:1::7f00:1', '2002:7f00:1::', '2001:0:7f00:1::', '2001:db8::1', '3fff::1'],
  ...['', 'localhost', '127.1', '0x7f000001', '2130706433'],
])('%j is refused', (address) => {
  expect(rule(address)).toBe(false);
});

it('an operator may allow networks of their own, and nothing beside them', () => {
  const own = createAddressRule({
    networks: ['10.1.0.0/16', '192.168.7.7', 'fd12::/16'],
    allowsLoopback: false,
  });
  expect(['10.1.2.3', '192.168.7.7', 'fd12::9', '::ffff:10.1.2.3'].map(own)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['10.2.0.1', '192.168.7.8', 'fd13::9', '127.0.0.1'].map(own)).toEqual([false, false, false, false]);
});

it('loopback is allowed for development alone', () => {
  const development = createAddressRule({ networks: [], allowsLoopback: true });
  expect(['127.0.0.1', '::1', '10.0.0.1'].map(development)).toEqual([true, true, false]);
});
