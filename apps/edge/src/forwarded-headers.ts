import { BlockList, isIP } from 'node:net';
import { NOT_BEGUN_HEADER } from '@farebox/http';

// Headers in the form of Node's `rawHeaders`: name, value, name, value. A repeated header is thus forwarded
// twice, and the service decides whether to refuse it.

/** These concern one connection, not the message. */
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

/** Headers that a caller could use to impersonate another one, if a service behind ever trusted them. */
const CLAIMS_OF_ORIGIN = /^(?:forwarded|x-forwarded-.*|x-real-ip)$/;

/**
 * The headers of a client's request for the service, with the client's actual address in place of its claims;
 * a trusted proxy's claims are kept, followed by the proxy's own address. `transfer-encoding` stays, since
 * Node frames the body by it; a request without a body says so explicitly, since Node would otherwise frame
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
 * The headers of a service's response for the client, without those meant for the edge. Node chooses a
 * framing that the client understands.
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
 * Headers that `Connection` names are hop-by-hop too. Those that frame or route the message are never removed
 * because of it: services must read the same message.
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

/** Checks whether an address is in `networks`: addresses, or networks like `10.0.0.0/8`. */
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
