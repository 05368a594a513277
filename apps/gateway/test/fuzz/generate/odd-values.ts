import { UPSTREAM_CANARIES } from '@farebox/simulated-upstream';
import fc from 'fast-check';

/** Odd JSON in place of expected values, as the servers of every wire may send it. */

/** Data that only an upstream knows. */
export const CANARY = UPSTREAM_CANARIES.join(' ');

const BIG_NUMBERS = ['9007199254740993', '9e15', '9223372036854775808', '1e19', `1${'0'.repeat(400)}`];

/** Numbers of every size and kind, and values in place of numbers. */
export const number = fc.constantFrom(
  ...'0 -0 1 3 8 19 20 21 40 41 100 999999 -1 1.5 1e3 2147483647'.split(' '),
  ...['2147483648', '4294967295', '9007199254740991', ...BIG_NUMBERS, '1e400', '-1e400', '1e-400'],
  ...['"11"', '""', 'null', 'true', '[]', '{}', 'NaN', '01', ''],
);

const words = fc.integer({ min: 1, max: 60 }).map((count) => JSON.stringify(' word'.repeat(count)));
const oddText = fc.constantFrom(
  ...['""', 'null', '" "', '"\\u0000"', '"\\ud83d"', '"\\ude00\\ud83d"', '"👩‍👩‍👧‍👦"'],
  ...['"\u202e\u200b\ufeff"', '"字字字字字字字字"', '0', 'true', '{}', '[{"type":"text","text":" part"}]'],
  ...['[null,1,{"text":1}]', '"data: [DONE]\\n\\n"'],
  ...['x'.repeat(20_000), ' '.repeat(5_000), '😀'.repeat(3_000)].map((long) => JSON.stringify(long)),
);
export const text = fc.oneof({ arbitrary: words, weight: 8 }, { arbitrary: oddText, weight: 3 });

export const index = fc.constantFrom(
  ...['0', '0', '0', '1', '1', '2', '300', '-1', '1.5', '1e400', 'null', '"0"', '{}'],
);

/** Members of an object, some of them missing or duplicated. */
export function members(parts: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> {
  const some = Object.entries(parts).map(([name, value]) =>
    fc
      .tuple(fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 1, 0, 2), fc.array(value, { minLength: 2, maxLength: 2 }))
      .map(([times, values]) => values.slice(0, times).map((one) => `"${name}":${one}`)),
  );
  return fc.tuple(...some).map((lists) => `{${lists.flat().join(',')}}`);
}

/** A value that is usually valid. */
export const mostly = (right: fc.Arbitrary<string>, odd: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ arbitrary: right, weight: 8 }, { arbitrary: odd, weight: 1 });

/** A non-streamed body, sometimes with extra bytes around it. */
export const aroundWhole = (whole: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      whole,
      fc.constantFrom('', '', '', '', '', '\ufeff', ' ', '\n'),
      fc.constantFrom('', '', '', '', '', '}', '\0', ' '),
    )
    .map(([json, before, after]) => before + json + after);

const lineEnd = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r');
const prefix = fc.constantFrom(
  ...['data: ', 'data: ', 'data: ', 'data:', 'event: message\ndata: ', ': a comment\ndata: '],
  ...['id: 1\ndata: ', 'data : ', 'retry: 1\ndata: '],
);

/** A stream of these events, sometimes with extra bytes around it, or without its last blank line. */
export const streamOf = (events: fc.Arbitrary<string[]>): fc.Arbitrary<string> =>
  fc
    .tuple(
      events,
      prefix,
      lineEnd,
      fc.constantFrom('', '', '', '\ufeff'),
      fc.constantFrom('', '', '', 'data: {"cho', 'x'.repeat(1_200_000)),
      fc.constantFrom(false, false, false, true),
    )
    .map(([data, before, line, first, rest, isCut]) => {
      const all = first + data.map((event) => `${before}${event}${line}${line}`).join('') + rest;
      return isCut ? all.trimEnd() : all;
    });
