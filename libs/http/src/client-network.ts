import { isIPv4, isIPv6 } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';

const MAPPED_IPV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const GROUPS_OF_A_NETWORK = 4;
const GROUPS_THAT_ARE_KEPT = 3;

/**
 * The network for which attempts are counted: an IPv4 address, or the first 64 bits of an IPv6 address, which
 * belong to one customer of a provider. All invalid addresses are one network.
 */
export function networkOf(address: string | undefined): string {
  const plain = plainOf(address);
  if (isIPv4(plain)) return plain;
  return isIPv6(plain) ? `${groupsOf(plain).slice(0, GROUPS_OF_A_NETWORK).join(':')}::/64` : 'unknown';
}

/**
 * The stored part of an address, as CIDR: 24 bits of an IPv4 address or 48 of an IPv6 address, which identify
 * a provider and a region, but no household. Null for an invalid address.
 */
export function keptNetworkOf(address: string | undefined): string | null {
  const plain = plainOf(address);
  if (isIPv4(plain)) return plain.replace(/\d+$/, '0/24');
  return isIPv6(plain) ? `${groupsOf(plain).slice(0, GROUPS_THAT_ARE_KEPT).join(':')}::/48` : null;
}

/** A request with the address of its client, or of a proxy that is not trusted. */
interface AddressedRequest {
  ip?: string | undefined;
  headers: Pick<IncomingHttpHeaders, 'user-agent'>;
}

/**
 * The origin of a request, as it is recorded. The address is the client's if the proxies in front are trusted,
 * otherwise a proxy's.
 */
export function callerOf({ ip, headers }: AddressedRequest): {
  network: string | null;
  userAgent: string | null;
} {
  return { network: keptNetworkOf(ip), userAgent: headers['user-agent'] ?? null };
}

function plainOf(address: string | undefined): string {
  return (address ?? '').replace(MAPPED_IPV4, '').replace(/%.*$/, '');
}

/** The eight groups of an IPv6 address in canonical form, with `::` expanded. */
function groupsOf(address: string): string[] {
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
}
