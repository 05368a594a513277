import fc from 'fast-check';
import { aroundWhole, CANARY, index, members, mostly } from './odd-values';
import { reportedBy, usageOf } from './usage';

const inBase64 = (floats: readonly number[]): string =>
  JSON.stringify(Buffer.from(Float32Array.from(floats).buffer).toString('base64'));

const floats = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 4, maxLength: 4 });
const vector = mostly(
  fc.tuple(floats, fc.boolean()).map(([list, isText]) => (isText ? inBase64(list) : JSON.stringify(list))),
  fc.constantFrom(
    ...['null', '[]', '[null]', '[1,"x"]', '[1e400]', '[1]', '{}', '""', '"AAAA"', '"AACAfw=="', '"?"', '1'],
    `[${'0.5,'.repeat(20_000)}1]`,
  ),
);

const entry = (at: number): fc.Arbitrary<string> =>
  fc.oneof(
    {
      arbitrary: vector.map((one) => `{"object":"embedding","index":${String(at)},"embedding":${one}}`),
      weight: 8,
    },
    { arbitrary: members({ index, embedding: vector }), weight: 1 },
    { arbitrary: fc.constantFrom('null', '[]', '{}', '"x"'), weight: 1 },
  );
const entries = fc
  .tuple(entry(0), entry(1), fc.constantFrom(1, 1, 1, 1, 2, 2, 2, 0))
  .map(([first, second, count]) => `[${[first, second].slice(0, count).join(',')}]`);

/** An embeddings server's answer. */
export const embeddingsBody = aroundWhole(
  fc.oneof(
    {
      arbitrary: fc
        .tuple(entries, reportedBy('embeddings'))
        .map(([data, report]) => `{"object":"list","model":"${CANARY}","data":${data},${report}}`),
      weight: 10,
    },
    {
      arbitrary: members({ data: entries, usage: usageOf('embeddings'), error: fc.constant('null') }),
      weight: 1,
    },
    {
      arbitrary: fc.constantFrom('', 'null', '[]', '{', `{"error":{"message":"${CANARY}","code":500}}`),
      weight: 1,
    },
  ),
);
