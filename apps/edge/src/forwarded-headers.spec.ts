import { requestHeaders, responseHeaders, trustedProxyCheck } from './forwarded-headers';

it('passes a header on as often as it came, with its spelling', () => {
  const raw = ['Host', 'a', 'Authorization', 'x', 'AUTHORIZATION', 'y'];

  expect(requestHeaders('GET', raw, undefined)).toEqual(raw);
});

it('keeps what concerns one connection, and what Connection names, to that connection', () => {
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

it('does not let Connection remove what identifies or frames the message', () => {
  const raw = ['Connection', 'authorization, content-length', 'Authorization', 'x', 'Content-Length', '3'];

  expect(requestHeaders('POST', raw, undefined)).toEqual(['Authorization', 'x', 'Content-Length', '3']);
});

it('says where a caller connects from, in place of what it claims about that', () => {
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

it('believes a trusted proxy, and says that it was one', () => {
  const raw = ['X-Forwarded-For', '198.51.100.9', 'x-forwarded-for', '192.0.2.7', 'X-Real-IP', '1'];
  const isTrustedProxy = (address: string): boolean => address === '10.0.0.2';

  expect(requestHeaders('GET', raw, '10.0.0.2', isTrustedProxy)).toEqual([
    'X-Forwarded-For',
    '198.51.100.9, 192.0.2.7, 10.0.0.2',
  ]);
  expect(requestHeaders('GET', raw, '10.0.0.3', isTrustedProxy)).toEqual(['X-Forwarded-For', '10.0.0.3']);
});

it('says that a request without a body has none', () => {
  expect(requestHeaders('POST', ['Host', 'a'], undefined)).toEqual(['Host', 'a', 'Content-Length', '0']);
  expect(requestHeaders('POST', ['Transfer-Encoding', 'chunked'], undefined)).toEqual([
    'Transfer-Encoding',
    'chunked',
  ]);
  expect(requestHeaders('GET', ['Host', 'a'], undefined)).toEqual(['Host', 'a']);
});

it('leaves the framing of an answer to the connection it is sent on', () => {
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
