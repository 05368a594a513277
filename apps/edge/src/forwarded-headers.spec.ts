import { requestHeaders, responseHeaders, trustedProxyCheck } from './forwarded-headers';

it('forwards a repeated header as often as it arrived, with its spelling', () => {
  const raw = ['Host', 'a', 'Authorization', 'x', 'AUTHORIZATION', 'y'];

  expect(requestHeaders('GET', raw, undefined)).toEqual(raw);
});

it('does not forward hop-by-hop headers, nor those named in Connection', () => {
  const raw = [
    'Host',
    'a',
    'Connection',
    'keep-alive, X-Hop',
    'X-Hop',
    '1',
    'TE',
    'trailers',
    'Upgrade',
    'h2c',
  ];

  expect(requestHeaders('GET', raw, undefined)).toEqual(['Host', 'a']);
});

it('does not let Connection remove headers that identify or frame the message', () => {
  const raw = ['Connection', 'authorization, content-length', 'Authorization', 'x', 'Content-Length', '3'];

  expect(requestHeaders('POST', raw, undefined)).toEqual(['Authorization', 'x', 'Content-Length', '3']);
});

it("replaces the caller's claims about its address with the actual one", () => {
  const raw = [
    'X-Forwarded-For',
    '1.2.3.4',
    'x-forwarded-proto',
    'https',
    'Forwarded',
    'for=1',
    'X-Real-IP',
    '1',
  ];

  expect(requestHeaders('GET', raw, undefined)).toEqual([]);
  expect(requestHeaders('GET', raw, '192.0.2.7')).toEqual(['X-Forwarded-For', '192.0.2.7']);
});

it('trusts a configured proxy, and records it', () => {
  const raw = ['X-Forwarded-For', '198.51.100.9', 'x-forwarded-for', '192.0.2.7', 'X-Real-IP', '1'];
  const isTrustedProxy = (address: string): boolean => address === '10.0.0.2';

  expect(requestHeaders('GET', raw, '10.0.0.2', isTrustedProxy)).toEqual([
    'X-Forwarded-For',
    '198.51.100.9, 192.0.2.7, 10.0.0.2',
  ]);
  expect(requestHeaders('GET', raw, '10.0.0.3', isTrustedProxy)).toEqual(['X-Forwarded-For', '10.0.0.3']);
});

it('marks a request without a body as such', () => {
  expect(requestHeaders('POST', ['Host', 'a'], undefined)).toEqual(['Host', 'a', 'Content-Length', '0']);
  expect(requestHeaders('POST', ['Transfer-Encoding', 'chunked'], undefined)).toEqual([
    'Transfer-Encoding',
    'chunked',
  ]);
  expect(requestHeaders('GET', ['Host', 'a'], undefined)).toEqual(['Host', 'a']);
});

it('leaves the framing of a response to the connection that it is sent on', () => {
  const raw = [
    'Content-Type',
    'text/event-stream',
    'Transfer-Encoding',
    'chunked',
    'Keep-Alive',
    'timeout=5',
  ];

  expect(responseHeaders(raw)).toEqual(['Content-Type', 'text/event-stream']);
});

it('matches exactly the given addresses and networks', () => {
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
