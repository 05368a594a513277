import { UPSTREAM_CANARIES } from '@farebox/simulated-upstream';
import fc from 'fast-check';

/** What an upstream writes to its socket, in these pieces, and how it leaves. */
export interface HostileAnswer {
  stream: boolean;
  n: number;
  keepsAnswer: boolean;
  /** The client leaves after so many bytes; never, if undefined. */
  leavesAfter: number | undefined;
  bytes: string;
  /** Where the bytes are cut, as shares of their length. */
  cuts: number[];
  ending: 'closes' | 'resets';
}

const CANARY = UPSTREAM_CANARIES.join(' ');

/** Numbers of every size and kind, and what is put in the place of one. */
const number = fc.constantFrom(
  ...[
    '0',
    '-0',
    '1',
    '3',
    '8',
    '19',
    '20',
    '21',
    '40',
    '41',
    '100',
    '999999',
    '-1',
    '1.5',
    '1e3',
    '2147483647',
  ],
  ...[
    '2147483648',
    '4294967295',
    '9007199254740991',
    '9007199254740993',
    '9e15',
    '9223372036854775808',
    '1e19',
  ],
  ...[
    `1${'0'.repeat(400)}`,
    '1e400',
    '-1e400',
    '1e-400',
    '"11"',
    '""',
    'null',
    'true',
    '[]',
    '{}',
    'NaN',
    '01',
    '',
  ],
);

const text = fc.oneof(
  {
    arbitrary: fc.integer({ min: 1, max: 60 }).map((words) => JSON.stringify(' word'.repeat(words))),
    weight: 8,
  },
  {
    arbitrary: fc.constantFrom(
      ...[
        '""',
        'null',
        '" "',
        '"\\u0000"',
        '"\\ud83d"',
        '"\\ude00\\ud83d"',
        '"👩‍👩‍👧‍👦"',
        '"\u202e\u200b\ufeff"',
        '"字字字字字字字字"',
      ],
      ...[
        '0',
        'true',
        '{}',
        '[{"type":"text","text":" part"}]',
        '[null,1,{"text":1}]',
        '"data: [DONE]\\n\\n"',
      ],
      ...[
        JSON.stringify('x'.repeat(20_000)),
        JSON.stringify(' '.repeat(5_000)),
        JSON.stringify('😀'.repeat(3_000)),
      ],
    ),
    weight: 3,
  },
);

const finish = fc.constantFrom(
  ...[
    '"stop"',
    '"stop"',
    '"length"',
    '"tool_calls"',
    '"content_filter"',
    '"function_call"',
    '"error"',
    '"abort"',
  ],
  ...['"constructor"', '"__proto__"', '"toString"', '""', 'null', '1', '{}', '"eos"'],
);
const index = fc.constantFrom('0', '0', '0', '1', '1', '2', '300', '-1', '1.5', '1e400', 'null', '"0"', '{}');

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

/** Members of an object, some of them left out or given twice. */
function members(parts: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> {
  const some = Object.entries(parts).map(([name, value]) =>
    fc
      .tuple(fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 1, 0, 2), fc.array(value, { minLength: 2, maxLength: 2 }))
      .map(([times, values]) => values.slice(0, times).map((one) => `"${name}":${one}`)),
  );
  return fc.tuple(...some).map((lists) => `{${lists.flat().join(',')}}`);
}

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

const usage = fc.oneof(
  {
    arbitrary: members({ prompt_tokens: number, completion_tokens: number, total_tokens: number }),
    weight: 6,
  },
  {
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 40 }))
      .map(([prompt, completion]) =>
        JSON.stringify({ prompt_tokens: prompt, completion_tokens: completion }),
      ),
    weight: 4,
  },
  { arbitrary: fc.constantFrom('null', '[]', '1', '"x"'), weight: 1 },
);

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
      .tuple(choicesOf('message', finish), usage)
      .map(([choices, used]) => `{${own},"choices":${choices},"usage":${used}}`),
    weight: 10,
  },
  {
    arbitrary: members({ choices: choicesOf('message', finish), usage, error: fc.constant('null') }),
    weight: 2,
  },
  { arbitrary: fc.constantFrom('', 'null', '[]', '"x"', '{}', '{', error, '<html></html>'), weight: 1 },
);
const wholeBody = fc
  .tuple(
    whole,
    fc.constantFrom('', '', '', '', '', '\ufeff', ' ', '\n'),
    fc.constantFrom('', '', '', '', '', '}', '\0', ' '),
  )
  .map(([json, before, after]) => before + json + after);

const chunk = fc
  .tuple(
    choicesOf(
      'delta',
      fc.oneof({ arbitrary: fc.constant('null'), weight: 4 }, { arbitrary: finish, weight: 1 }),
    ),
    usage,
    fc.nat(9),
  )
  .map(([choices, used, dice]) => `{${own},"choices":${choices}${dice < 3 ? `,"usage":${used}` : ''}}`);
const lastChunk = fc
  .constantFrom('"stop"', '"length"', '"tool_calls"')
  .map(
    (reason) =>
      `{"choices":[{"index":0,"delta":{},"finish_reason":${reason}},{"index":1,"delta":{},"finish_reason":${reason}}]}`,
  );
const usageChunk = usage.map((used) => `{${own},"choices":[],"usage":${used}}`);
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
const lineEnd = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r');
const prefix = fc.constantFrom(
  'data: ',
  'data: ',
  'data: ',
  'data:',
  'event: message\ndata: ',
  ': a comment\ndata: ',
  'id: 1\ndata: ',
  'data : ',
  'retry: 1\ndata: ',
);

const streamBody = fc
  .tuple(
    fc.array(fc.oneof({ arbitrary: chunk, weight: 12 }, { arbitrary: oddEvent, weight: 1 }), {
      minLength: 0,
      maxLength: 12,
    }),
    fc.oneof(
      { arbitrary: fc.tuple(lastChunk, usageChunk).map(([last, used]) => [last, used, '[DONE]']), weight: 6 },
      { arbitrary: fc.array(fc.oneof(lastChunk, usageChunk, oddEvent), { maxLength: 4 }), weight: 2 },
    ),
    fc.tuple(
      prefix,
      lineEnd,
      fc.constantFrom('', '', '', '\ufeff'),
      fc.constantFrom('', '', '', 'data: {"cho', 'x'.repeat(1_200_000)),
    ),
  )
  .map(
    ([events, end, [before, line, first, rest]]) =>
      first + [...events, ...end].map((event) => `${before}${event}${line}${line}`).join('') + rest,
  );

const STATUS_LINES = [
  '200 OK',
  '200',
  '200 \u00fc',
  '204 No Content',
  '206 Partial',
  '302 Found',
  '400 Bad',
  '401 No',
  '404 No',
];
const status = fc.oneof(
  { arbitrary: fc.constant('200 OK'), weight: 14 },
  {
    arbitrary: fc.constantFrom(
      ...STATUS_LINES,
      '422 X',
      '429 X',
      '500 X',
      '503 X',
      '999 X',
      '100 Continue',
      '20 X',
      'x',
    ),
    weight: 1,
  },
);
const contentTypes = (right: string): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(right, `${right}; charset=utf-8`, right.toUpperCase()), weight: 14 },
    {
      arbitrary: fc.constantFrom(
        'text/html',
        '',
        'application/json',
        'text/event-stream',
        `${right}; charset=utf-16`,
        'x/y',
      ),
      weight: 1,
    },
  );

/** How the body is framed; the last ones are broken. */
const FRAMINGS: readonly ((body: string) => string)[] = [
  (body) => `content-length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
  (body) => `connection: close\r\n\r\n${body}`,
  (body) => `transfer-encoding: chunked\r\n\r\n${inChunks(body)}0\r\n\r\n`,
  (body) => `content-length: ${String(Buffer.byteLength(body) + 7)}\r\n\r\n${body}`,
  (body) => `content-length: ${String(Math.max(0, Buffer.byteLength(body) - 7))}\r\n\r\n${body}`,
  (body) => `transfer-encoding: chunked\r\n\r\n${inChunks(body)}`,
  (body) => `transfer-encoding: chunked\r\n\r\nzz\r\n${body}`,
  (body) => `content-length: 5\r\ncontent-length: 6\r\n\r\n${body}`,
  (body) => `content-encoding: gzip\r\nconnection: close\r\n\r\n${body}`,
];
const framing = fc.oneof(
  { arbitrary: fc.constantFrom(0, 1, 2), weight: 12 },
  { arbitrary: fc.integer({ min: 3, max: FRAMINGS.length - 1 }), weight: 1 },
);

function inChunks(body: string): string {
  const size = Math.max(1, Math.ceil(body.length / 3));
  const parts = Array.from({ length: 3 }, (_, part) => body.slice(part * size, (part + 1) * size)).filter(
    Boolean,
  );
  return parts.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join('');
}

const SEPARATE: fc.Arbitrary<{ stream: boolean; body: string; type: string }> = fc.oneof(
  fc
    .tuple(wholeBody, contentTypes('application/json'))
    .map(([body, type]) => ({ stream: false, body, type })),
  fc
    .tuple(streamBody, contentTypes('text/event-stream'))
    .map(([body, type]) => ({ stream: true, body, type })),
);

export const hostileAnswer: fc.Arbitrary<HostileAnswer> = fc
  .record({
    answer: SEPARATE,
    status,
    framing,
    n: fc.constantFrom(1, 1, 2),
    keepsAnswer: fc.boolean(),
    leavesAfter: fc.oneof(
      { arbitrary: fc.constant(undefined), weight: 9 },
      { arbitrary: fc.nat(4_000), weight: 1 },
    ),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
    ending: fc.constantFrom('closes' as const, 'closes' as const, 'closes' as const, 'resets' as const),
  })
  .map(({ answer: { stream, body, type }, status: line, framing: frame, ...rest }) => ({
    ...rest,
    stream,
    bytes: `HTTP/1.1 ${line}\r\nx-request-id: ${CANARY}\r\ncontent-type: ${type}\r\n${FRAMINGS[frame]?.(body) ?? ''}`,
  }));
