import { BlockList, isIP } from 'node:net';

/** Whether a webhook may be sent to an address. */
export type AddressRule = (address: string) => boolean;

/** IPv4 networks that are not public. Source: IANA's registry of special-purpose addresses. */
const NOT_PUBLIC = listOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** The only public part of IPv6. All else is local, or has an IPv4 address in it. */
const PUBLIC_6 = listOf(['2000::/3']);
/** Parts of that: protocols, examples, and 6to4, which has an IPv4 address in it. */
const NOT_PUBLIC_6 = listOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/**
 * Public addresses, and `networks`. An operator's own services, the machine itself and the metadata of a cloud are not
 * for customers to call.
 */
export function createAddressRule({
  networks,
  allowsLoopback,
}: {
  /** As CIDR. */
  networks: readonly string[];
  allowsLoopback: boolean;
}): AddressRule {
  const allowed = listOf([...networks, ...(allowsLoopback ? LOOPBACK : [])]);
  return (address) => {
    // A zone, as in fe80::1%eth0, exists for local addresses alone.
    if (address.includes('%')) return false;
    switch (isIP(address)) {
      case 4:
        return allowed.check(address, 'ipv4') || !NOT_PUBLIC.check(address, 'ipv4');
      case 6:
        return (
          allowed.check(address, 'ipv6') ||
          (PUBLIC_6.check(address, 'ipv6') && !NOT_PUBLIC_6.check(address, 'ipv6'))
        );
      default:
        return false;
    }
  };
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix), family);
  }
  return list;
}
