import fc from 'fast-check';
import { aroundWhole, CANARY, index, members, streamOf, text } from './odd-values';
import { reportedBy, usageOf } from './usage';

const finish = fc.constantFrom(
  ...['stop', 'stop', 'length', 'tool_calls', 'content_filter', 'function_call', 'error', 'abort', 'eos'].map(
    (reason) => `"${reason}"`,
  ),
  ...['"constructor"', '"__proto__"', '"toString"', '""', 'null', '1', '{}'],
);
const call = fc
  .tuple(index, text, text)
  .map(
    ([at, name, args]) => `{"index":${at},"id":"${CANARY}","function":{"name":${name},"arguments":${args}}}`,
  );
const calls = fc.oneof(
  fc.constantFrom('null', '{}', '[]', '[null]', '"x"', '[{"function":null}]'),
  fc.array(call, { maxLength: 3 }).map((some) => `[${some.join(',')}]`),
);
const logprobs = fc.constantFrom(
  ...[
    'null',
    'null',
    'null',
    '{}',
    '[]',
    '1',
    '{"content":[null,1,{"token":1,"logprob":"x","bytes":[1,-1,"a"]}]}',
  ],
  '{"content":[{"token":"a","logprob":-1e400,"top_logprobs":[null,{"token":"b","logprob":0}]}]}',
);

const said = members({
  role: fc.constantFrom('"assistant"', '"system"', 'null', '1'),
  content: text,
  refusal: fc.oneof({ arbitrary: fc.constant('null'), weight: 6 }, { arbitrary: text, weight: 1 }),
  reasoning_content: fc.oneof({ arbitrary: fc.constant('null'), weight: 4 }, { arbitrary: text, weight: 1 }),
  tool_calls: fc.oneof({ arbitrary: fc.constant('null'), weight: 3 }, { arbitrary: calls, weight: 2 }),
});
const plainSaid = fc
  .integer({ min: 1, max: 15 })
  .map((words) => JSON.stringify({ role: 'assistant', content: ' word'.repeat(words) }));
const saying = fc.oneof({ arbitrary: said, weight: 2 }, { arbitrary: plainSaid, weight: 2 });

/** Beside the choices: a report within a choice would be replaced. */
const reported = reportedBy('chat', (place) => !place.startsWith('choices'));

const own = `"id":"${CANARY}","model":"${CANARY}","system_fingerprint":"${CANARY}"`;
const error = `{"error":{"message":"${CANARY}","type":"server_error","param":"${CANARY}","code":500}}`;

const choicesOf = (name: 'message' | 'delta', ends: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const choice = members({ index, [name]: saying, logprobs, finish_reason: ends });
  const plain = fc
    .tuple(saying, fc.constantFrom(0, 0, 1))
    .map(
      ([one, at]) =>
        `{"index":${String(at)},"${name}":${one},"finish_reason":${name === 'message' ? '"stop"' : 'null'}}`,
    );
  const one = fc.oneof({ arbitrary: plain, weight: 3 }, { arbitrary: choice, weight: 2 });
  return fc.oneof(
    {
      arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }).map((some) => `[${some.join(',')}]`),
      weight: 12,
    },
    { arbitrary: one.map((same) => `[${Array.from({ length: 300 }, () => same).join(',')}]`), weight: 1 },
    { arbitrary: fc.constantFrom('[]', 'null', '{}', '[null]', '"x"', '[[]]'), weight: 1 },
  );
};

const whole = fc.oneof(
  {
    arbitrary: fc
      .tuple(choicesOf('message', finish), reported)
      .map(([choices, report]) => `{${own},"choices":${choices},${report}}`),
    weight: 10,
  },
  {
    arbitrary: members({
      choices: choicesOf('message', finish),
      usage: usageOf('chat'),
      error: fc.constant('null'),
    }),
    weight: 2,
  },
  { arbitrary: fc.constantFrom('', 'null', '[]', '"x"', '{}', '{', error, '<html></html>'), weight: 1 },
);

const chunk = fc
  .tuple(
    choicesOf(
      'delta',
      fc.oneof({ arbitrary: fc.constant('null'), weight: 4 }, { arbitrary: finish, weight: 1 }),
    ),
    reported,
    fc.nat(9),
  )
  .map(([choices, report, dice]) => `{${own},"choices":${choices}${dice < 3 ? `,${report}` : ''}}`);
const lastChunk = fc
  .constantFrom('"stop"', '"length"', '"tool_calls"')
  .map(
    (reason) =>
      `{"choices":[{"index":0,"delta":{},"finish_reason":${reason}},{"index":1,"delta":{},"finish_reason":${reason}}]}`,
  );
const usageChunk = reportedBy('chat').map((report) => `{${own},"choices":[],${report}}`);
const oddEvent = fc.constantFrom(
  ...[
    '[DONE]',
    '[DONE]',
    '',
    'null',
    '{}',
    '[]',
    '{',
    error,
    '{"object":"error","message":"x"}',
    '{"choices":null}',
  ],
  ...['[done]', ' [DONE]', '{"error":null}', '{"error":{}}', '"x"', '1e400'],
);
/** A chat server's non-streamed answer. */
export const chatBody = aroundWhole(whole);

/** A chat server's stream. */
export const chatStream = streamOf(
  fc
    .tuple(
      fc.array(fc.oneof({ arbitrary: chunk, weight: 12 }, { arbitrary: oddEvent, weight: 1 }), {
        maxLength: 12,
      }),
      fc.oneof(
        {
          arbitrary: fc.tuple(lastChunk, usageChunk).map(([last, used]) => [last, used, '[DONE]']),
          weight: 6,
        },
        { arbitrary: fc.array(fc.oneof(lastChunk, usageChunk, oddEvent), { maxLength: 4 }), weight: 3 },
      ),
    )
    .map(([events, end]) => [...events, ...end]),
);
