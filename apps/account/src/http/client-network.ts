import type { Logger } from '@farebox/observability';
import type { NextFunction, Request, Response } from 'express';
import { isIPv4, isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const GROUPS_OF_A_NETWORK = 4;

/**
 * Whom attempts are counted for: an IPv4 address, or the first 64 bits of an IPv6 address, which one customer of a
 * provider has to himself. What is no address is one network together.
 */
export function networkOf(address: string | undefined): string {
  const plain = (address ?? '').replace(MAPPED_IPV4, '').replace(/%.*$/, '');
  if (isIPv4(plain)) return plain;
  return isIPv6(plain) ? `${groupsOf(plain).slice(0, GROUPS_OF_A_NETWORK).join(':')}::/64` : 'unknown';
}

/** The eight groups of an IPv6 address in one written form, `::` filled up. */
function groupsOf(address: string): string[] {
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
}

/**
 * Warns, once, of a proxy in front that is not trusted: all its clients would be counted as one, and any of them could
 * use up the attempts to sign in of the others.
 */
export function warnOfUntrustedProxy(log: Logger) {
  let hasWarned = false;
  return (req: Request, _res: Response, next: NextFunction): void => {
    // Express puts the addresses of the header here, if it comes from a proxy that is trusted.
    if (!hasWarned && req.headers['x-forwarded-for'] !== undefined && req.ips.length === 0) {
      hasWarned = true;
      log.warn(
        { event: 'proxy_not_trusted' },
        'X-Forwarded-For came from an address that FAREBOX_TRUSTED_PROXIES does not name',
      );
    }
    next();
  };
}
