import fc from 'fast-check';

/** Secrets of API keys, by the fate of their requests. */
export interface FuzzKeys {
  rich: readonly string[];
  /** One for each way in which a key, its account or its limits cause a refusal. */
  refused: readonly string[];
  /** Belongs to no account. */
  unknown: string;
}

const authorization = (token: string): string => `Authorization: Bearer ${token}`;
const JSON_TYPE = 'Content-Type: application/json';

const ODD_CREDENTIALS = [
  ...['Authorization:', 'Authorization: Bearer', 'Authorization: Bearer ', 'Authorization: Basic YTpi'],
  ...['X-Api-Key: ak-1', 'Cookie: service_token=st-1', `Authorization: Bearer ak-${'a'.repeat(10_000)}`],
  ...["Authorization: Bearer ak-' OR 1=1 --", 'Authorization: Bearer ak-\xd0\xba\xff', 'Authorization: \xff'],
  ...[`Authorization: Bearer ak-${'a'.repeat(38)}`, `Authorization: Bearer st-${'a'.repeat(43)}`],
];

const ODD_HEADERS = [
  ...['Content-Type: text/plain', 'Content-Type:', 'Content-Type: application/json; charset=utf-16'],
  ...[
    'Content-Type: application/json;charset="UTF-8"',
    'Content-Encoding: gzip',
    'Content-Encoding: identity',
  ],
  ...['Content-Encoding: br, gzip', 'Host: y', 'Host:', 'Accept: text/event-stream', 'Accept-Encoding: gzip'],
  ...['Idempotency-Key:', 'Idempotency-Key: cl\xe9', `Idempotency-Key: ${'x'.repeat(256)}`],
  ...['X-Request-Id: a b', 'X-Request-Id: \xe9', 'X-Request-Id: a\tb', `X-Request-Id: ${'a'.repeat(200)}`],
  ...['X-Service-Request-Id: mine', 'X-Request-Id: <script>', 'X-Forwarded-For: 203.0.113.7', 'Via: 1.1 x'],
  ...[
    'Expect: 100-continue',
    'Expect: miracles',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Upgrade: h2c',
  ],
  ...['HTTP2-Settings: AAMAAABkAAQAAP__', 'TE: trailers', 'Trailer: X-A', 'Connection: keep-alive, X-A'],
  ...[
    'Connection: close',
    'Connection: \xff',
    'Range: bytes=0-1',
    'Origin: null',
    'X-HTTP-Method-Override: GET',
  ],
  ...['Content-Length: 0', 'Transfer-Encoding: gzip', 'Transfer-Encoding: identity', 'Max-Forwards: 0'],
  ...[
    'X: a\0b',
    'X : a',
    ' folded',
    '\tfolded',
    'no colon',
    ': no name',
    'X\x01: a',
    '\xff: a',
    'X: a\rb',
    '',
  ],
  ...[
    'X: a\nY: b',
    'X:',
    `X: ${'a'.repeat(9_000)}`,
    `X: ${'a'.repeat(17_000)}`,
    '__proto__: a',
    'constructor: b',
  ],
  Array.from({ length: 2_500 }, () => 'a:').join('\r\n'),
];

/** Few, so that a key recurs with other bodies, and while its first request runs. */
const IDEMPOTENCY_KEYS = ['a', 'b', 'c', 'a b', '~'];

const credential = (keys: FuzzKeys): fc.Arbitrary<readonly string[]> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...keys.rich).map((secret) => [authorization(secret)]), weight: 80 },
    { arbitrary: fc.constantFrom(...keys.refused).map((secret) => [authorization(secret)]), weight: 14 },
    { arbitrary: fc.constant([authorization(keys.unknown)]), weight: 2 },
    { arbitrary: fc.constant<string[]>([]), weight: 2 },
    { arbitrary: fc.constantFrom(...ODD_CREDENTIALS).map((line) => [line]), weight: 2 },
  );

const idempotency = fc.oneof(
  { arbitrary: fc.constant<string[]>([]), weight: 10 },
  { arbitrary: fc.constantFrom(...IDEMPOTENCY_KEYS).map((key) => [`Idempotency-Key: ${key}`]), weight: 1 },
  {
    arbitrary: fc
      .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 })
      .map((key) => [`Idempotency-Key: ${key}`]),
    weight: 1,
  },
);

const requestId = fc.oneof(
  { arbitrary: fc.constant<string[]>([]), weight: 6 },
  { arbitrary: fc.constant<string[]>(['X-Request-Id: my.request-1']), weight: 1 },
);

/** Valid headers for the holder of some key or none. */
export const goodHeaders = (keys: FuzzKeys): fc.Arbitrary<string[]> =>
  fc.tuple(credential(keys), idempotency, requestId).map((lines) => ['Host: x', JSON_TYPE, ...lines.flat()]);

const place = fc.nat({ max: 12 });
const change = fc.oneof(
  {
    arbitrary: fc.record({ at: place, put: fc.constantFrom(...ODD_HEADERS, ...ODD_CREDENTIALS) }),
    weight: 8,
  },
  { arbitrary: fc.record({ at: place, put: fc.constant('again' as const) }), weight: 2 },
  { arbitrary: fc.record({ at: place, put: fc.constant('remove' as const) }), weight: 2 },
  {
    arbitrary: fc.record({
      at: place,
      put: fc.string({
        unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
        maxLength: 40,
      }),
    }),
    weight: 1,
  },
);

/** Headers that are missing, duplicated or odd. */
export const changedHeaders = (keys: FuzzKeys): fc.Arbitrary<string[]> =>
  fc.tuple(goodHeaders(keys), fc.array(change, { minLength: 1, maxLength: 3 })).map(([lines, changes]) => {
    const changed = [...lines];
    for (const { at, put } of changes) {
      const index = at % (changed.length + 1);
      if (put === 'remove') changed.splice(index, 1);
      else changed.splice(index, 0, put === 'again' ? (changed[index] ?? 'X: a') : put);
    }
    return changed;
  });
