import fc from 'fast-check';

export interface RequestLine {
  method: string;
  target: string;
  version: string;
}

const COMPLETIONS = '/v1/chat/completions';
const line = (method: string, target: string, version = 'HTTP/1.1'): RequestLine => ({
  method,
  target,
  version,
});

/** Request lines of a client that knows the API. */
export const goodLine: fc.Arbitrary<RequestLine> = fc.oneof(
  { arbitrary: fc.constant(line('POST', COMPLETIONS)), weight: 30 },
  fc.constantFrom(line('GET', '/v1/models'), line('GET', '/healthz'), line('GET', '/readyz')),
  fc.constantFrom(line('POST', `${COMPLETIONS}?a=b`), line('POST', `http://x${COMPLETIONS}`)),
);

const METHODS = [
  ...['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND', 'M-SEARCH', 'PRI'],
  ...['BREW', 'post', 'PO ST', '', '\0', 'G\xff', 'POST'.repeat(300), 'POST', 'QUERY', 'SOURCE'],
];
const TARGETS = [
  ...[COMPLETIONS, '/v1/models', '/', '*', '', ' ', '/v1/chat/completions/', '/V1/models', '//v1/models'],
  ...['/v1/../v1/models', '/v1/%2e%2e/models', '/v1%2fmodels', '/v1/%zz', '/v1/%ff', '/v1/models%00', '/%'],
  ...[
    '/v1/models?',
    '/v1/models?a=%zz&a[b]=c&__proto__=d',
    '/v1/models#a',
    '/v1/models;a',
    '/\xff',
    '/é',
    '/\0',
  ],
  ...[
    'http://x/v1/models',
    'http://x',
    'http://',
    'https://[::1/v1',
    'http://a@b:99999/',
    'x:1',
    '\\v1\\models',
  ],
  ...[
    'http://x/a/../v1/chat/completions',
    `/${'a'.repeat(17_000)}`,
    `/${'%41'.repeat(1_000)}`,
    '/v1/api-keys',
  ],
];
const VERSIONS = [
  'HTTP/1.0',
  'HTTP/1.1',
  'HTTP/2.0',
  'HTTP/0.9',
  'HTTP/1.2',
  'HTTP/1',
  'http/1.1',
  'HTTP/1.1 ',
  '',
  'ICE/1.0',
];

/** Anything in place of a request line. */
export const oddLine: fc.Arbitrary<RequestLine> = fc.oneof(
  fc.constantFrom(...METHODS).map((method) => line(method, COMPLETIONS)),
  fc
    .tuple(fc.constantFrom('GET', 'POST'), fc.constantFrom(...TARGETS))
    .map(([method, target]) => line(method, target)),
  fc.constantFrom(...VERSIONS).map((version) => line('POST', COMPLETIONS, version)),
  fc.record({
    method: fc.constantFrom(...METHODS),
    target: fc.constantFrom(...TARGETS),
    version: fc.constantFrom('HTTP/1.1', ...VERSIONS),
  }),
);
