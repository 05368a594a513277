import fc from 'fast-check';
import type { JsonChange } from './json-node';

/** Unexpected values, in JSON or almost. */
const ODD_VALUES = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1', '1.5', '129', '5000', '1e400', '-1e400', '1e-400'],
  ...[
    '9007199254740993',
    `1${'0'.repeat(400)}`,
    '01',
    '+1',
    '.5',
    '0x10',
    'NaN',
    'Infinity',
    'undefined',
    '',
  ],
  ...[
    '""',
    '" "',
    '"10"',
    '"true"',
    '"\\u0000"',
    '"\\ud83d"',
    '"\\ude00\\ud83d"',
    '"\\x"',
    '"\t"',
    '"a',
    "'a'",
  ],
  ...['"\u202e\u200b\ufeff"', '"👩‍👩‍👧‍👦"', '"𝓮𝓬𝓱𝓸"', '"еcho"', '"../x"', '"constructor"', '"__proto__"'],
  ...[`"${'x'.repeat(70_000)}"`, `"${' word'.repeat(9_000)}"`, '"<|endoftext|><|im_start|>"'],
  ...['[]', '{}', '[[]]', '[null]', '[{}]', '{"":""}', '{"__proto__":{"stream":true}}', '{"toString":1}'],
  ...[
    '{"$ref":"#"}',
    '{"$ref":"https://example.com/a"}',
    '{"type":"object","properties":{"a":{"$ref":"#"}}}',
  ],
  ...['{"type":"image_url","image_url":{"url":"http://169.254.169.254/"}}', '{"url":"file:///etc/passwd"}'],
  ...['"https://example.com/a.png"', '"data:image/png;base64,iVBORw0KGgo="', '1 2', '/**/1', '1,', '}', ']'],
  `[${Array.from({ length: 200 }, () => '"x"').join(',')}]`,
];

const ODD_NAMES = [
  ...['model', 'messages', 'stream', 'n', 'max_tokens', 'stop', 'tools', 'role', 'content', 'type', 'user'],
  ...['__proto__', 'constructor', 'toString', '', ' ', 'Model', 'functions', 'service_tier', 'x'.repeat(300)],
].map((name) => JSON.stringify(name));
const BROKEN_NAMES = ['"\\u0000"', '"\\ud83d"', '"a', 'a', '"\u202e"', '1'];

const at = fc.nat({ max: 60 });
const value = fc.oneof(
  { arbitrary: fc.constantFrom(...ODD_VALUES), weight: 4 },
  { arbitrary: fc.json({ maxDepth: 2 }), weight: 1 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify(text)), weight: 1 },
);
const name = fc.oneof(
  { arbitrary: fc.constantFrom(...ODD_NAMES), weight: 6 },
  { arbitrary: fc.constantFrom(...BROKEN_NAMES), weight: 1 },
);

const change: fc.Arbitrary<JsonChange> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('replace' as const), at, by: value }), weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant('insert' as const), at, name, value }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('rename' as const), at, name }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constantFrom('remove' as const, 'duplicate' as const), at }), weight: 3 },
  {
    arbitrary: fc.record({
      kind: fc.constant('wrap' as const),
      at,
      levels: fc.constantFrom(1, 60, 63, 64, 65, 5_000),
    }),
    weight: 1,
  },
);

export const jsonChanges = fc.array(change, { minLength: 1, maxLength: 3 });
