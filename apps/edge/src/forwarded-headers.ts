import { BlockList, isIP } from 'node:net';
import { NOT_BEGUN_HEADER } from '@farebox/http';

// Headers as Node's `rawHeaders` has them: name, value, name, value. So a header that came twice is passed on twice,
// and it stays the service's decision to refuse it.

/** They concern one connection, and not the message. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);

const FRAMING = new Set(['content-length', 'transfer-encoding']);
/** Methods whose requests Node sends without a body unless their headers frame one. */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

const MAPPED_IPV4 = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/** What a caller could use to pass for another one, if a service behind ever trusted it. */
const CLAIMS_OF_ORIGIN = /^(?:forwarded|x-forwarded-.*|x-real-ip)$/;

/**
 * The headers of a client's request as the service gets them, with the address that the client connects from in place
 * of what it says about that; a proxy that is trusted is believed, and its own address put behind what it says.
 * `transfer-encoding` stays, since Node frames the body by it; a request without a body says so, since Node would frame
 * one.
 */
export function requestHeaders(
  method: string,
  rawHeaders: readonly string[],
  clientAddress: string | undefined,
  isTrustedProxy: (address: string) => boolean = () => false,
): string[] {
  const kept = filterHeaders(rawHeaders, (name) => name !== 'expect' && !CLAIMS_OF_ORIGIN.test(name));
  if (clientAddress !== undefined) {
    const believed = isTrustedProxy(clientAddress) ? valuesOf(rawHeaders, 'x-forwarded-for') : [];
    kept.push('X-Forwarded-For', [...believed, clientAddress].join(', '));
  }
  const framed = kept.some((name, i) => i % 2 === 0 && FRAMING.has(name.toLowerCase()));
  return framed || BODILESS.has(method) ? kept : [...kept, 'Content-Length', '0'];
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name);
}

/**
 * The headers of a service's answer as the client gets them, without what is meant for the edge. Node chooses the framing
 * that the client understands.
 */
export function responseHeaders(rawHeaders: readonly string[]): string[] {
  return filterHeaders(rawHeaders, (name) => name !== 'transfer-encoding' && name !== NOT_BEGUN_HEADER);
}

function filterHeaders(rawHeaders: readonly string[], keep: (name: string) => boolean): string[] {
  const named = connectionOptions(rawHeaders);
  const kept: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || named.has(lower) || !keep(lower)) continue;
    kept.push(name, value);
  }
  return kept;
}

/**
 * The headers that `Connection` names are for one hop as well. Those that frame or route the message are never
 * removed for it: what is behind must read the same message.
 */
function connectionOptions(rawHeaders: readonly string[]): Set<string> {
  const named = new Set<string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() !== 'connection') continue;
    for (const option of (rawHeaders[i + 1] ?? '').split(',')) named.add(option.trim().toLowerCase());
  }
  for (const name of ['host', 'authorization', 'content-length', 'content-type', 'transfer-encoding']) {
    named.delete(name);
  }
  return named;
}

/** Tells whether an address is one of `networks`: addresses, or networks like `10.0.0.0/8`. */
export function trustedProxyCheck(networks: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const plain = address.replace(MAPPED_IPV4, '');
    return trusted.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}
